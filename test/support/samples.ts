/** A sample of each stored item, as the code writes it, and how the code reads it. */
import { decodeHistoryCursor, encodeHistoryCursor } from '#functions/store/entities/history-cursor.ts';
import { decodeCursor, encodeCursor } from '#functions/store/lists/changes/cursor.ts';
import { decodeDeletedPlace, encodeDeletedPlace } from '#functions/store/lists/deleted-cursor.ts';
import { decodeStep, encodeStep } from '#functions/store/lists/engine/compaction/delete-garbage.ts';
import { bytesItem, encodedItems, itemKey } from '#functions/store/lists/engine/dynamodb-storage.ts';
import { bucketOf, encodeBuckets } from '#functions/store/lists/engine/format/buckets.ts';
import {
  buildColumn,
  type Column,
  columnValues,
  encodeColumn,
} from '#functions/store/lists/engine/format/column.ts';
import { decodeItem } from '#functions/store/lists/engine/format/decode-item.ts';
import { chunkRows, encodeIdChunks } from '#functions/store/lists/engine/format/ids.ts';
import {
  decodeManifest,
  encodeManifest,
  type ItemName,
  type Manifest,
} from '#functions/store/lists/engine/format/manifest.ts';
import { encodeRows } from '#functions/store/lists/engine/format/out-of-order-rows.ts';
import { encodePatch } from '#functions/store/lists/engine/format/patch.ts';
import { encodeSmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { decodePlace, encodePlace } from '#functions/store/lists/place-cursor.ts';
import { decodeRecord, recordWrites, stampPrefix } from '#functions/store/model/change-log.ts';
import type { StoredItem } from '#functions/store/model/formats.ts';
import { decodeEntity, encodeEntity, encodeText, withText } from '#functions/store/model/item-codec.ts';
import { buildJobWrite, decodeJob, type Job, requireReadableJob } from '#functions/store/model/job.ts';
import { Digest, digestText } from '#functions/store/model/long-text.ts';
import { decodePace, encodePace, newPace } from '#functions/store/model/pace.ts';
import { fieldNames } from '#functions/store/model/record-codec.ts';
import { decodeReminder, encodeReminder, noteLate } from '#functions/store/model/reminder.ts';
import { encodeSubject, userOfSubject } from '#functions/store/model/subject.ts';
import { words } from '#functions/store/model/value-codec.ts';
import type { Item, Write } from '#functions/store/model/writes.ts';
import { decodeResult, recordResult } from '#functions/store/unit-of-work/idempotency.ts';

type Stored = Readonly<Record<string, unknown>>;

export interface Sample {
  /** The item, or for a cursor an object with its text. */
  readonly stored: Stored;
  /** Returns what the code reads. @throws UnknownFormat, InvalidCursor. */
  readonly read: (stored: Stored) => unknown;
}

const nowMs = 1_770_000_000_000;
const time = new Date(nowMs).toISOString();

const idOf = (number: number): string => `01890000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const id = idOf(1);

const task = {
  kind: 'task' as const,
  version: 3,
  stamp: nowMs - 1_000,
  entity: {
    id,
    name: 'Build',
    status: 'open',
    description: 'x'.repeat(401),
    tagIds: [idOf(2), idOf(3)],
    projectId: idOf(4),
    createdAt: time,
    updatedAt: time,
  },
};
const digest = new Digest(digestText(task.entity.description));

const putOf = (writes: readonly Write[]): Item => (writes[0] as Extract<Write, { readonly put: Item }>).put;

const itemOf = (item: Item, read: (item: Item) => unknown): Sample => ({
  stored: item,
  read: (stored) => read(stored as Item),
});

const bytesOf = (name: ItemName, bytes: Uint8Array, read: (item: Item) => unknown): Sample =>
  itemOf(bytesItem(itemKey('acme', 'task', name), name, bytes), read);

/** Returns what the bytes of an item hold. */
const decoded = (name: ItemName, item: Item) =>
  decodeItem(name, encodedItems([item]).values().next().value as Uint8Array).value;

const columnName: ItemName = '1-a.0/1-a/name';
const bucketName: ItemName = '1-a.0/1-a/projectId.0';
const smallName: ItemName = '1-a.0/all';
const patchName: ItemName = 'patch:1-a/all';
const outOfOrderName: ItemName = 'out-of-order:1-a/0';
const stepName: ItemName = 'steps/000000000001#1-a';
const idsName: ItemName = '1-a.0/ids0';

/** All values that have a number in records, and one of each other type. */
const values = [
  ...words,
  null,
  '',
  'a text',
  'Ä, \u{1F600}',
  idOf(5),
  `${idOf(6)},${idOf(7)}`,
  time,
  '2026-01-31',
];

/** Records with each numbered field, and with each value. */
const records = [
  ...fieldNames.map((field) => ({ [field]: 'a' })),
  ...values.map((value) => ({ unnumbered: value })),
];

const manifest: Manifest = {
  version: 9,
  watermark: nowMs,
  absorbed: [`${stampPrefix(nowMs + 1)}AAAAAA`],
  newestStamps: { 30: nowMs },
  generation: 7,
  segments: [
    {
      id: '1-a.0',
      first: id,
      last: idOf(300),
      rows: 300,
      deleted: 2,
      columns: { name: '1-a', projectId: '2-b' },
      buckets: { projectId: 2 },
      patched: { name: 5 },
      bytes: 1_000,
      outOfOrder: 3,
    },
    {
      id: '3-c.0',
      first: idOf(301),
      last: idOf(302),
      rows: 2,
      deleted: 0,
      columns: { name: '3-c' },
      buckets: {},
      patched: {},
      bytes: 100,
      isSmall: true,
    },
  ],
  patches: [
    { step: '4-d', values: 5, bytes: 100 },
    { step: '5-e', values: 500, bytes: 9_000, items: { name: 2 } },
  ],
  outOfOrder: [{ name: 'out-of-order:6-f/0', rows: 3, bytes: 100 }],
};

const job: Job = {
  id,
  tenant: 'acme',
  actor: 'ada',
  version: 2,
  dueAt: time,
  steps: 4,
  lease: { owner: 'one', until: time },
  work: { type: 'sweep', kind: 'project', id, final: true, relation: 1 },
};

const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };
const hash = Buffer.alloc(8, 1);
const changesCursor = { by: 'walk', from: nowMs, generation: 3, lastId: id } as const;
const listQuery = { filters: [], sort: [{ field: 'name', direction: 'asc' }] } as const;

export const samples: Readonly<Record<StoredItem, Sample>> = {
  entity: itemOf(encodeEntity('acme', task, nowMs), (item) => {
    const { entity, ...stored } = decodeEntity(item);
    const { description, ...fields } = entity;
    return { ...stored, fields, text: description instanceof Digest ? description.text : description };
  }),
  'long text': itemOf(encodeText('acme', task, 'x'.repeat(401)), (item) =>
    withText({ ...task, entity: { ...task.entity, description: digest } }, item),
  ),
  subject: itemOf(encodeSubject('acme', 'ada', id), userOfSubject),
  'idempotency record': itemOf(
    putOf(recordResult({ tenant: 'acme', idempotency }, { data: 1 }, new Set(), nowMs)),
    (item) => decodeResult([item]),
  ),
  job: itemOf(putOf([buildJobWrite(undefined, job)]), (item) => {
    requireReadableJob(item);
    return decodeJob(item);
  }),
  pace: itemOf(encodePace({ ...newPace('acme'), version: 2, freeAt: nowMs, slowdown: 4 }), decodePace),
  reminder: itemOf(
    encodeReminder(
      noteLate(undefined, { tenant: 'acme', kind: 'task' }, { keys: [`${stampPrefix(nowMs)}AAAAAA`], nowMs }),
    ),
    decodeReminder,
  ),
  record: itemOf(
    {
      ...putOf(
        recordWrites(
          'acme',
          records.map((more, number) => ({
            before: { ...task, entity: { ...task.entity, id: idOf(number) } },
            after: { ...task, version: 4, entity: { ...task.entity, id: idOf(number), ...more } },
          })),
          nowMs,
          { actor: 'ada' },
        ),
      ),
      sk: `${stampPrefix(nowMs)}AAAAAA`,
    },
    decodeRecord,
  ),
  manifest: itemOf({ pk: 'acme#task#log', sk: '~', ...encodeManifest(manifest) }, decodeManifest),
  ids: bytesOf(idsName, encodeIdChunks([id, idOf(2)]).chunks[0] as Buffer, (item) => [
    (decoded(idsName, item) as Buffer).toString('hex'),
    chunkRows,
  ]),
  column: bytesOf(columnName, encodeColumn(buildColumn([...values, undefined])), (item) =>
    columnValues(decoded(columnName, item) as Column),
  ),
  bucket: bytesOf(
    bucketName,
    encodeBuckets(buildColumn([id, null, undefined, idOf(2), id]), 1)[0] as Buffer,
    (item) => [decoded(bucketName, item), bucketOf(id, 1_000)],
  ),
  'small segment': bytesOf(
    smallName,
    encodeSmallSegment([id, idOf(2)], new Map([['name', ['a', undefined]]])),
    (item) => {
      const { ids, columns } = decoded(smallName, item) as {
        readonly ids: Buffer;
        readonly columns: ReadonlyMap<string, Column>;
      };
      return [ids.toString('hex'), [...columns].map(([field, column]) => [field, columnValues(column)])];
    },
  ),
  patch: bytesOf(
    patchName,
    encodePatch(
      new Map([
        [
          '1-a.0',
          new Map([
            [
              'name',
              new Map([
                [3, 'a'],
                [9, undefined],
              ]),
            ],
          ]),
        ],
      ]),
    ),
    (item) => decoded(patchName, item),
  ),
  'out-of-order rows': bytesOf(
    outOfOrderName,
    encodeRows([
      { id, version: 3, after: { name: 'a', projectId: null } },
      { id: idOf(2), version: 1 },
    ]),
    (item) => decoded(outOfOrderName, item),
  ),
  step: bytesOf(stepName, encodeStep({ beganAt: nowMs, names: [smallName] }), (item) =>
    decodeStep(encodedItems([item]).get(stepName) as Uint8Array),
  ),
  'cursor of changes': {
    stored: { cursor: encodeCursor(hash, changesCursor) },
    read: ({ cursor }) => decodeCursor(hash, String(cursor)),
  },
  'cursor of a history': {
    stored: { cursor: encodeHistoryCursor({ kind: 'task', id }, nowMs) },
    read: ({ cursor }) => decodeHistoryCursor({ kind: 'task', id }, String(cursor)),
  },
  'cursor of deleted entities': {
    stored: { cursor: encodeDeletedPlace('task', { deletedAt: nowMs, rootId: idOf(2), id }) },
    read: ({ cursor }) => decodeDeletedPlace('task', String(cursor)),
  },
  'cursor of a list': {
    stored: { cursor: encodePlace('task', listQuery, { values: ['a'], id }) },
    read: ({ cursor }) => decodePlace('task', listQuery, String(cursor)),
  },
};
