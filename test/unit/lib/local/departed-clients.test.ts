import { once } from 'node:events';
import { connect } from 'node:net';
import { createTag, listTags } from '#functions/tags/contract.ts';
import { crossOrigin } from '#lib/hosting/cors.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { createGateway } from '#lib/local/gateway.ts';
import type { LambdaFunction } from '#lib/local/http-api.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { operationEvent } from '#lib/local/operation-event.ts';
import { startTestStore } from '#test/support/local-store.ts';
import type { Course } from '#test/support/table/course.ts';
import { lostRequest, refused } from '#test/support/table/faults.ts';

/** Requests whose clients do not wait any more. A function that went on would make many more calls in its time. */

const timeoutMs = 5_000;

let store: Awaited<ReturnType<typeof startTestStore>>;

beforeAll(async () => {
  store = await startTestStore();
  setFunctionEnvironment(store, undefined);
});

beforeEach(() => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(() => {
  jest.restoreAllMocks();
  store.table.intercept = undefined;
});

afterAll(() => store.stop());

/** Aborts at the third call, and refuses every call. */
function refusalsUntil(departure: AbortController, course: Course): () => number {
  let calls = 0;
  store.table.intercept = () => {
    calls += 1;
    if (calls === 3) departure.abort();
    return course;
  };
  return () => calls;
}

test.each([
  ['throttled', refused('ProvisionedThroughputExceededException')],
  ['lost', lostRequest(0)],
])('calls that are %s are not made again after the client has gone', async (_, refuse) => {
  const { handler: list } = await import('#functions/tags/list-tags.ts');
  const { handler: create } = await import('#functions/tags/create-tag.ts');
  const operations = [
    [listTags, list],
    [createTag, create],
  ] as const;
  for (const [contract, handler] of operations) {
    const departure = new AbortController();
    const calls = refusalsUntil(departure, refuse);
    const body = contract === createTag ? { name: 'x' } : undefined;
    const context = functionContext('r', timeoutMs, departure.signal);
    const { statusCode } = await handler(operationEvent(contract, { body }), context);
    expect(statusCode).toBe(503);
    // Another call may have been under way at that moment.
    expect(calls()).toBeLessThanOrEqual(5);
    const lines = jest.mocked(process.stdout.write).mock.calls.map(([line]) => String(line));
    expect(lines.filter((line) => line.includes('"level":"ERROR"'))).toEqual([]);
  }
});

test('the gateway tells the function that the client has closed its connection', async () => {
  let departed: (() => void) | undefined;
  const isDeparted = new Promise<void>((resolve) => {
    departed = resolve;
  });
  let arrived: (() => void) | undefined;
  const hasArrived = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const fallback: LambdaFunction = async (_, context) => {
    const { cancelled } = context as { cancelled?: AbortSignal };
    cancelled?.addEventListener('abort', () => departed?.());
    arrived?.();
    await isDeparted;
    return { statusCode: 200 };
  };
  const server = createGateway({ routes: [], fallback, timeoutMs, crossOrigin });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await hasArrived;
  socket.destroy();
  await expect(isDeparted).resolves.toBeUndefined();
  server.close();
  server.closeAllConnections();
});

test('a client that waits for its response has not gone', async () => {
  const cancelled: AbortSignal[] = [];
  const fallback: LambdaFunction = async (_, context) => {
    cancelled.push((context as unknown as { cancelled: AbortSignal }).cancelled);
    return { statusCode: 200 };
  };
  const server = createGateway({ routes: [], fallback, timeoutMs, crossOrigin });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as { port: number };
  for (let request = 0; request < 3; request += 1) await (await fetch(`http://127.0.0.1:${port}/`)).text();
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  expect(cancelled.map(({ aborted }) => aborted)).toEqual([false, false, false]);
});
