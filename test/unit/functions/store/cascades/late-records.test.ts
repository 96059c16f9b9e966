import { randomUUID } from 'node:crypto';
import { readPassed } from '#functions/store/cascades/late-records.ts';
import type { QueryPage } from '#functions/store/dynamodb/query.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import type { Item } from '#functions/store/model/writes.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

const began = Date.parse('2026-02-03T04:00:00.000Z');
const tenant = randomUUID();

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

/** Writes a record with each of some stamps, in milliseconds after `began`. */
async function writeRecords(offsets: readonly number[]): Promise<void> {
  const change = buildCreate('tag', { name: 'x', status: 'active' }, began);
  for (const offset of offsets) {
    const [write] = recordWrites(tenant, [change], began + offset);
    await store.database().putItem(write?.put as Item);
  }
}

/** Returns a session whose queries have pages of a few records. */
function sessionWithPagesOf(size: number): Session {
  const session = store.session(tenant);
  const { database } = session;
  const pages = database.pages.bind(database);
  jest.spyOn(database, 'pages').mockImplementation(async function* (query): AsyncGenerator<QueryPage, void> {
    yield* pages({ ...query, Limit: size });
  });
  return session;
}

test.each([
  ['each of its own stamp', Array.from({ length: 40 }, (_, number) => number + 1)],
  ['many of one stamp', [...Array(5).fill(3), ...Array(40).fill(7), 8, 8, 9]],
])('records are read again in portions, each once at least: %s', async (_, offsets) => {
  await writeRecords(offsets);
  const upTo = began + 60;
  const read = new Set<string>();
  let above = began;
  let portions = 0;
  for (let isComplete = false; !isComplete; portions += 1) {
    const passed = await readPassed(sessionWithPagesOf(2), 'tag', above, upTo);
    expect(passed.upTo).toBeGreaterThan(above);
    for (const { key } of passed.records) read.add(key);
    ({ upTo: above, isComplete } = passed);
  }
  expect(above).toBe(upTo);
  const all = await store.session(tenant).database.query({
    KeyConditionExpression: 'pk = :log',
    ExpressionAttributeValues: { ':log': `${tenant}#tag#log` },
  });
  expect(portions).toBeGreaterThan(1);
  expect(read.size).toBe(all.items.length);
});

test('nothing is read when the comparison is ahead of the time', async () => {
  const session = store.session(tenant);
  expect(await readPassed(session, 'tag', began, began)).toEqual({
    records: [],
    upTo: began,
    isComplete: true,
  });
  expect(session.database.consumption.calls).toBe(0);
});
