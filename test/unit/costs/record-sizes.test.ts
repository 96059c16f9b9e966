import { randomUUID } from 'node:crypto';
import {
  logPartition,
  recordWrites,
  recordWriteUnits,
} from '../../../functions/shared/store/model/change-log.ts';
import type { Change } from '../../../functions/shared/store/model/changes.ts';
import { startTestStore, type TestStore } from '../../support/local-store.ts';
import { sentence, typicalChanges } from '../../support/typical-changes.ts';

/**
 * How many records one read unit reads, as the embedded engine reports it: 4 KB, with keys and names of attributes. The tenant has 36
 * characters. docs/list-engine.md contains these numbers.
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
    for (const { put } of recordWrites(tenant, [changes], nowMs)) await store.database().putItem(put);
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
  ['create', 20],
  ['change of the priority', 20],
  ['change of the status', 20],
  ['deletion', 20],
  ['change of the name', 19],
])('a read unit holds the records of one %s each: %i', async (change, records) => {
  expect(await unitsOf(change, '', records)).toBe(1);
});

test.each([
  ['create', 17],
  ['change of the status', 17],
])(
  'when tasks have a sentence of description, it holds the records of one %s each: %i',
  async (change, records) => {
    expect(await unitsOf(change, sentence, records)).toBe(1);
  },
);

test.each([1, 5, 20, 60])(
  'a record of %i creates takes the write units that compaction counts',
  async (count) => {
    const changes = Array.from(
      { length: count },
      () => typicalChanges(Date.now(), sentence)['create'] as Change,
    );
    const [record] = recordWrites(randomUUID(), changes, Date.now());
    if (!record) throw new Error('There is no record.');
    const database = store.database();
    await database.transact([record]);
    expect(recordWriteUnits(record.put)).toBe(database.consumption.writeUnits);
  },
);
