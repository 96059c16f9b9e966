import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { logPartition, recordPrefix } from '#functions/engine/model/change-log.ts';
import { entitySortKey, textSortKey } from '#functions/engine/model/keys.ts';
import { formats, type StoredItem } from '#functions/engine/model/stored-format.ts';
import { uniqueSortKey } from '#functions/engine/model/unique-value.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { rebuildLogs } from '#lib/audit/rebuild-logs.ts';
import { matchesPattern } from '#lib/cloud-assembly/event-pattern.ts';
import { UnitPace } from '#lib/hosting/unit-pace.ts';
import { kindOfItem, kindsInTable, lowestFormatsKey } from '#lib/rewrite/lowest-formats.ts';
import { rewriteTable } from '#lib/rewrite/rewrite-table.ts';
import { compactAll } from '../support/compaction.ts';
import { type InProcessService, startInProcessService } from '../support/in-process-service.ts';
import { ofType, synthesizeTemplates } from './stacks.ts';

/** A table of the release before, and the next one, which writes format 2 of these items. */

const firstRelease = structuredClone(formats);
const writtenAgain = ['entity', 'long text', 'unique value'] as const;

/** Lets this process be a release that reads two formats, and writes the second one. */
const beNextRelease = (...items: readonly StoredItem[]): void => {
  for (const item of items) Object.assign(formats[item], { reads: [1, 2], writes: 2 });
};

let service: InProcessService;

beforeEach(async () => {
  service = await startInProcessService();
});

afterEach(async () => {
  Object.assign(formats, structuredClone(firstRelease));
  await service.stop();
});

interface Body {
  readonly id: string;
  readonly cursor: string;
}

async function send(method: string, path: string, fields?: object): Promise<Body> {
  const content = fields && Buffer.from(JSON.stringify(fields));
  const headers = fields ? { 'content-type': 'application/json' } : {};
  const { status, text } = await service.request(method, path, headers, content);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text || '{}') as Body;
}

const rewrite = () =>
  rewriteTable(
    { client: service.table, tableName: service.table.tableName, segments: 2 },
    new UnitPace(1_000_000),
  );

/** Returns the items of some kinds that have a format. */
const formatsOf = (...kinds: readonly StoredItem[]) =>
  service.table
    .snapshot()
    .filter((item) => kinds.includes(kindOfItem(item) as StoredItem))
    .map(({ format = 1 }) => format);

const put = (Item: Item) => service.table.putItem({ TableName: service.table.tableName, Item });

const long = 'long '.repeat(200);

/** Creates entities, with long texts and subjects, changed, deleted and restored ones. @returns the paths of what callers see. */
async function fill(): Promise<readonly string[]> {
  const collections = ['tasks', 'tags', 'users', 'projects'];
  const feeds = [];
  for (const name of collections) {
    const { cursor } = await send('GET', `/v1/${name}/changes?since=now`);
    feeds.push(`/v1/${name}/changes`, `/v1/${name}/changes?since=${cursor}`);
  }
  const organizationId = (await send('POST', '/v1/organizations', { name: 'o' })).id;
  const projectId = (await send('POST', '/v1/projects', { name: 'p', organizationId, description: long })).id;
  const task = await send('POST', '/v1/tasks', { name: 'a', projectId, description: long });
  await send('PATCH', `/v1/tasks/${task.id}`, { name: 'b' });
  await send('POST', '/v1/users', { name: 'Ada', subject: 'ada' });
  for (const name of ['kept', 'deleted', 'restored']) {
    const tag = await send('POST', '/v1/tags', { name, description: long });
    if (name !== 'kept') await send('DELETE', `/v1/tags/${tag.id}`);
    if (name === 'restored') await send('POST', `/v1/tags/${tag.id}/restore`);
  }
  const database = new Database(service.table, service.table.tableName, new Deadline(300_000));
  await compactAll(database, 'public', 'tag');
  await service.pass(60_000);
  return [
    ...feeds,
    ...collections.flatMap((name) => [
      `/v1/${name}?sortBy=name`,
      `/v1/${name}?sortBy=createdAt&status=active`,
    ]),
    ...[`/v1/tasks/${task.id}`, `/v1/tasks/${task.id}/changes`, '/v1/tags/deleted'],
  ];
}

/** Returns what callers see: responses with their ETags. */
async function seen(paths: readonly string[]) {
  const responses = [];
  for (const path of paths) {
    const { status, headers, text } = await service.request('GET', path, {});
    responses.push({ path, status, etag: headers['etag'], body: JSON.parse(text) });
  }
  return responses;
}

const withoutFormat = (items: readonly Item[]) => items.map(({ format: _, ...item }) => item);

test('each kind of item with a format is recognized by its key', () => {
  const golden = (name: string): Item =>
    JSON.parse(readFileSync(join(__dirname, '../golden', `${name.replaceAll(' ', '-')}.json`), 'utf8'))
      .stored;
  expect(kindsInTable.map((name) => kindOfItem(golden(name)))).toEqual(kindsInTable);
});

test('writes entities, deleted ones too, long texts and unique values in the next format, and nobody sees it', async () => {
  const paths = await fill();
  const before = await seen(paths);
  expect(before.filter(({ status, body }) => status !== 200 || body.data?.length === 0)).toEqual([]);
  const items = service.table.snapshot();
  expect(new Set(formatsOf(...writtenAgain))).toEqual(new Set([1]));
  service.table.takeRecords();
  beNextRelease(...writtenAgain);
  const beganAt = service.now();
  const { written, lowest } = await rewrite();
  expect(written).toBe(formatsOf(...writtenAgain).length);
  expect(written).toBeGreaterThan(10);
  expect(new Set(formatsOf(...writtenAgain))).toEqual(new Set([2]));
  expect(lowest).toMatchObject({ entity: 2, 'long text': 2, 'unique value': 2, record: 1, manifest: 1 });
  const isOwn = ({ pk }: Item) => pk !== lowestFormatsKey.pk;
  // All other attributes are the same: versions, times, positions, keys of indexes and expiry.
  expect(withoutFormat(service.table.snapshot().filter(isOwn))).toEqual(withoutFormat(items));
  const record = service.table.snapshot().find((item) => !isOwn(item));
  expect(JSON.parse(String(record?.['lowest']))).toEqual({ beganAt: expect.any(Number), lowest });
  expect(JSON.parse(String(record?.['lowest'])).beganAt).toBeGreaterThanOrEqual(beganAt);
  expect(await seen(paths)).toEqual(before);
  // What reads the stream: jobs, compaction, events and announcements.
  const { templates } = await synthesizeTemplates({ eventBus: true });
  const patterns = ofType(templates.data.Resources, 'AWS::Lambda::EventSourceMapping').flatMap(
    ([, { Properties }]) =>
      ((Properties['FilterCriteria'] as { Filters: { Pattern: string }[] } | undefined)?.Filters ?? []).map(
        ({ Pattern }) => JSON.parse(Pattern),
      ),
  );
  const records = service.table.takeRecords();
  expect(records).toHaveLength(written + 1);
  expect(patterns.length).toBeGreaterThan(2);
  expect(records.filter((one) => patterns.some((pattern) => matchesPattern(pattern, one)))).toEqual([]);
  expect(await rewrite()).toMatchObject({ written: 0, lowest });
  const audited = await auditTable(service.table, service.table.tableName, { pauseMs: 0 });
  expect(audited).toMatchObject({ logs: [], texts: [], subjects: [], malformed: [], orphans: [] });
});

test('gives entities the keys of an index that was added since they were written', async () => {
  await fill();
  const keys = () => service.table.snapshot().map(({ pk, sk, byStatus }) => [pk, sk, byStatus]);
  const before = keys();
  for (const { byStatus: _, ...item } of service.table.snapshot().filter(({ sk }) => sk === entitySortKey))
    await put(item as Item);
  expect(keys()).not.toEqual(before);
  await rewrite();
  expect(keys().filter(([pk]) => pk !== lowestFormatsKey.pk)).toEqual(before);
});

/** Calls a function before the first conditional put of an item with a sort key that is not deleted. */
function beforePutOf(sortKey: string, act: (item: Item) => Promise<void>): void {
  let isDone = false;
  const { putItem } = service.table;
  jest.spyOn(service.table, 'putItem').mockImplementation(async function (
    this: typeof service.table,
    input,
    signal,
  ) {
    if (!isDone && input.Item?.['sk'] === sortKey && input.Item['deletedAt'] === undefined) {
      isDone = true;
      await act(input.Item as Item);
    }
    return putItem.call(service.table, input, signal);
  });
}

test.each<[what: string, sortKey: string, change: (item: Item) => object]>([
  ['an entity', entitySortKey, ({ version }) => ({ name: 'changed', version: Number(version) + 1 })],
  ['a long text', textSortKey, () => ({ text: 'changed' })],
  ['the expiry of a long text', textSortKey, () => ({ expiresAt: 4_000_000_000 })],
  ['a unique value', uniqueSortKey, () => ({ entityId: 'changed' })],
])(
  'a change of %s during the pass is kept, also when a release makes it that writes the format of before',
  async (_, sortKey, change) => {
    await fill();
    beNextRelease(...writtenAgain);
    let changed: Item | undefined;
    beforePutOf(sortKey, async (item) => {
      const { format: _, ...former } = item;
      changed = { ...former, ...change(item) } as Item;
      await put(changed);
    });
    await rewrite();
    const stored = service.table.snapshot().find(({ pk, sk }) => pk === changed?.pk && sk === changed.sk);
    expect(stored).toEqual({ ...changed, format: 2 });
  },
);

test('an entity that such a release deletes during the pass is written again, deleted', async () => {
  await fill();
  let id = '';
  beNextRelease('entity');
  beforePutOf(entitySortKey, async (item) => {
    id = String(item['id']);
    Object.assign(formats, structuredClone(firstRelease));
    const { format: _, ...former } = item;
    await put(former as Item);
    await send('DELETE', `/v1/${item['kind']}s/${id}`);
    beNextRelease('entity');
  });
  await rewrite();
  const stored = service.table.snapshot().find(({ pk, sk }) => pk.endsWith(id) && sk === entitySortKey);
  expect(stored).toMatchObject({ deletedAt: expect.any(Number), format: 2 });
});

test('an item that is removed during the pass does not come back', async () => {
  await fill();
  beNextRelease('long text');
  let removed: Item | undefined;
  beforePutOf(textSortKey, async (item) => {
    removed = item;
    const { pk, sk } = item;
    await service.table.deleteItem({ TableName: service.table.tableName, Key: { pk, sk } });
  });
  await rewrite();
  expect(service.table.snapshot().filter(({ pk, sk }) => pk === removed?.pk && sk === textSortKey)).toEqual(
    [],
  );
});

test('records the formats of columns and records as they are, and of rebuilt columns the next one', async () => {
  await fill();
  beNextRelease('manifest', 'record');
  expect((await rewrite()).lowest).toMatchObject({ manifest: 1, record: 1, entity: 1 });
  await rebuildLogs(service.table, service.table.tableName);
  expect((await rewrite()).lowest).toMatchObject({ manifest: 2, record: 1 });
  // They expire.
  const isRecord = ({ pk, sk }: Item) => pk === logPartition('public', 'tag') && sk.startsWith(recordPrefix);
  expect(service.table.snapshot().some(isRecord)).toBe(true);
});

test('records nothing when it finds a format that the release does not read', async () => {
  await fill();
  const [entity] = service.table.snapshot().filter(({ sk }) => sk === entitySortKey);
  await put({ ...(entity as Item), format: 99 });
  await expect(rewrite()).rejects.toThrow('The format of a stored item (entity) is 99');
  expect(service.table.snapshot().filter(({ pk }) => pk === lowestFormatsKey.pk)).toEqual([]);
});
