import { randomUUID } from 'node:crypto';
import { logPartition, recordWrites } from '#functions/store/model/change-log.ts';
import { recordsGb } from '#lib/costs/costs.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';
import { sentence, typicalChanges } from '#test/support/typical-changes.ts';

/**
 * How many records one read unit reads, as the embedded engine reports it: 4 KB, with keys and names of attributes. The tenant and
 * the actor are UUIDs. docs/list-engine.md contains these numbers.
 */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

/** Returns the read units of a consistent query of some records of one change each. */
async function unitsOf(change: string, description: string, records: number): Promise<number> {
  const tenant = randomUUID();
  const nowMs = Date.now();
  for (let number = 0; number < records; number += 1) {
    const changes = typicalChanges(nowMs, description)[change];
    if (!changes) throw new Error(`There is no ${change}.`);
    for (const { put } of recordWrites(tenant, [changes], nowMs, { actor: randomUUID() }))
      await store.database().putItem(put);
  }
  const database = store.database();
  const { items } = await database.query({
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': logPartition(tenant, 'task') },
    ConsistentRead: true,
  });
  expect(items.length).toBe(records);
  return database.consumption.readUnits;
}

test.each([
  ['create', 18],
  ['change of the priority', 17],
  ['change of the status', 17],
  ['deletion', 17],
  ['change of the name', 16],
])('a read unit holds the records of one %s each: %i', async (change, records) => {
  expect(await unitsOf(change, '', records)).toBe(1);
});

test.each([
  ['create', 14],
  ['change of the status', 13],
])(
  'when tasks have a sentence of description, it holds the records of one %s each: %i',
  async (change, records) => {
    expect(await unitsOf(change, sentence, records)).toBe(1);
  },
);

test('records of 25 changes a second take 22 GB in 30 days', () => {
  expect(recordsGb(25, 30)).toBeCloseTo(22.1, 1);
  expect(recordsGb(25, 400)).toBeCloseTo(294.7, 0);
});
