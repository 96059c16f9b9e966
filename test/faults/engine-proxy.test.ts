import { request as httpRequest } from 'node:http';
import { type Call, type EngineResponse, laggingReplica, startEngineProxy } from './engine-proxy.ts';

const call = (operation: string): Call => ({ operation, body: {}, headers: {}, number: 1 });

test('a lagging replica has caught up when it has the write that was still running', async () => {
  const events: string[] = [];
  const lagging = laggingReplica('http://replica', 0);
  let respond = (_: EngineResponse): void => {};
  const response = lagging(call('PutItem'), (endpoint) => {
    if (endpoint === undefined) {
      return new Promise((resolve) => {
        respond = resolve;
      });
    }
    events.push('the replica has the write');
    return Promise.resolve({ status: 200, body: '' });
  });
  const caughtUp = lagging.caughtUp().then(() => events.push('caught up'));
  // Lets a replica that waits for no running call catch up at once.
  await new Promise(setImmediate);
  respond({ status: 200, body: '' });
  await response;
  await caughtUp;
  expect(events).toEqual(['the replica has the write', 'caught up']);
});

test('a call keeps the injector with which it has begun', async () => {
  const proxy = await startEngineProxy('http://127.0.0.1:1');
  const calls: string[] = [];
  const injectorOf = (name: string) => async () => {
    calls.push(name);
    return { status: 200, body: '' };
  };
  proxy.inject(injectorOf('first'));
  const headers = { 'x-amz-target': 'DynamoDB_20120810.PutItem', expect: '100-continue' };
  const outgoing = httpRequest(proxy.endpoint, { method: 'POST', headers });
  outgoing.flushHeaders();
  // The proxy has read the headers, and waits for the body.
  await new Promise((resolve) => outgoing.once('continue', resolve));
  proxy.inject(injectorOf('second'));
  await new Promise((resolve) => outgoing.once('response', resolve).end('{}'));
  await proxy.stop();
  expect(calls).toEqual(['first']);
});
