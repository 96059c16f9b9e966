import { type Call, type EngineResponse, laggingReplica } from './engine-proxy.ts';

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
