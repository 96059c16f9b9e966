import { decodeCursor, encodeCursor } from '#functions/store/lists/changes/cursor.ts';
import { bytesItem, encodedItems, itemKey } from '#functions/store/lists/engine/dynamodb-storage.ts';
import {
  decodeManifest,
  emptyManifest,
  encodeManifest,
  type ItemName,
} from '#functions/store/lists/engine/format/manifest.ts';
import { decodePlace, encodePlace } from '#functions/store/lists/place-cursor.ts';
import { decodeRecord, recordWrites } from '#functions/store/model/change-log.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { formats, type StoredItem } from '#functions/store/model/formats.ts';
import { decodeEntity, encodeEntity, encodeText, withText } from '#functions/store/model/item-codec.ts';
import { buildJobWrite, type Job, requireReadableJob } from '#functions/store/model/job.ts';
import { Digest } from '#functions/store/model/long-text.ts';
import { decodePace, encodePace, newPace } from '#functions/store/model/pace.ts';
import {
  decodeReminder,
  encodeReminder,
  type Reminder,
  requestReminder,
} from '#functions/store/model/reminder.ts';
import { encodeSubject, userOfSubject } from '#functions/store/model/subject.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { findRecordedResult, recordResult } from '#functions/store/unit-of-work/idempotency.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';

/** Every stored item: what this release writes, and how it reads it. */

const id = '01890000-0000-7000-8000-000000000001';
const nowMs = 1_770_000_000_000;

const task = {
  kind: 'task' as const,
  version: 1,
  entity: {
    id,
    name: 'Build',
    status: 'open',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-01T00:00:00.000Z',
  },
};
const withDigest = { ...task, entity: { ...task.entity, description: new Digest('beginning', 500) } };

const job: Job = {
  id,
  tenant: 'acme',
  version: 1,
  dueAt: '2026-01-01T00:00:00.000Z',
  lease: { owner: 'one', until: '2026-01-01T00:00:00.000Z' },
  work: { type: 'sweep', kind: 'task', id, final: false, relation: 0 },
};

const idempotency = { scope: 'scope', fingerprint: 'fingerprint' };

/** Returns a session whose database has one item. */
const sessionWith = (item: Item): Session =>
  ({
    tenant: 'acme',
    idempotency,
    database: { get: async () => item, getMany: async () => [], time: async () => nowMs },
  }) as unknown as Session;

const putOf = (writes: readonly object[]): Item => (writes[0] as { put: Item }).put;

const hash = Buffer.alloc(8);
const changesCursor = { by: 'walk', from: 1, generation: 0, lastId: id } as const;
const listQuery = { filters: [], sort: [] };

interface Stored {
  readonly item: Item;
  readonly read: (item: Item) => unknown;
}

const bytesOf = (name: ItemName): Stored => ({
  item: bytesItem(itemKey('acme', 'task', name), name, Buffer.of(1)),
  read: (item) => encodedItems([item]),
});

const items: Readonly<Record<Exclude<StoredItem, `cursor ${string}`>, Stored>> = {
  entity: { item: encodeEntity('acme', task, nowMs), read: decodeEntity },
  'long text': { item: encodeText('acme', task, 'text'), read: (item) => withText(withDigest, item) },
  subject: { item: encodeSubject('acme', 'ada', id), read: userOfSubject },
  'idempotency record': {
    item: putOf(recordResult(sessionWith({ pk: '', sk: '' }), { data: 1 }, new Set(), nowMs)),
    read: (item) => findRecordedResult(sessionWith(item)),
  },
  job: { item: putOf([buildJobWrite(undefined, job)]), read: requireReadableJob },
  pace: { item: encodePace(newPace('acme')), read: decodePace },
  reminder: {
    item: encodeReminder(requestReminder(undefined, { tenant: 'acme', kind: 'task' }, nowMs) as Reminder),
    read: decodeReminder,
  },
  record: { item: putOf(recordWrites('acme', [{ after: task }], nowMs)), read: decodeRecord },
  manifest: {
    item: { pk: 'acme#task#log', sk: '~', ...encodeManifest(emptyManifest) },
    read: decodeManifest,
  },
  ids: bytesOf('1-a.0/ids0'),
  column: bytesOf('1-a.0/1-a/name'),
  bucket: bytesOf('1-a.0/1-a/projectId.0'),
  'small segment': bytesOf('1-a.0/all'),
  patch: bytesOf('patch:1-a/all'),
  'out-of-order rows': bytesOf('out-of-order:1-a/0'),
  step: bytesOf('steps/000000000001#1-a'),
};

const cases = Object.entries(items) as [StoredItem, Stored][];

const errorOf = async (read: () => unknown): Promise<unknown> => {
  try {
    await read();
    return undefined;
  } catch (error) {
    return error;
  }
};

test.each(cases)('%s: this release reads what it writes', async (_, { item, read }) => {
  expect(await errorOf(() => read(item))).toBeUndefined();
});

test.each(cases.filter(([name]) => name !== 'record'))(
  '%s: another format is an error that names both',
  async (name, { item, read }) => {
    const error = await errorOf(() => read({ ...item, format: 99 }));
    expect(error).toEqual(
      new UnknownFormat(
        `The format of a stored item (${name}) is 99, and this release reads ${formats[name].reads.join(' and ')}.`,
      ),
    );
  },
);

test.each(cases.filter(([name]) => name !== 'entity'))(
  '%s: an unknown field is an error that names it',
  async (name, { item, read }) => {
    const error = await errorOf(() => read({ ...item, shards: 2 }));
    expect(error).toEqual(
      new UnknownFormat(`A stored item (${name}) has the field "shards", which this release does not know.`),
    );
  },
);

test('a job is not read whose lease or work has an unknown field, or whose work is of an unknown type', async () => {
  const read = (more: object) => errorOf(() => requireReadableJob({ ...items.job.item, ...more }));
  const unknown = (field: string) =>
    new UnknownFormat(`A stored item (job) has the field "${field}", which this release does not know.`);
  expect(await read({ lease: { ...job.lease, host: 'a' } })).toEqual(unknown('host'));
  expect(await read({ work: { ...job.work, depth: 1 } })).toEqual(unknown('depth'));
  expect(await read({ work: { type: 'import' } })).toEqual(
    new UnknownFormat('A job has work of the type "import".'),
  );
});

test('a reminder is not read whose comparison has an unknown field, or which notes something else than records', async () => {
  const read = (more: object) => errorOf(() => decodeReminder({ ...items.reminder.item, ...more }));
  expect(await read({ compared: { at: 1, rows: 2 } })).toEqual(
    new UnknownFormat('A stored item (reminder) has the field "rows", which this release does not know.'),
  );
  expect(await read({ late: ['s#1'] })).toEqual(new UnknownFormat('A reminder notes a late record "s#1".'));
});

test.each([
  ['the feed', encodeCursor(hash, changesCursor), (text: string) => decodeCursor(hash, text)],
  [
    'a list',
    encodePlace('task', listQuery, { values: [], id }),
    (text: string) => decodePlace('task', listQuery, text),
  ],
])('a cursor of %s with another format is not a cursor of this service', (_, cursor, decode) => {
  const bytes = Buffer.from(cursor, 'base64url');
  bytes[0] = 99;
  expect(() => decode(cursor)).not.toThrow();
  expect(() => decode(bytes.toString('base64url'))).toThrow('is not a cursor of this service');
});

test('every format that is written is read', () => {
  const wrong = Object.entries(formats).filter(
    ([, { reads, writes }]) => !(reads as readonly number[]).includes(writes),
  );
  expect(wrong).toEqual([]);
});
