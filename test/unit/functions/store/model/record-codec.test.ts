import fc from 'fast-check';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import type { LogEntry } from '#functions/store/model/log-entry.ts';
import { decodeContents, encodeContents } from '#functions/store/model/record-codec.ts';
import { rowText, type Value } from '#functions/store/model/row.ts';
import { anyCharacter } from '#test/support/any-character.ts';

const stamp = 1_770_000_000_000;
const id = '019c0000-0000-7000-8000-000000000001';
const otherId = '019c0000-0000-7000-8000-000000000002';

const decoded = (entries: readonly LogEntry[]): LogEntry[] =>
  decodeContents(encodeContents({ entries }, stamp), stamp).entries as LogEntry[];

/** Texts that are nearly ids, times, days or frequent words, and those that are. */
const specialText = fc.oneof(
  fc.uuid(),
  fc.uuid().map((text) => text.toUpperCase()),
  fc.uuid({ version: 7 }),
  fc.uuid().map((text) => text.replaceAll('-', '')),
  fc.array(fc.uuid(), { maxLength: 4 }).map((ids) => ids.join(',')),
  fc.array(fc.uuid(), { maxLength: 3 }).map((ids) => `${ids.join(',')},`),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  fc.constantFrom('2026-02-30', '2026-13-01', '0000-00-00', '2026-1-1', '2026-02-03T04:05:06.789z'),
  fc.constantFrom('2026-02-03T04:05:06.7890', '2026-02-03T24:00:00.000Z', '-000001-01-01T00:00:00.000Z'),
  fc.constantFrom('', 'todo', 'Todo', 'done', 'none', '#808080', '#808081', 'null', 'undefined', ','),
  fc.string({ unit: anyCharacter, maxLength: 300 }).map((text) => rowText('description', text.repeat(3))),
);

const value: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  specialText,
);

const fieldName = fc.oneof(
  fc.constantFrom('name', 'status', 'description', 'updatedAt', 'dueDate', 'userId', 'tagIds', 'color'),
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((name) => name !== '__proto__'),
);

const row = fc.dictionary(fieldName, value, { noNullPrototype: true });

/** A row, and the same one with some other values: no change removes a field. */
const rows = fc
  .tuple(fc.option(row, { nil: undefined }), fc.option(row, { nil: undefined }))
  .map(([before, changed]) => ({ before, after: changed && { ...before, ...changed } }));

/** A row, and the same one with other ends of its texts. */
const edited = fc.tuple(row, fc.string({ unit: 'grapheme' })).map(([before, end]) => {
  const edit = (text: Value): Value => text && [...text].slice(0, 40).join('') + end;
  const after = Object.fromEntries(Object.entries(before).map(([name, text]) => [name, edit(text)]));
  return { before, after };
});

const entry: fc.Arbitrary<LogEntry> = fc
  .record({
    id: fc.oneof(fc.uuid(), fc.string({ unit: anyCharacter })),
    version: fc.integer({ min: 1, max: 2 ** 40 }),
    previousStamp: fc.oneof(fc.constant(0), fc.constant(stamp), fc.integer({ min: 1, max: 2 * stamp })),
    rows: fc.oneof(rows, edited),
  })
  .map(({ rows: { before, after }, ...others }) => ({ ...others, before, after }));

test('any entries are decoded as they were encoded', () => {
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 5 }), (entries) => {
      expect(decoded(entries)).toEqual(entries);
    }),
    { numRuns: 1_000 },
  );
});

test('entries of a creation, a change and a deletion', () => {
  const before = { name: 'Build', status: 'todo', dueDate: '2026-02-03', tagIds: '', userId: null };
  const entries: LogEntry[] = [
    { id, version: 1, previousStamp: 0, before: undefined, after: before },
    { id, version: 2, previousStamp: stamp - 5, before, after: { ...before, userId: otherId } },
    { id, version: 3, previousStamp: stamp - 1, before, after: undefined },
  ];
  for (const one of entries) expect(decoded([one])).toEqual([one]);
  expect(decoded(entries)).toEqual(entries);
});

test('an edited text is not repeated', () => {
  const before = { name: 'Prepare the release notes of the next version \u{1F600}' };
  const bytes = (name: string): number =>
    encodeContents({ entries: [{ id, version: 2, previousStamp: 1, before, after: { name } }] }, stamp)
      .length;
  expect(bytes(`${before.name}!`) - bytes(before.name)).toBeLessThan(7);
  // Half of a surrogate pair is never shared.
  const after = { name: before.name.replace('\u{1F600}', '\u{1F601}') };
  const entry = { id, version: 2, previousStamp: 1, before, after };
  expect(decoded([entry])).toEqual([entry]);
});

test('a record without entries and actor has two bytes', () => {
  expect([...encodeContents({ entries: [] }, stamp)]).toEqual([6, 0]);
  expect(decodeContents(Buffer.of(6, 0), stamp)).toEqual({ entries: [] });
});

test('the bytes of an entry: stored records depend on them', () => {
  const after = {
    name: 'ae',
    status: 'todo',
    dueDate: '2026-02-03',
    updatedAt: '2026-02-02T02:39:59.999Z',
    x: null,
  };
  const bytes = encodeContents(
    { actor: otherId, entries: [{ id, version: 1, previousStamp: 0, after }] },
    stamp,
  );
  expect(bytes.toString('hex')).toBe(
    // The format; the type of the actor, an id, and the actor.
    `0603${otherId.replaceAll('-', '')}` +
      // The version and what the entry has; the id; the number of fields.
      `16${id.replaceAll('-', '')}05` +
      // Each field and its type, and the value: a text, a word, a day, a time; and a field with a name of its own.
      '01026165' +
      '0d12' +
      '2f02' +
      '1e02' +
      '78' +
      '0178',
  );
});

test('several entries with texts in common are deflated', () => {
  const entries = Array.from({ length: 50 }, (_, number) => ({
    id: `${id.slice(0, -2)}${10 + number}`,
    version: 1,
    previousStamp: 0,
    before: undefined,
    after: { name: `Prepare the release notes of version ${number}`, projectId: otherId },
  }));
  const bytes = encodeContents({ entries }, stamp);
  expect(bytes[0]).toBe(7);
  expect(bytes.length / entries.length).toBeLessThan(20);
  expect(decodeContents(bytes, stamp)).toEqual({ entries });
});

test.each([
  ['earlier', Buffer.of(5, 0)],
  ['later', Buffer.of(8, 0)],
  ['missing', Buffer.alloc(0)],
])('throws UnknownFormat for a format that is %s', (_, bytes) => {
  expect(() => decodeContents(bytes, stamp)).toThrow(UnknownFormat);
});

test.each([
  // 16 times the number of types, in groups of seven bits.
  ['a field', [0x80, 1], 'A record has a field with the number 16.'],
  ['a word', [5, 25], 'A record has a word with the number 25.'],
])('throws UnknownFormat that names the number of %s that it does not know', (_, bytes, message) => {
  // No actor; the version 1 and what a creation has; an id of no bytes; one field.
  const creation = Buffer.of(6, 0, 1 * 16 + 2, 0, 1, ...bytes);
  expect(() => decodeContents(creation, stamp)).toThrow(new UnknownFormat(message));
});

test('keeps any actor, with one or several entries', () => {
  const entries = fc.array(entry, { maxLength: 3 });
  const actor = fc.option(
    fc.oneof(fc.uuid(), fc.string({ unit: anyCharacter, minLength: 1 }), specialText.filter(Boolean)),
    {
      nil: undefined,
    },
  );
  fc.assert(
    fc.property(actor, entries, (one, all) => {
      const contents = decodeContents(encodeContents({ actor: one, entries: all }, stamp), stamp);
      expect(contents).toEqual({ actor: one, entries: all });
    }),
  );
});

test.each([
  ['a UUID', otherId, 16],
  ['another text', 'auth0|5f7c8ec7c33c6c004bbafe82', 31],
])('an actor that is %s takes its length more', (_, actor, more) => {
  const bytes = (contents: object): number => encodeContents({ entries: [], ...contents }, stamp).length;
  expect(bytes({ actor }) - bytes({})).toBe(more);
});
