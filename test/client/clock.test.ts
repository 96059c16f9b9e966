import {
  createClient,
  type LocalChange,
  newId,
  type PushOptions,
  type Replication,
  type TaskTypes,
} from '#client/index.ts';
import { timestampMs } from '#functions/engine/model/ids.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

/** A device whose clock differs from that of the service. The service of these tests has the real time. */

const service = provideFetchedService();
const other = createClient(service);
const realNow = Date.now;
const minuteMs = 60_000;

/** Loads the client as a new start of the app, on a device whose clock is ahead. */
async function startApp(
  aheadMs: number,
  headers: (date: string) => Record<string, string> = (date) => ({ date }),
) {
  jest.resetModules();
  const own = await import('#client/index.ts');
  /** The writes whose responses are lost. */
  const device = { aheadMs, losses: [] as boolean[], isOffline: false };
  jest.spyOn(Date, 'now').mockImplementation(() => realNow() + device.aheadMs);
  const sent: string[] = [];
  const client = own.createClient({
    url: service.url,
    tries: 1,
    fetch: async (input, init) => {
      if (device.isOffline) throw new TypeError('There is no network.');
      const response = await service.fetch(input, init);
      if (init?.method !== 'GET') {
        sent.push(`${init?.method} ${String(input).split('/').at(-1)}`);
        if (device.losses.shift()) throw new TypeError('The connection was lost.');
      }
      const date = new Date(realNow()).toUTCString();
      return new Response(await response.text(), {
        status: response.status,
        headers: { ...Object.fromEntries(response.headers), ...headers(date) },
      });
    },
  });
  const position = `p${newId()}`;
  const refused: unknown[] = [];
  const onRefused = (result: object) => refused.push(result);
  const replication = new own.Replication(
    client.tasks as never,
    { position },
    { onRefused },
  ) as unknown as Replication<TaskTypes>;
  const replaced: [string, string][] = [];
  const push = (...changes: readonly LocalChange<TaskTypes>[]) =>
    replication.push(changes, {
      renewId: async (id, renewed) => {
        expect(sent).not.toContain(`PUT ${renewed}`);
        replaced.push([id, renewed]);
      },
    } satisfies PushOptions);
  return { ...own, client, device, sent, position, replication, refused, replaced, push };
}

afterEach(() => jest.restoreAllMocks());

const names = async (position: string) =>
  (await other.tasks.list({ position })).data.map(({ name }) => name).sort();

const aheadOf = (id: string): number => Math.abs(timestampMs(id) - realNow());

test.each([2 * minuteMs, -90 * minuteMs])(
  'newId has the time of the service when the clock differs by %i ms',
  async (aheadMs) => {
    const { client, newId: make } = await startApp(aheadMs);
    expect(aheadOf(make())).toBeGreaterThan(minuteMs);
    await client.health();
    expect(aheadOf(make())).toBeLessThan(5_000);
    expect((await client.tasks.create({ id: make(), name: 'in time' })).name).toBe('in time');
  },
);

test('learns again when the clock jumps, and ignores small differences', async () => {
  const { client, device, newId: make } = await startApp(10 * minuteMs);
  await client.health();
  device.aheadMs = -10 * minuteMs;
  await client.health();
  expect(aheadOf(make())).toBeLessThan(5_000);
  device.aheadMs = 3_000;
  await client.health();
  const id = make();
  expect(timestampMs(id)).toBeGreaterThan(realNow() + 2_000);
  // Ids keep growing.
  device.aheadMs = 0;
  const later = make();
  expect(later > id).toBe(true);
});

test('ids are in order while the time that is known goes back a little, and not further ahead than the service accepts', async () => {
  const { client, device, newId: make } = await startApp(20_000);
  const ids = [make()];
  await client.health();
  ids.push(make(), make());
  expect(ids.toSorted()).toEqual(ids);
  device.aheadMs = 20 * minuteMs;
  make();
  await client.health();
  expect(aheadOf(make())).toBeLessThan(30_000);
});

test('learns nothing from what a cache gives, or from a response without a time', async () => {
  const old = new Date(realNow() - 60 * minuteMs).toUTCString();
  const aged = await startApp(0, () => ({ date: old, age: '3600' }));
  await aged.client.health();
  expect(aheadOf(aged.newId())).toBeLessThan(5_000);
  const dates = [new Date(realNow()).toUTCString(), old];
  const restored = await startApp(0, () => ({ date: dates.shift() ?? '' }));
  await restored.client.health();
  await restored.client.health();
  expect(aheadOf(restored.newId())).toBeLessThan(5_000);
});

test('a new start of the app knows the difference from the stored cursor, without a network', async () => {
  const before = await startApp(5 * minuteMs);
  const { cursor } = await before.replication.pull(undefined);
  const after = await startApp(5 * minuteMs);
  expect(aheadOf(after.newId())).toBeGreaterThan(minuteMs);
  after.device.isOffline = true;
  await expect(after.replication.pull(cursor)).rejects.toThrow('did not respond');
  expect(aheadOf(after.newId())).toBeLessThan(5_000);
  await other.tasks.create({ name: 'later', position: before.position });
  const { data } = await before.replication.pull(cursor);
  expect(data.map(({ name }) => name)).toEqual(['later']);
});

test('a creation with a time that is too far ahead is stored with another id before it is sent, with what refers to it', async () => {
  const { newId: make, position, push, replaced, sent, refused } = await startApp(2 * minuteMs);
  const [parent, child] = [make(), make()];
  const results = await push(
    { after: { id: child, name: 'child', position, parentId: parent } },
    { after: { id: parent, name: 'parent', position } },
  );
  expect(refused).toEqual([]);
  expect(replaced.map(([id]) => id)).toEqual([parent, child]);
  const [[, newParent], [, newChild]] = replaced as [[string, string], [string, string]];
  expect(results).toMatchObject([
    { id: child, current: { id: newChild, parentId: newParent } },
    { id: parent, current: { id: newParent } },
  ]);
  expect(await names(position)).toEqual(['child', 'parent']);
  // A later change still has the old id.
  const [, before] = results;
  await push({ before: { ...before?.current, id: parent }, after: { id: parent, name: 'renamed' } });
  expect(sent.at(-1)).toBe(`PATCH ${newParent}`);
  expect(await names(position)).toEqual(['child', 'renamed']);
});

test.each([
  ['the same id', 45_000, 0],
  ['another id', 2 * minuteMs, 1],
])('after a lost response and a corrected clock there is one entity, with %s', async (_, aheadMs, times) => {
  const { newId: make, position, push, device, replaced, refused } = await startApp(aheadMs);
  const change = { after: { id: make(), name: 'made', position } };
  device.losses = [true];
  await expect(push(change)).rejects.toThrow('did not respond');
  device.aheadMs = 0;
  await push(change);
  expect([await names(position), replaced.length, refused]).toEqual([['made'], times, []]);
});

test('after a lost response to the new id there is one entity', async () => {
  const { newId: make, position, push, device, replaced, sent } = await startApp(2 * minuteMs);
  const change = { after: { id: make(), name: 'made', position } };
  device.losses = [false, true];
  await expect(push(change)).rejects.toThrow('did not respond');
  await expect(push(change)).resolves.toMatchObject([{ id: change.after.id, current: { name: 'made' } }]);
  expect([await names(position), replaced.length, new Set(sent).size]).toEqual([['made'], 1, 2]);
});

test('without the time of the service, the app gets the whole entity that is refused', async () => {
  const { newId: make, position, push, replaced, refused } = await startApp(2 * minuteMs, () => ({}));
  const entity = { id: make(), name: 'refused', position };
  await push({ after: entity });
  expect(refused).toMatchObject([{ id: entity.id, entity, error: { problem: { code: 'invalid-request' } } }]);
  expect(replaced).toEqual([]);
});

test('an id that is refused for its form is not made again', async () => {
  const { position, push, replaced, refused, client } = await startApp(2 * minuteMs);
  await client.health();
  await push({ after: { id: 'ffffffff-ffff-4fff-8fff-ffffffffffff', name: 'no', position } });
  expect([replaced, refused]).toMatchObject([[], [{ error: { problem: { code: 'invalid-request' } } }]]);
});
