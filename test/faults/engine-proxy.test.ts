import { request as httpRequest } from 'node:http';
import { startEngineProxy } from './engine-proxy.ts';

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
