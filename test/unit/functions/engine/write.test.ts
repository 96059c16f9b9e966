import { randomBytes, randomUUID } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { readEntityItem } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { decodeRecord, logPartition } from '#functions/engine/model/change-log.ts';
import { buildCreate } from '#functions/engine/model/changes.ts';
import { TooManyJobs } from '#functions/engine/model/errors.ts';
import { beginJob } from '#functions/engine/model/job.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import type { Item, Write } from '#functions/engine/model/writes.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { findEntity, readTexts } from '#functions/engine/table/stored-entities.ts';
import { applyChangeSet, applyInBatches } from '#functions/engine/write/commit.ts';
import { decodeResult, recordResult } from '#functions/engine/write/idempotency.ts';
import { maxJobs, requireJobCapacity } from '#functions/engine/write/unfinished-jobs.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { startTestStore } from '#test/support/local-store.ts';
import { itemBytes } from '#test/support/table/capacity.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

const now = Date.parse('2026-02-03T04:05:06.789Z');

let store: ReturnType<typeof startTestStore>;
let session: Session;

beforeEach(() => {
  setTimeAndChance(new VirtualTime(1, now));
  // Its tokens are its own: those of two tests are equal.
  store = startTestStore();
  // The tenant of a token begins with it.
  session = store.session(`@${randomUUID()}`);
});

afterEach(() => {
  jest.restoreAllMocks();
  setTimeAndChance();
});

const fields = { name: 'x', status: 'active' };

const newTag = () => buildCreate('tag', fields, now);

/** Returns the items of a partition. */
async function itemsOf(partition: string): Promise<Item[]> {
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': partition },
  });
  return items;
}

describe('commit', () => {
  test('a record expires after the days of the setting', async () => {
    jest.replaceProperty(process, 'env', { ...process.env, HISTORY_DAYS: '7' });
    await applyChangeSet(session, { changes: [newTag()] });
    const [record] = await itemsOf(logPartition(session.tenant, 'tag'));
    expect(record?.['expiresAt']).toBe(Math.floor(now / 1_000) + 7 * 86_400);
  });

  test('a change set that is not divided has no more writes than a transaction', async () => {
    const changes = Array.from({ length: 100 }, newTag);
    await expect(applyChangeSet(session, { changes })).rejects.toThrow('as many writes as DynamoDB takes');
  });

  test('batches are divided when they do not fit into one transaction', async () => {
    const changeSets = Array.from({ length: 120 }, () => ({ changes: [newTag()] }));
    await applyInBatches(session, changeSets, 120);
    const records = (await itemsOf(logPartition(session.tenant, 'tag'))).map(decodeRecord);
    expect(records.map(({ entries }) => entries.length)).toEqual([0, 60, 60]);
  });

  test.each([
    [380_000, 1],
    [380_001, 2],
  ])('a batch with an item of %i bytes is written in %i transactions', async (bytes, transactions) => {
    const key = { pk: 'large', sk: '0' };
    const quotes = '""""""'.length;
    const large = { ...key, text: 'x'.repeat(bytes - 'pklargesk0text'.length - quotes) };
    const small = Array.from({ length: 8 }, (_, number) => ({ pk: 'small', sk: String(number) }));
    let written = 0;
    store.table.intercept = ({ operation }) => {
      written += operation === 'TransactWriteItems' ? 1 : 0;
      return undefined;
    };
    const changeSets = [large, ...small].map((put) => ({ changes: [], writes: [{ put }] }));
    await applyInBatches(session, changeSets, changeSets.length);
    expect([written, await store.database().get(key)]).toEqual([transactions, large]);
  });
});

test('idempotency: a result that exceeds one item in several is recorded, of which the first has the condition', () => {
  // Text that hardly becomes smaller.
  const result = randomBytes(600_000).toString('base64');
  const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };
  const writes = recordResult({ tenant: 'acme', idempotency } as Session, result, new Set(), now);
  const items = writes.map((write) => (write as { put: Item }).put);
  expect(items.map(({ sk, expiresAt }) => [sk, expiresAt])).toEqual([
    ['idempotency', 1_770_177_906],
    ['idempotency#1', 1_770_177_906],
  ]);
  expect(items[0]).toMatchObject({ parts: 2 });
  expect(writes.map(({ condition }) => condition !== undefined)).toEqual([true, false]);
  const parts = items.map((item) => item['result'] as Uint8Array);
  expect(parts[0]).toHaveLength(350_000);
  expect(JSON.parse(inflateRawSync(Buffer.concat(parts)).toString()) === result).toBe(true);
});

test('idempotency: a result of up to 8 MB is decoded', () => {
  const [first] = recordResult(
    { tenant: 'acme', idempotency: { scope: 'scope', fingerprint: 'fingerprint' } },
    null,
    new Set(),
    now,
  ) as [{ readonly put: Item }];
  const decode = (bytes: number) =>
    decodeResult([{ ...first.put, result: deflateRawSync(JSON.stringify('x'.repeat(bytes - 2))) }]);
  expect(decode(8_000_000)).toHaveLength(7_999_998);
  expect(() => decode(8_000_001)).toThrow('cannot be inflated');
});

describe('job-limit', () => {
  /** Of a batch: such jobs need several pages. */
  const sweep = {
    type: 'sweep',
    kind: 'tag',
    isFirst: true,
    hasFound: false,
    position: 0,
    after: '',
  } as const;

  const jobs = (tenant: string, count: number, dueAt?: string): Write[] =>
    Array.from({ length: count }, () =>
      beginJob(
        { tenant },
        { ...sweep, ids: Array.from({ length: 25 }, () => randomUUID()) },
        { id: randomUUID(), dueAt },
      ),
    );

  async function begin(tenant: string, count: number, dueAt?: string): Promise<void> {
    for (let left = count; left > 0; left -= 100)
      await store.database().transact(jobs(tenant, Math.min(100, left), dueAt));
  }

  test('a tenant begins jobs up to the limit, whatever others have, and jobs begin further ones', async () => {
    const [unused, used] = [
      await createEntity(session, 'tag', fields),
      await createEntity(session, 'tag', fields),
    ];
    const task = { ...fields, priority: 'none', userId: null, projectId: null, tagIds: [used.entity.id] };
    const tasks = Array.from({ length: 101 }, () => ({ changes: [buildCreate('task', task, now)] }));
    await applyInBatches(session, tasks, 50);
    await begin(session.tenant, maxJobs - 10);
    await begin(`${session.tenant}0`, 100);
    // Each deletion has a second pass a minute later.
    await begin(session.tenant, 100, '3000-01-01T00:00:00.000Z');
    await begin(session.tenant, 100, new Date(now - 1).toISOString());
    await requireJobCapacity(session, jobs(session.tenant, 11, '3000-01-01T00:00:00.000Z'));
    await requireJobCapacity(session, jobs(session.tenant, 10));
    await expect(requireJobCapacity(session, jobs(session.tenant, 11))).rejects.toThrow(TooManyJobs);
    await begin(session.tenant, 10);
    await expect(deleteEntity(session, 'tag', used.entity.id)).rejects.toThrow(TooManyJobs);
    expect(await session.database.get(entityKey(session.tenant, 'tag', used.entity.id))).toBeDefined();
    // Its job is due later.
    await deleteEntity(session, 'tag', unused.entity.id);
    await applyChangeSet(session, { changes: [], writes: jobs(session.tenant, 1) });
  });

  test('a count ends after 10,000 jobs: so many second passes hide the jobs behind them', async () => {
    const fill = async (count: number, dueMs: number, more: object = {}) => {
      for (let number = 0; number < count; number += 1) {
        const beginning = { id: randomUUID(), dueAt: new Date(dueMs).toISOString() };
        const { put } = beginJob(session, { ...sweep, ids: [] }, beginning) as { put: Item };
        const item = { ...put, ...more, padding: '' };
        // A page of 1 MB has 1,000 of them.
        const padding = 'x'.repeat(1_048 - itemBytes(item));
        await store.table.putItem({ TableName: store.tableName, Item: { ...item, padding } });
      }
    };
    const more = jobs(session.tenant, 1);
    await fill(maxJobs, now - 1, { version: 2 });
    await fill(9_000, now - 2);
    await expect(requireJobCapacity(session, more)).rejects.toThrow(TooManyJobs);
    await fill(1_000, now - 2);
    await expect(requireJobCapacity(session, more)).resolves.toBeUndefined();
  });
});

test('an idempotency key can be used again after a day, although DynamoDB has not deleted its item yet', async () => {
  const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };
  const newId = async () => {
    const own = { ...store.session(session.tenant), idempotency };
    return (await createEntity(own, 'tag', fields)).entity.id;
  };
  const ids = [await newId(), await newId()];
  setTimeAndChance(new VirtualTime(2, now + 86_401_000));
  ids.push(await newId());
  expect(new Set(ids).size).toBe(2);
});

test('stored-entities readTexts reads an entity again whose text has changed meanwhile', async () => {
  const [first, second] = ['x'.repeat(500), 'y'.repeat(500)];
  const { id } = (await createEntity(session, 'tag', { ...fields, description: first })).entity;
  const listed = await readEntityItem(session, 'tag', id);
  await updateEntity(store.session(session.tenant), { kind: 'tag', id }, { description: second });
  const [whole] = await readTexts(store.session(session.tenant), [listed]);
  expect(whole).toMatchObject({ version: 2, entity: { description: second } });
});

test('stored-entities findEntity reads again when the text changed between the reads of the two items', async () => {
  const [first, second] = ['x'.repeat(500), 'y'.repeat(500)];
  const fields = { name: 'x', status: 'active', description: first };
  const { id } = (await createEntity(session, 'tag', fields)).entity;
  const { pk } = entityKey(session.tenant, 'tag', id);
  const [before] = await itemsOf(pk);
  await updateEntity(store.session(session.tenant), { kind: 'tag', id }, { description: second });
  const [, after] = await itemsOf(pk);
  const reader = store.session(session.tenant);
  const items = [before, after] as Item[];
  jest.spyOn(reader.database, 'query').mockResolvedValueOnce({ items, next: undefined });
  expect((await findEntity(reader, 'tag', id))?.entity.description).toBe(second);
});
