import { randomUUID } from 'node:crypto';
import { DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { defaultSizes } from '#functions/store/lists/engine/compaction/sizes.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { logPartition, manifestSortKey, recordPrefix } from '#functions/store/model/change-log.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { encodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { rebuildLogs } from '#lib/audit/change-logs.ts';
import { compactAll } from '#test/support/compaction.ts';
import { listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

const compare = async () => (await auditTable(store.client, store.tableName, { pauseMs: 0 })).logs;

const rebuild = () => rebuildLogs(store.client, store.tableName, { marginMs: 0 });

const newTag = (tenant: string, name: string): Promise<StoredEntity> =>
  createEntity(store.session(tenant), 'tag', { name, status: 'active', organizationId: null });

async function names(tenant: string): Promise<string[]> {
  const query = listQuery({ sort: sortedBy('name'), limit: 100 });
  return (await listEntities(store.session(tenant), 'tag', query)).entities.map(({ name }) => name);
}

/** Writes an entity without a record, as a restored table may have it. */
const putWithoutRecord = ({ kind, entity, version }: StoredEntity, tenant: string, name: string) => {
  const Item = encodeEntity(tenant, { kind, entity: { ...entity, name }, version: version + 1 }, Date.now());
  return store.client.send(new PutCommand({ TableName: store.tableName, Item }));
};

test('finds nothing in logs that were compacted, and in logs that were not', async () => {
  const compacted = randomUUID();
  await newTag(compacted, 'a');
  await compactAll(store.database(), compacted, 'tag');
  await newTag(compacted, 'b');
  await newTag(randomUUID(), 'c');
  expect(await compare()).toEqual([]);
});

test('finds a row that differs from its entity and a row without an entity, and the rebuild corrects them', async () => {
  const tenant = randomUUID();
  const changed = await newTag(tenant, 'a');
  const deleted = await newTag(tenant, 'b');
  await compactAll(store.database(), tenant, 'tag');
  await putWithoutRecord(changed, tenant, 'z');
  const Key = { ...entityKey(tenant, 'tag', deleted.entity.id) };
  await store.client.send(new DeleteCommand({ TableName: store.tableName, Key }));
  const ids = [changed.entity.id, deleted.entity.id];
  expect(await compare()).toEqual([{ log: logPartition(tenant, 'tag'), ids }]);
  await rebuild();
  expect(await compare()).toEqual([]);
  expect(await names(tenant)).toEqual(['z']);
});

test('finds a total that differs from the rows, and the rebuild corrects it', async () => {
  const tenant = randomUUID();
  await newTag(tenant, 'a');
  await compactAll(store.database(), tenant, 'tag');
  const log = openLog(store.database(), tenant, 'tag');
  const { manifest = emptyManifest } = await log.readHead(Date.now());
  const segments = manifest.segments.map((segment) => ({ ...segment, deleted: segment.deleted - 1 }));
  expect(await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments })).toBe(true);
  const found = { log: logPartition(tenant, 'tag'), ids: [], wrongTotal: 2 };
  expect(await compare()).toEqual([found]);
  await rebuild();
  expect(await compare()).toEqual([]);
});

test('rebuilds the rows of a log of which no entity is left', async () => {
  const tenant = randomUUID();
  const { entity } = await newTag(tenant, 'a');
  await compactAll(store.database(), tenant, 'tag');
  const Key = { ...entityKey(tenant, 'tag', entity.id) };
  await store.client.send(new DeleteCommand({ TableName: store.tableName, Key }));
  const log = logPartition(tenant, 'tag');
  expect(await compare()).toEqual([{ log, ids: [entity.id] }]);
  await rebuild();
  expect(await compare()).toEqual([]);
});

test('lists are right after a rebuild when the clock of a writer was ahead', async () => {
  const tenant = randomUUID();
  const ahead = Date.now() + 500;
  const clock = jest.spyOn(Date, 'now').mockReturnValue(ahead);
  await newTag(tenant, 'a');
  clock.mockRestore();
  await rebuild();
  expect(await names(tenant)).toEqual(['a']);
  expect(await compare()).toEqual([]);
});

test('finds nothing when a field is newer than the columns', async () => {
  const tenant = randomUUID();
  const session = store.session(tenant);
  const fields = { name: 'a', status: 'active', organizationId: null };
  const { entity } = await createEntity(session, 'tag', fields);
  await createEntity(session, 'tag', fields);
  await compactAll(store.database(), tenant, 'tag');
  await updateEntity(session, { kind: 'tag', id: entity.id }, { added: 'x' });
  await compactAll(store.database(), tenant, 'tag', { ...defaultSizes, maxShareOfColumn: 1 });
  expect(await compare()).toEqual([]);
});

test('lists stay right when entities change after a rebuild', async () => {
  const tenant = randomUUID();
  const first = await newTag(tenant, 'a');
  await newTag(tenant, 'b');
  await rebuild();
  await updateEntity(store.session(tenant), { kind: 'tag', id: first.entity.id }, { name: 'c' });
  await newTag(tenant, 'd');
  expect(await names(tenant)).toEqual(['b', 'c', 'd']);
  await compactAll(store.database(), tenant, 'tag');
  expect(await names(tenant)).toEqual(['b', 'c', 'd']);
  expect(await compare()).toEqual([]);
});

describe('a record of a change that the table does not have', () => {
  /** Makes a change of an entity, and puts the entity back as it was. The table then has the record of the change only. */
  async function withoutChange(
    tenant: string,
    { entity: { id } }: StoredEntity,
    change: () => Promise<unknown>,
  ) {
    const Key = { ...entityKey(tenant, 'tag', id) };
    const { Item } = await store.client.send(new GetCommand({ TableName: store.tableName, Key }));
    await change();
    await store.client.send(new PutCommand({ TableName: store.tableName, Item }));
  }

  /** Checks that rows are wrong, that they are right after the rebuild, and also after further steps of compaction. */
  async function checkRebuild(tenant: string, ids: readonly string[]): Promise<void> {
    expect(await compare()).toEqual([{ log: logPartition(tenant, 'tag'), ids }]);
    await rebuild();
    expect(await compare()).toEqual([]);
    await compactAll(store.database(), tenant, 'tag');
    expect(await compare()).toEqual([]);
  }

  test('is not taken for late after the rebuild when it deletes an entity', async () => {
    const tenant = randomUUID();
    const tag = await newTag(tenant, 'a');
    const { id } = tag.entity;
    await withoutChange(tenant, tag, () => deleteEntity(store.session(tenant), 'tag', id));
    await checkRebuild(tenant, [id]);
    expect(await names(tenant)).toEqual(['a']);
  });

  test('is not taken for late after the rebuild when it changes an entity', async () => {
    const tenant = randomUUID();
    const tag = await newTag(tenant, 'a');
    const { id } = tag.entity;
    const session = store.session(tenant);
    await withoutChange(tenant, tag, () => updateEntity(session, { kind: 'tag', id }, { name: 'b' }));
    await checkRebuild(tenant, [id]);
    expect(await names(tenant)).toEqual(['a']);
  });

  test('is found, and not taken for late after the rebuild, when it creates the first entity of a log', async () => {
    const tenant = randomUUID();
    const { id } = (await newTag(tenant, 'a')).entity;
    const Key = { ...entityKey(tenant, 'tag', id) };
    await store.client.send(new DeleteCommand({ TableName: store.tableName, Key }));
    await checkRebuild(tenant, [id]);
    expect(await names(tenant)).toEqual([]);
  });
});

describe('a format that this release does not read', () => {
  /** Changes an item of a log as a later release may have written it. */
  async function rewrite(Key: { pk: string; sk: string }, more: object): Promise<void> {
    const { Item } = await store.client.send(new GetCommand({ TableName: store.tableName, Key }));
    await store.client.send(new PutCommand({ TableName: store.tableName, Item: { ...Item, ...more } }));
  }

  async function withManifest(tenant: string): Promise<{ pk: string; sk: string }> {
    await newTag(tenant, 'a');
    await newTag(tenant, 'b');
    await compactAll(store.database(), tenant, 'tag');
    await newTag(tenant, 'c');
    return { pk: logPartition(tenant, 'tag'), sk: manifestSortKey };
  }

  test('of a manifest is reported, stops lists and compaction, and a rebuild is the way out', async () => {
    const tenant = randomUUID();
    const key = await withManifest(tenant);
    await rewrite(key, { format: 99 });
    const unknown = 'The format of a stored item (manifest) is 99, and this release reads 6.';
    await expect(names(tenant)).rejects.toThrow(new UnknownFormat(unknown));
    // Records live for a month: compaction from them alone would lose all older rows.
    await expect(compactAll(store.database(), tenant, 'tag')).rejects.toThrow(new UnknownFormat(unknown));
    expect(await compare()).toEqual([{ log: key.pk, ids: [], unreadable: expect.stringContaining(unknown) }]);
    await rebuild();
    expect(await compare()).toEqual([]);
    expect(await names(tenant)).toEqual(['a', 'b', 'c']);
    await newTag(tenant, 'd');
    await compactAll(store.database(), tenant, 'tag');
    expect(await names(tenant)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('of a record is reported, and a rebuild is the way out when the record is settled', async () => {
    const tenant = randomUUID();
    await withManifest(tenant);
    const { Items = [] } = await store.client.send(
      new QueryCommand({
        TableName: store.tableName,
        KeyConditionExpression: 'pk = :log and begins_with(sk, :record)',
        ExpressionAttributeValues: { ':log': logPartition(tenant, 'tag'), ':record': recordPrefix },
      }),
    );
    const { pk, sk } = Items.at(-1) as { pk: string; sk: string };
    await rewrite({ pk, sk }, { e: Buffer.of(99) });
    const unknown = 'The format of a stored item (record) is 49, and this release reads 3.';
    await expect(names(tenant)).rejects.toThrow(new UnknownFormat(unknown));
    expect(await compare()).toMatchObject([{ unreadable: expect.stringContaining(unknown) }]);
    await rebuild();
    // Lists read the records of the last seconds although they are below the watermark.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    expect(await names(tenant)).toEqual(['a', 'b', 'c']);
    clock.mockRestore();
    await store.client.send(new DeleteCommand({ TableName: store.tableName, Key: { pk, sk } }));
  });

  test('of a column is reported, and a rebuild is the way out', async () => {
    const tenant = randomUUID();
    const { pk } = await withManifest(tenant);
    const { Items = [] } = await store.client.send(new ScanCommand({ TableName: store.tableName }));
    const isSegment = (item: Record<string, unknown>): boolean =>
      item['sk'] === 'all' && String(item['pk']).startsWith(`${tenant}#`);
    const { pk: segment, sk } = Items.find(isSegment) as { pk: string; sk: string };
    await rewrite({ pk: segment, sk }, { format: 99 });
    await expect(names(tenant)).rejects.toThrow(/small segment\) is 99/);
    expect(await compare()).toMatchObject([{ log: pk, unreadable: expect.stringContaining('is 99') }]);
    await rebuild();
    expect(await names(tenant)).toEqual(['a', 'b', 'c']);
  });
});

test('finds a log of which a record is missing, and rebuilds it', async () => {
  const tenant = randomUUID();
  const { entity } = await newTag(tenant, 'a');
  await updateEntity(store.session(tenant), { kind: 'tag', id: entity.id }, { name: 'b' });
  const log = logPartition(tenant, 'tag');
  const { Items = [] } = await store.client.send(
    new QueryCommand({
      TableName: store.tableName,
      KeyConditionExpression: 'pk = :log and begins_with(sk, :record)',
      ExpressionAttributeValues: { ':log': log, ':record': recordPrefix },
    }),
  );
  const [first] = Items;
  const Key = { pk: first?.['pk'], sk: first?.['sk'] };
  await store.client.send(new DeleteCommand({ TableName: store.tableName, Key }));
  expect(await compare()).toEqual([{ log, ids: [], unreadable: expect.stringContaining('is missing') }]);
  await rebuild();
  expect(await compare()).toEqual([]);
  expect(await names(tenant)).toEqual(['b']);
});

test('finds a row that differs beside a log that cannot be read, whose rows change the same checksums', async () => {
  const [broken, other] = [randomUUID(), randomUUID()];
  for (const name of ['a', 'b', 'c']) await newTag(broken, name);
  const changed = await newTag(other, 'a');
  await newTag(other, 'b');
  for (const tenant of [broken, other]) await compactAll(store.database(), tenant, 'tag');
  const Key = { pk: logPartition(broken, 'tag'), sk: manifestSortKey };
  const { Item } = await store.client.send(new GetCommand({ TableName: store.tableName, Key }));
  await store.client.send(new PutCommand({ TableName: store.tableName, Item: { ...Item, format: 99 } }));
  await putWithoutRecord(changed, other, 'z');
  const found = await compare();
  expect(found).toContainEqual({ log: Key.pk, ids: [], unreadable: expect.stringContaining('is 99') });
  expect(found).toContainEqual({ log: logPartition(other, 'tag'), ids: [changed.entity.id] });
  await rebuild();
  expect(await compare()).toEqual([]);
});
