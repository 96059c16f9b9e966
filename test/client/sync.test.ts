import { createClient, newId, ProblemError, Replication, type SyncOptions } from '#client/index.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

const [minPauseMs, maxPauseMs] = [1_000, 60_000];
const requestTimeoutMs = maxPauseMs + 1;

const service = provideFetchedService();
/** Somebody else, who uses the same service. */
const other = createClient({ ...service, timeout: requestTimeoutMs });
/** The pauses between two requests, in milliseconds. They take no time. */
let pauses: number[];

beforeEach(() => {
  pauses = [];
  let nowMs = 0;
  // By it, the client tells whether a pause is over.
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const start = globalThis.setTimeout;
  const startAtOnce = (call: () => void, milliseconds = 0, ...values: []) => {
    if (milliseconds > maxPauseMs) return start(call, milliseconds, ...values);
    // Shorter ones are of the service.
    if (milliseconds >= minPauseMs) {
      pauses.push(milliseconds);
      nowMs += milliseconds;
    }
    return start(call, 0, ...values);
  };
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(startAtOnce as typeof setTimeout);
});

afterEach(() => jest.restoreAllMocks());

const lost = (): Response => {
  throw new TypeError('fetch failed');
};

const problem = (status: number, retryAfter?: string) => (): Response => {
  const code = status === 410 ? 'cursor-expired' : 'unavailable';
  const body = JSON.stringify({ type: `/docs/problems#${code}`, title: 'x', detail: 'x', status });
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfter && { 'retry-after': retryAfter }),
  };
  return new Response(body, { status, headers });
};

/** Follows the tags of a status of its own. The client makes one attempt for each request, and the next ones have the given faults. */
function follow(options: SyncOptions = {}) {
  const status = `s${newId()}`;
  const stop = new AbortController();
  const faults: (() => Response)[] = [];
  const errors: unknown[] = [];
  const sent: URL[] = [];
  const client = createClient({
    url: service.url,
    tries: 1,
    timeout: requestTimeoutMs,
    fetch: async (input, init) => {
      sent.push(new URL(String(input)));
      return faults.shift()?.() ?? service.fetch(input, init);
    },
  });
  const onError = (error: unknown) => errors.push(error);
  const pages = client.tags.sync({ status, limit: 2 }, { signal: stop.signal, onError, ...options });
  const next = async () => {
    const { value } = await pages.next();
    return value && { ...value, data: value.data.map(({ name }) => name), cursor: expect.any(String) };
  };
  const create = (name: string) => other.tags.create({ name, status });
  return { status, client, stop, faults, errors, sent, pages, next, create };
}

test('says which page begins a copy, and which page completes it', async () => {
  const { next, create, stop } = follow();
  const first = await create('a');
  for (const name of ['b', 'c']) await create(name);
  expect(await next()).toMatchObject({ data: ['a', 'b'], isFirst: true, isComplete: false });
  expect(await next()).toMatchObject({ data: ['c'], isFirst: false });
  while (!(await next())?.isComplete);
  expect(pauses).toEqual([]);
  await other.tags.delete(first);
  expect(await next()).toMatchObject({ data: [], removed: [first.id], isFirst: false, isComplete: true });
  expect(pauses).toEqual([5_000]);
  stop.abort();
  expect(await next()).toBeUndefined();
});

test('a copy that continues has no first page', async () => {
  const { status, client } = follow();
  const filters = { status };
  const { cursor } = await client.tags.changes(filters);
  await other.tags.create({ name: 'a', status });
  for await (const { data, isFirst } of client.tags.sync(filters, { since: cursor })) {
    expect(data).toMatchObject([{ name: 'a' }]);
    expect(isFirst).toBe(false);
    break;
  }
});

test('waits for 1 to 60 seconds when requests fail, longer each time and at random, and continues', async () => {
  const { next, create, faults, errors } = follow();
  const failures = [problem(408), problem(429), problem(500), problem(503), ...Array(6).fill(lost)];
  faults.push(...failures);
  await create('a');
  expect(await next()).toMatchObject({ data: ['a'], isFirst: true });
  expect(errors).toHaveLength(failures.length);
  const longest = failures.map((_, number) => Math.min(maxPauseMs, 2_000 * 2 ** number));
  const shares = pauses.map((pause, number) => pause / (longest[number] ?? 0));
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.5);
  expect(Math.max(...shares)).toBeLessThanOrEqual(1);
  expect(new Set(pauses).size).toBe(failures.length);
  // After a page, the next failure is the first one again.
  faults.push(lost);
  await create('b');
  expect(await next()).toMatchObject({ data: ['b'], isFirst: false });
  expect(pauses.slice(failures.length)).toEqual([5_000, expect.any(Number)]);
  expect(pauses.at(-1)).toBeLessThanOrEqual(2_000);
});

test('waits as long as Retry-After says, up to a minute', async () => {
  const { next, faults, errors } = follow();
  faults.push(problem(429, '17'), problem(503, '3600'), problem(503, '0.01'));
  await next();
  expect(pauses.slice(0, 2)).toEqual([17_000, 60_000]);
  expect(pauses[2]).toBeGreaterThanOrEqual(4_000);
  expect(errors).toMatchObject([{ retryAfterMs: 17_000 }, { retryAfterMs: 60_000 }, { retryAfterMs: 10 }]);
});

test('begins again with a first page when the cursor is too old', async () => {
  const { next, create, faults, errors, sent } = follow();
  await create('a');
  await next();
  faults.push(problem(410));
  expect(await next()).toMatchObject({ data: ['a'], isFirst: true, isComplete: true });
  expect(errors).toMatchObject([{ problem: { status: 410 } }]);
  expect(sent.map((url) => url.searchParams.has('since'))).toEqual([false, true, false]);
});

test.each([400, 401, 403, 404])('ends with the error when the status is %i', async (status) => {
  const { next, faults, errors, pages } = follow();
  faults.push(problem(status));
  await expect(next()).rejects.toMatchObject({ problem: { status } });
  expect(errors).toEqual([]);
  expect(await pages.next()).toEqual({ done: true, value: undefined });
});

test('ends with the error of a query that is not sent, and of the reader', async () => {
  const { client } = follow();
  await expect(client.tags.sync({ name: null } as never).next()).rejects.toThrow(TypeError);
  expect(() => new Replication(client.tags, { name: null } as never)).toThrow(TypeError);
  await expect(async () => {
    for await (const _ of client.tags.sync()) throw new RangeError('full');
  }).rejects.toThrow(RangeError);
});

test('ends when the signal is aborted: before, during and after a request, and in a pause', async () => {
  const before = follow();
  before.stop.abort();
  expect(await before.next()).toBeUndefined();
  expect(before.sent).toEqual([]);
  const failing = follow();
  failing.faults.push(() => {
    failing.stop.abort();
    return lost();
  });
  expect(await failing.next()).toBeUndefined();
  expect([failing.errors, pauses]).toEqual([[], []]);
  const waiting = follow({ onError: () => waiting.stop.abort() });
  waiting.faults.push(lost);
  expect(await waiting.next()).toBeUndefined();
  expect(waiting.sent).toHaveLength(1);
});

test('sync ends for a request that cannot be sent', async () => {
  const client = createClient({ url: service.url, token: '\u2603', timeout: requestTimeoutMs });
  await expect(client.tags.sync().next()).rejects.toThrow('authorization');
  expect(pauses).toEqual([]);
});

test('sync of a replication gives its pages, and begins again without a first page if it knows the ids of the copy', async () => {
  const { status, client, faults } = follow();
  const known = await other.tags.create({ name: 'a', status });
  const replication = new Replication(client.tags, { status });
  const removed = newId();
  const withIds = replication.sync({ ids: () => [known.id, removed] });
  const without = replication.sync();
  expect((await withIds.next()).value).toMatchObject({ data: [known], isFirst: true, isComplete: true });
  faults.push(problem(410));
  expect((await withIds.next()).value).toMatchObject({ data: [known], removed: [removed], isFirst: false });
  expect((await without.next()).value).toMatchObject({ data: [known], isFirst: true });
  faults.push(problem(410));
  expect((await without.next()).value).toMatchObject({ data: [known], removed: [], isFirst: true });
});

test('a push with onRetry sends changes until the service accepts or refuses them, and later ones wait', async () => {
  const { client, status, faults, errors } = follow();
  const replication = new Replication(client.tags, { status });
  const onRetry = (error: unknown) => errors.push(error);
  const tag = { id: newId(), name: 'made offline', status };
  faults.push(lost, problem(503, '30'), lost);
  const created = replication.push([{ after: tag }], { onRetry });
  const changed = replication.push([{ before: tag, after: { ...tag, name: 'changed offline' } }], {
    onRetry,
  });
  expect(await Promise.all([created, changed])).toMatchObject([
    [{ error: undefined }],
    [{ error: undefined }],
  ]);
  expect(await other.tags.get(tag.id)).toMatchObject({ name: 'changed offline' });
  expect(errors).toHaveLength(3);
  const [first = 0, second, third = 0] = pauses;
  expect([first >= 1_000 && first <= 2_000, second, third >= 4_000 && third <= 8_000]).toEqual([
    true,
    30_000,
    true,
  ]);
  faults.push(lost, problem(401));
  await expect(replication.push([{ after: { ...tag, id: newId() } }], { onRetry })).rejects.toThrow(
    ProblemError,
  );
  expect(errors).toHaveLength(4);
});
