import { type Client, createClient, isProblem, newId } from '#client/index.ts';
import { isId, timestampMs } from '#functions/engine/model/ids.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';

let service: Awaited<ReturnType<typeof startFetchedService>>;
let client: Client;

beforeAll(async () => {
  service = await startFetchedService();
  client = createClient({ url: service.url, fetch: service.fetch });
});

afterAll(() => service.stop());

/** Returns a client that loses the first responses: the service has executed their requests. */
function clientThatLoses(count: number, tries: number): Client {
  let left = count;
  return createClient({
    url: service.url,
    tries,
    fetch: async (input, init) => {
      const response = await service.fetch(input, init);
      left -= 1;
      if (left >= 0) throw new TypeError('The connection was lost.');
      return response;
    },
  });
}

test('newId returns ids of the time, in order, each of them once', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  const after = Date.now();
  expect(ids.every(isId)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  expect(timestampMs(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
  // A full sequence continues in the next millisecond.
  expect(timestampMs(ids.at(-1) ?? '')).toBeLessThanOrEqual(after + 20);
});

test('newId works without crypto, as in React Native', () => {
  const { crypto } = globalThis;
  Object.defineProperty(globalThis, 'crypto', { value: undefined, configurable: true });
  try {
    expect(isId(newId())).toBe(true);
  } finally {
    Object.defineProperty(globalThis, 'crypto', { value: crypto, configurable: true });
  }
});

test('a retry after a lost response gets the entity that was created', async () => {
  const id = newId();
  const tag = await clientThatLoses(1, 2).tags.create({ id, name: 'once' });
  expect(await client.tags.list({ name: 'once' })).toMatchObject({ data: [tag], total: 1 });
});

test('a later call with the same id says that the entity exists', async () => {
  const id = newId();
  await expect(clientThatLoses(1, 1).tags.create({ id, name: 'lost' })).rejects.toThrow();
  const error = await client.tags.create({ id, name: 'lost' }).catch((reason: unknown) => reason);
  expect(isProblem(error, 'version-mismatch')).toBe(true);
  expect(await client.tags.list({ name: 'lost' })).toMatchObject({ data: [{ id }], total: 1 });
});
