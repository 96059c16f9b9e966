/**
 * Golden items: one of each stored format, in `test/golden`, with what it decodes to. They never change while their format has its number. An item in
 * another format, or with an unknown field, is an error that names it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeStep } from '#functions/engine/columns/compact/delete-garbage.ts';
import { encodedItems } from '#functions/engine/columns/dynamodb-storage.ts';
import { bucketOf } from '#functions/engine/columns/format/buckets.ts';
import { type Column, columnValues } from '#functions/engine/columns/format/column.ts';
import { decodeItem } from '#functions/engine/columns/format/decode-item.ts';
import { chunkRows } from '#functions/engine/columns/format/ids.ts';
import { placeholdersOf } from '#functions/engine/columns/format/lists.ts';
import { decodeManifest } from '#functions/engine/columns/format/manifest.ts';
import { wordsOfRows } from '#functions/engine/columns/format/word-index.ts';
import { sweep } from '#functions/engine/deletions/sweep.ts';
import { decodeCursor } from '#functions/engine/feed/cursor.ts';
import { decodeHistoryCursor } from '#functions/engine/feed/list-history.ts';
import { decodePlace } from '#functions/engine/lists/place-cursor.ts';
import { decodeRecord } from '#functions/engine/model/change-log.ts';
import { UnknownFormat } from '#functions/engine/model/errors.ts';
import { decodeEntity, withText } from '#functions/engine/model/item-codec.ts';
import { decodeJob, requireReadableJob } from '#functions/engine/model/job.ts';
import { Digest, digestText } from '#functions/engine/model/long-text.ts';
import { decodePace } from '#functions/engine/model/pace.ts';
import { decodeReminder } from '#functions/engine/model/reminder.ts';
import { formats, type StoredItem } from '#functions/engine/model/stored-format.ts';
import { entityOfUniqueValue } from '#functions/engine/model/unique-value.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { decodeResult } from '#functions/engine/write/idempotency.ts';

/** What an item of the list engine holds. */
function contentOf<Value>(item: Item): Value {
  const [[name, bytes] = ['/' as const, new Uint8Array()]] = encodedItems([item]);
  return decodeItem(name, bytes).value as Value;
}

const id = '01890000-0000-7000-8000-000000000001';
const queryHash = Buffer.alloc(8, 1);
const byName = { filters: [], sort: [{ field: 'name', direction: 'asc' }] } as const;
const longText = 'x'.repeat(401);
const cursorOf = (item: Item): string => String(item['cursor']);

/** How the service reads each of them. */
const readers: Readonly<Record<StoredItem, (item: Item) => unknown>> = {
  entity: (item) => {
    const { entity, ...stored } = decodeEntity(item);
    const { description, ...fields } = entity;
    return { ...stored, fields, text: description instanceof Digest ? description.text : description };
  },
  'long text': (item) => {
    const entity = { id, name: 'Build', status: 'open', createdAt: '', updatedAt: '' };
    const description = new Digest(digestText(longText));
    return withText({ kind: 'task', version: 3, entity: { ...entity, description } }, item)?.entity
      .description;
  },
  'unique value': entityOfUniqueValue,
  'idempotency record': (item) => decodeResult([item]),
  job: (item) => {
    requireReadableJob(item, new Map([['sweep', sweep.fields]]));
    return decodeJob(item);
  },
  pace: decodePace,
  reminder: decodeReminder,
  record: decodeRecord,
  manifest: decodeManifest,
  ids: (item) => [contentOf<Buffer>(item).toString('hex'), chunkRows],
  column: (item) => columnValues(contentOf<Column>(item)),
  bucket: (item) => [contentOf(item), bucketOf(id, 1_000)],
  positions: (item) => [
    contentOf<Buffer>(item).toString('hex'),
    [undefined, null, ''].flatMap((value) => placeholdersOf((one) => one === value)),
  ],
  words: (item) => wordsOfRows([contentOf<Buffer>(item)], 3, () => undefined),
  patch: contentOf,
  'waiting rows': contentOf,
  step: (item) => decodeStep([...encodedItems([item]).values()][0] as Uint8Array),
  'cursor of changes': (item) => decodeCursor(queryHash, cursorOf(item)),
  'cursor of a history': (item) => decodeHistoryCursor({ kind: 'task', id }, cursorOf(item)),
  'cursor of a list': (item) => decodePlace('task', byName, cursorOf(item)),
};

/** Returns a value as JSON has it. */
function toJson(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $binary: Buffer.from(value).toString('base64') };
  if (value instanceof Map) return toJson(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map((one) => (one === undefined ? { $absent: true } : toJson(one)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, own]) => own !== undefined);
  return Object.fromEntries(entries.map(([name, own]) => [name, toJson(own)]));
}

const fromJson = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && '$binary' in value
    ? Buffer.from(String(value.$binary), 'base64')
    : value;

const folder = join(__dirname, '../../../golden');

/** The file of a format: those after the first one have their number. */
const fileOf = (name: StoredItem, format: number): string =>
  `${name.replaceAll(' ', '-')}${format === 1 ? '' : `-${format}`}.json`;

function golden(
  name: StoredItem,
  format: number = formats[name].writes,
): { readonly stored: Item; readonly decoded: unknown } {
  const text = readFileSync(join(folder, fileOf(name, format)), 'utf8');
  return { stored: JSON.parse(text, fromJson).stored, decoded: JSON.parse(text).decoded };
}

function errorOf(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error;
  }
}

const names = Object.keys(formats) as StoredItem[];
const items = names.filter((name) => !name.startsWith('cursor'));

const numbers = names.flatMap((name) => formats[name].reads.map((format) => [name, format] as const));

test('each format that is read has a golden item, also the one that is written', () => {
  const files = numbers.map(([name, format]) => fileOf(name, format));
  expect(readdirSync(folder).sort()).toEqual(files.sort());
  const wrong = Object.values(formats).filter(
    ({ reads, writes }) => !(reads as readonly number[]).includes(writes),
  );
  expect(wrong).toEqual([]);
});

test.each(numbers)('%s, format %i: the golden item means what it meant', (name, format) => {
  const { stored, decoded } = golden(name, format);
  expect(toJson(readers[name](stored))).toEqual(decoded);
});

test.each(items.filter((name) => name !== 'record'))(
  '%s: another format is an error that names both',
  (name) => {
    const error = errorOf(() => readers[name]({ ...golden(name).stored, format: 99 }));
    const read = formats[name].reads.join(' and ');
    const message = `The format of a stored item (${name}) is 99, and this release reads ${read}.`;
    expect(error).toEqual(new UnknownFormat(message));
  },
);

test('record: another format is an error', () => {
  const { stored } = golden('record');
  const contents = Buffer.from(stored['e'] as Uint8Array);
  contents[0] = 99;
  expect(() => readers.record({ ...stored, e: contents })).toThrow(UnknownFormat);
});

test.each(items.filter((name) => name !== 'entity'))(
  '%s: an unknown field is an error that names it',
  (name) => {
    const error = errorOf(() => readers[name]({ ...golden(name).stored, shards: 2 }));
    const message = `A stored item (${name}) has the field "shards", which this release does not know.`;
    expect(error).toEqual(new UnknownFormat(message));
  },
);

test.each<[string, object, RegExp]>([
  ['lease', { owner: 'a', until: '', host: 'a' }, /"host"/],
  ['work', { ...(golden('job').stored['work'] as object), depth: 1 }, /"depth"/],
  ['work', { type: 'import' }, /of the type "import"/],
])('job: unknown contents of the field "%s" are an error: %j', (field, contents, message) => {
  const error = errorOf(() => readers.job({ ...golden('job').stored, [field]: contents }));
  expect(error).toBeInstanceOf(UnknownFormat);
  expect((error as Error).message).toMatch(message);
});

test.each(names.filter((name) => name.startsWith('cursor')))(
  'a %s in another format is none of this service',
  (name) => {
    const { stored } = golden(name);
    const bytes = Buffer.from(cursorOf(stored), 'base64url');
    bytes[0] = 99;
    const other = { ...stored, cursor: bytes.toString('base64url') };
    expect(() => readers[name](other)).toThrow('is not a cursor of this service');
  },
);
