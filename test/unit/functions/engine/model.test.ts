import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { decodeBucket } from '#functions/engine/columns/format/buckets.ts';
import { decodeColumn } from '#functions/engine/columns/format/column.ts';
import { decodeManifest, emptyManifest, encodeManifest } from '#functions/engine/columns/format/manifest.ts';
import { decodePatch } from '#functions/engine/columns/format/patch.ts';
import { decodeRows } from '#functions/engine/columns/format/waiting-rows.ts';
import { ByteReader, ByteWriter, isUuid } from '#functions/engine/model/bytes.ts';
import {
  decodeRecord,
  decodeStoredRecord,
  fillerWrite,
  manifestSortKey,
  maxPosition,
  parseLogPartition,
  parseSequencerKey,
  positionOf,
  previousPositions,
  type RecordWrite,
  recordKey,
  recordSortKey,
  recordWrites,
  sequencerKey,
} from '#functions/engine/model/change-log.ts';
import { buildDeletion, buildMove, buildRestore, buildTextWrite } from '#functions/engine/model/changes.ts';
import { inflate } from '#functions/engine/model/deflate.ts';
import {
  erased,
  existingRow,
  expiryOf,
  newDeletion,
  notDeleted,
  storedRow,
  versionsBeforeDeletion,
} from '#functions/engine/model/deletion.ts';
import type { Deletion, StoredEntity } from '#functions/engine/model/entity.ts';
import { UnknownFormat } from '#functions/engine/model/errors.ts';
import { firstIdAt, isId, newId } from '#functions/engine/model/ids.ts';
import {
  decodeAnyEntity,
  decodeEntity,
  encodeEntity,
  encodeText,
  storedOfRow,
  withText,
} from '#functions/engine/model/item-codec.ts';
import {
  buildJobWrite,
  dueJobsOf,
  type Job,
  jobKey,
  jobsAfterTenant,
  parseJobKey,
  sizeAtLevel,
} from '#functions/engine/model/job.ts';
import {
  beginningOf,
  Digest,
  digestText,
  fromInlineText,
  isDigestOf,
  maxInlineBytes,
  toInlineText,
} from '#functions/engine/model/long-text.ts';
import { newPace, reserve } from '#functions/engine/model/pace.ts';
import type { LogEntry } from '#functions/engine/model/record-codec.ts';
import { decodeContents, encodeContents } from '#functions/engine/model/record-codec.ts';
import {
  rowText,
  scalarOf,
  scalarText,
  sortedText,
  toRow,
  toValue,
  type Value,
} from '#functions/engine/model/row.ts';
import {
  buildUniqueValueWrites,
  encodeUniqueValue,
  uniqueKey,
} from '#functions/engine/model/unique-value.ts';
import { visibleWords, wordsOf } from '#functions/engine/model/words.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { notExists } from '#functions/engine/model/writes.ts';
import { anyCharacter } from '#test/support/any-character.ts';

const id = '01890000-0000-7000-8000-000000000001';
const otherId = '01890000-0000-7000-8000-000000000002';
const nowMs = 1_770_000_000_000;
const dayMs = 86_400_000;
const hourMs = 3_600_000;

/** Returns a task of a project. */
const stored = (version: number, more: object = {}, logPosition?: number): StoredEntity => ({
  kind: 'task',
  version,
  ...(logPosition !== undefined && { logPosition }),
  entity: {
    id,
    name: 'Build',
    status: 'open',
    projectId: otherId,
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    ...more,
  },
});

test.each([
  [id, true, true],
  ['ffffffff-ffff-7fff-bfff-ffffffffffff', true, true],
  // Another version, and another variant.
  ['01890000-0000-4000-8000-000000000001', true, false],
  ['01890000-0000-7000-c000-000000000001', true, false],
  ['01890000-0000-7000-8000-00000000000A', false, false],
  ['01890000-0000-7000-8000-00000000001', false, false],
  [`${id}\n`, false, false],
  [`{${id}}`, false, false],
])('%j is a UUID: %j, and an id: %j', (text, isAUuid, isAnId) => {
  expect([isUuid(text), isId(text)]).toEqual([isAUuid, isAnId]);
});

describe('change-log', () => {
  test('a filler takes the place of a record, for 30 days', () => {
    const key = recordKey({ tenant: 'acme', kind: 'task' }, 8);
    const { put, condition } = fillerWrite(key, nowMs);
    expect([condition, put['expiresAt']]).toEqual([notExists, nowMs / 1_000 + 30 * 86_400]);
    expect(decodeRecord(put)).toEqual({ position: 8, time: nowMs, entries: [] });
  });

  test('the position of a transaction is above those of all its entities, in any order', () => {
    const changes = [5, 3].map((logPosition) => ({
      before: {
        kind: 'tag',
        version: 1,
        logPosition,
        entity: { id: `${logPosition}` },
      } as unknown as StoredEntity,
    }));
    expect(previousPositions(changes)).toEqual(new Map([['tag', 5]]));
    expect(previousPositions(changes.toReversed())).toEqual(new Map([['tag', 5]]));
  });

  test('sort keys are in the order of positions, before the manifest, and tell them', () => {
    const position = fc.nat({ max: maxPosition });
    fc.assert(
      fc.property(position, position, (one, other) => {
        const [first, second] = [recordSortKey(one), recordSortKey(other)];
        expect(first < second).toBe(one < other);
        expect(first < manifestSortKey).toBe(true);
        expect([positionOf(first), positionOf(second)]).toEqual([one, other]);
      }),
    );
  });

  test('a partition key tells the log, and a key the log of a sequencer', () => {
    const log = { tenant: '@a', kind: 'task' } as const;
    expect(parseLogPartition(recordKey(log, 1).pk)).toEqual(log);
    expect(parseSequencerKey(sequencerKey(log))).toEqual(log);
    expect(parseSequencerKey(recordKey(log, 1))).toBeUndefined();
    for (const pk of [undefined, '@a#task#columns#1.0', '#task#log'])
      expect(parseLogPartition(pk)).toBeUndefined();
  });
});

describe('deletion', () => {
  const deletedAt = Date.parse('2026-02-03T04:05:06.789Z');
  const ofProject: Deletion = { deletedAt, deletedBy: 'ann', root: { kind: 'project', id: otherId } };
  const deleted = buildDeletion(stored(3), ofProject).after;

  test('the item of a deleted entity is in no index', () => {
    const item = encodeEntity('acme', deleted, nowMs);
    expect(item).toEqual({
      pk: `acme#task#${id}`,
      sk: 'entity',
      deletedAt,
      deletedBy: 'ann',
      deletedWith: otherId,
      rootKind: 'project',
      expiresAt: Math.ceil((deletedAt + 31 * dayMs) / 1_000),
      kind: 'task',
      version: 4,
      logPosition: nowMs,
      ...stored(3).entity,
      id: undefined,
    });
    expect(decodeAnyEntity(item)).toEqual({ ...deleted, logPosition: nowMs });
    expect(() => decodeEntity(item)).toThrow(TypeError);
  });

  test('the row of a deleted entity tells its deletion, and readers of changes do not see it', () => {
    const row = storedRow(deleted) ?? {};
    expect(storedOfRow('task', id, 4, row)).toMatchObject({ version: 4, deletion: deleted.deletion });
    expect(storedRow(erased(deleted))).toBeUndefined();
    const restored = { ...toRow(stored(5).entity), ...notDeleted };
    expect(storedOfRow('task', id, 5, restored).entity).not.toHaveProperty('deletedAt');
    expect([existingRow(row), existingRow(restored)]).toEqual([undefined, toRow(stored(5).entity)]);
  });

  test('a restore takes the version before the deletion, also after moves to later deletions', () => {
    const moved = buildMove(buildMove(deleted, ofProject).after, ofProject).after;
    expect([moved.version, versionsBeforeDeletion(moved)]).toEqual([6, [5, 4, 3]]);
  });

  test('the record of an erasure does not have what it erases', () => {
    const erasure = buildMove(deleted, { ...ofProject, isErased: true });
    const [write] = recordWrites('acme', [erasure], {
      positions: new Map([['task', 9]]),
      time: nowMs,
    }).values();
    expect(decodeStoredRecord((write as RecordWrite).put).entries).toEqual([
      { id, version: 5, previousPosition: 0, before: undefined, after: undefined },
    ]);
  });

  test('a restored entity has the version after that of the deletion, and a later time', () => {
    const { after } = buildRestore({ ...deleted, logPosition: 8 }, { projectId: null }, deletedAt - 5_000);
    expect(after).toEqual(
      stored(5, { projectId: null, updatedAt: new Date(deletedAt + 1).toISOString() }, 8),
    );
    // By a clock that is behind, the next deletion is another one all the same.
    expect(newDeletion(after, 'ann', deletedAt - 5_000).deletedAt).toBeGreaterThan(deletedAt);
  });

  test('a long text expires with its entity, and not after a restore', () => {
    const change = buildDeletion(stored(3, { description: 'x'.repeat(500) }), ofProject);
    const write = { setExpiry: { pk: `acme#task#${id}`, sk: 'text' }, replacedBytes: 500 };
    expect(buildTextWrite('acme', change)).toEqual([{ ...write, expiresAt: expiryOf(ofProject) }]);
    expect(buildTextWrite('acme', buildRestore(change.after, {}, deletedAt))).toEqual([
      { ...write, expiresAt: undefined },
    ]);
  });
});

describe('ids', () => {
  test('ids are in the order in which they are made, and hold the time of creation', () => {
    const made = Array.from({ length: 1_000 }, () => newId(Date.now()));
    expect(made.map((one) => one.id).toSorted()).toEqual(made.map((one) => one.id));
    for (const { id: own, createdAt } of made) {
      const timeMs = Date.parse(createdAt);
      expect(isId(own) && firstIdAt(timeMs) < own && own < firstIdAt(timeMs + 1)).toBe(true);
    }
    // Also when the time goes back.
    const later = newId(Date.now() + hourMs);
    expect(newId(Date.now()).id > later.id).toBe(true);
  });
});

describe('inflate', () => {
  /** 40 KB that inflate to 40 MB. */
  const bomb = deflateRawSync(Buffer.alloc(40_000_000));
  const message = /^A stored item cannot be inflated, or not to \d+ bytes at most\.$/;
  const manyEntries = Array(9).fill({ id: 'an id', version: 1, previousPosition: 0, after: {} });

  test('inflates up to a size', () => {
    const deflated = deflateRawSync('abc');
    expect(inflate(deflated, 3).toString()).toBe('abc');
    expect(() => inflate(deflated, 2)).toThrow(message);
    expect(() => inflate(Buffer.from('not deflated'))).toThrow(message);
  });

  test.each<[string, () => unknown]>([
    [
      'a record',
      () =>
        decodeContents(Buffer.concat([encodeContents({ entries: manyEntries }, 0).subarray(0, 2), bomb]), 0),
    ],
    ['a column', () => decodeColumn(bomb)],
    [
      'a bucket',
      () => {
        const lengths = new ByteWriter();
        lengths.number(bomb.length);
        lengths.number(0);
        return decodeBucket(Buffer.concat([lengths.bytes(), bomb]));
      },
    ],
    ['waiting rows', () => decodeRows(bomb)],
    ['a patch', () => decodePatch(bomb)],
    ['a manifest', () => decodeManifest({ pk: '', sk: '', ...encodeManifest(emptyManifest), state: bomb })],
  ])('%s has a limit', (_, decode) => {
    expect(decode).toThrow(message);
  });
});

describe('item-codec', () => {
  const item = {
    pk: `acme#task#${id}`,
    sk: 'entity',
    ofKind: 'acme#task',
    byStatus: `open#${id}`,
    kind: 'task',
    version: 3,
    logPosition: nowMs,
    ...stored(3).entity,
  };

  test('an entity is decoded as it was encoded, with its fields in order', () => {
    expect(encodeEntity('acme', stored(3), nowMs)).toEqual(item);
    const decoded = decodeEntity({ ...item, expiresAt: 1_800_000_000 });
    expect(decoded).toEqual(stored(3, {}, nowMs));
    expect(Object.keys(decoded.entity)).toEqual(Object.keys(stored(3).entity));
  });

  test('a long text is an item of its own, which matches its digest', () => {
    const text = 'x'.repeat(401);
    const digest = digestText(text);
    const withoutText = stored(3, { description: new Digest(digest) }, nowMs);
    const expected = { ...item, description: digest };
    for (const one of [stored(3, { description: text }), withoutText])
      expect(encodeEntity('acme', one, nowMs)).toEqual(expected);
    expect(decodeEntity(expected)).toEqual(withoutText);
    const textItem = encodeText('acme', withoutText, text);
    expect(textItem).toEqual({ pk: `acme#task#${id}`, sk: 'text', text });
    expect(withText(withoutText, textItem)).toEqual(stored(3, { description: text }, nowMs));
    expect(withText(withoutText, { ...textItem, text: 'other' })).toBeUndefined();
    expect(withText(withoutText, undefined)).toBeUndefined();
  });

  describe('an attribute that this release does not know', () => {
    test.each([['red'], [null], [['a', 'b']], [2.5], [true]])('is kept as a field when it is %j', (value) => {
      const decoded = decodeEntity({ ...item, colour: value });
      expect(encodeEntity('acme', decoded, nowMs)).toEqual({ ...item, colour: value });
      expect(toRow(decoded.entity)).toMatchObject({ colour: toValue('colour', value) });
    });

    test.each([
      ['an object', { a: 'b' }],
      ['a list of numbers', [1]],
      ['bytes', Buffer.of(1)],
    ])('is an error that names it when it is %s, which no row can hold', (_, value) => {
      expect(() => decodeEntity({ ...item, colour: value })).toThrow(
        new UnknownFormat('The attribute "colour" of an entity can be no field that this release keeps.'),
      );
    });
  });
});

describe('job', () => {
  test.each([
    [45, 80],
    [100, 40],
  ])('has what %i at each of a thousand levels are, %i bytes each, in its item', (most, bytes) => {
    const sizes = Array.from({ length: 1_000 }, (_, level) => sizeAtLevel(level + 1, most));
    expect(bytes * sizes.reduce((sum, size) => sum + size)).toBeLessThan(400 * 1_024);
    expect(sizes.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => most));
    expect(sizes.at(-1)).toBe(1);
  });

  const work = { type: 'archive', id: 'organization-1', asOf: 0, after: '' } as const;
  const job: Job = { id: '1', tenant: 'acme', version: 3, dueAt: '1970-01-01T00:00:00.000Z', work };
  const itemOf = (more: Partial<Job>): Item =>
    (buildJobWrite(undefined, { ...job, ...more }) as { put: Item }).put;

  test.each([
    ['acme', id],
    ['job', '#job#'],
    ['ac me\n', 'line 1\u0000\n'],
  ])('the key of the tenant %j and the id %j is parsed to them', (tenant, own) => {
    expect(parseJobKey(jobKey({ tenant, id: own }).pk)).toEqual({ tenant, id: own });
  });

  test.each([undefined, '', '#job#1', 'acme#job#', 'acme#task#1', 'acme#task#job#1', 'acmejob#1'])(
    '%j is the key of no job',
    (pk) => {
      expect(parseJobKey(pk)).toBeUndefined();
    },
  );

  describe('the queries for jobs', () => {
    const [first = '', second = '', third = ''] = [0, 1, 2].map((time) => `2026-02-03T04:05:0${time}.000Z`);
    const keys = [
      ['acme', first, '9'],
      ['acme', second, '1'],
      ['acme', second, '2'],
      ['acme', third, '0'],
      ['acme-2', first, '1'],
      ['acme2', first, '1'],
    ].map(([tenant = '', dueAt = '', own = '']) => String(itemOf({ tenant, dueAt, id: own })['byStatus']));

    test('go from a tenant to the next one', () => {
      expect(keys.toSorted()).toEqual(keys);
      const after = jobsAfterTenant(4, 'acme').ExpressionAttributeValues[':first'] ?? '';
      expect(keys.filter((one) => one > after)).toEqual(keys.slice(4));
      const all = jobsAfterTenant(4).ExpressionAttributeValues[':first'] ?? '';
      expect(keys.filter((one) => one > all)).toEqual(keys);
    });

    test('find the due jobs of a tenant', () => {
      const { ExpressionAttributeValues: values } = dueJobsOf('acme', Date.parse(second));
      const { ':first': after, ':last': last } = values;
      expect(keys.filter((one) => one >= after && one <= last)).toEqual(keys.slice(0, 3));
    });
  });
});

describe('long-text', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', 'é', '€', '\u{1F600}'), maxLength: 600 });

  test('a text stays inline up to the limit, and otherwise its digest, which matches this text only, takes its place', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, other) => {
        const inline = toInlineText(text);
        const read = fromInlineText(inline);
        expect(read instanceof Digest).toBe(Buffer.byteLength(text) > maxInlineBytes);
        expect(toInlineText(read)).toBe(inline);
        if (!(read instanceof Digest)) expect(read).toBe(text);
        else expect([isDigestOf(read, text), isDigestOf(read, other)]).toEqual([true, text === other]);
        const first = [...text].slice(0, 100).join('');
        expect(beginningOf(digestText(text))).toBe(first);
        expect(sortedText('description', rowText('description', text))).toBe(first);
      }),
    );
  });

  test.each([
    [101, 0],
    [maxInlineBytes, 0],
    [maxInlineBytes + 1, 1_024],
    [5_000, 5_120],
    [60_000, 60_416],
  ])('the digest of a text of %i bytes says that it has an item of %i bytes', (bytes, ofItem) => {
    expect(new Digest(digestText('x'.repeat(bytes))).bytes).toBe(ofItem);
  });

  test('a digest cannot become a part of a response', () => {
    expect(() => JSON.stringify({ description: new Digest('x') })).toThrow(TypeError);
  });
});

test.each([[{}], [1n]])('a row cannot hold the value %j', (value) => {
  expect(() => toRow({ ...stored(1).entity, name: value as never })).toThrow(TypeError);
});

describe('numbers and flags in rows', () => {
  const textOf = (value: number | boolean): Buffer => Buffer.from(scalarText(value) ?? '');

  test('come back as they were', () => {
    const scalar = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(scalar, (value) => {
        // There is one zero.
        expect(scalarOf(scalarText(value) ?? '')).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  test('have an order in which bytes compare as they do', () => {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constantFrom(-1, -0.5, 0, 0.01, 5));
    fc.assert(
      fc.property(number, number, (one, other) => {
        // Zeros of both signs are one number: no field stores the negative one.
        fc.pre(!(one === 0 && other === 0));
        expect(Math.sign(Buffer.compare(textOf(one), textOf(other)))).toBe(Math.sign(one - other || 0));
      }),
    );
    expect(Buffer.compare(textOf(false), textOf(true))).toBe(-1);
  });
});

describe('record-codec', () => {
  const timeMs = nowMs;

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
      previousPosition: fc.oneof(fc.constant(0), fc.maxSafeNat()),
      rows: fc.oneof(rows, edited),
    })
    .map(({ rows: { before, after }, ...others }) => ({ ...others, before, after }));

  test('any actor and entries are decoded as they were encoded', () => {
    const anyActor = fc.oneof(
      fc.uuid(),
      fc.string({ unit: anyCharacter, minLength: 1 }),
      specialText.filter(Boolean),
    );
    const actors = fc.option(anyActor, { nil: undefined });
    fc.assert(
      fc.property(actors, fc.array(entry, { maxLength: 5 }), (actor, entries) => {
        const contents = decodeContents(encodeContents({ actor, entries }, timeMs), timeMs);
        expect(contents).toEqual({ actor, entries });
      }),
      { numRuns: 60 },
    );
  });

  test('several entries with texts in common are deflated', () => {
    const entries = Array.from({ length: 50 }, (_, number) => ({
      id: `${id.slice(0, -2)}${10 + number}`,
      version: 1,
      previousPosition: 0,
      before: undefined,
      after: { name: `Prepare the release notes of version ${number}`, projectId: otherId },
    }));
    const bytes = encodeContents({ entries }, timeMs);
    expect(bytes[0]).toBe(3);
    expect(bytes.length / entries.length).toBeLessThan(20);
    expect(decodeContents(bytes, timeMs)).toEqual({ entries });
  });

  test.each([
    ['earlier', Buffer.of(1, 0)],
    ['later', Buffer.of(4, 0)],
    ['missing', Buffer.alloc(0)],
  ])('throws UnknownFormat for a format that is %s', (_, bytes) => {
    expect(() => decodeContents(bytes, timeMs)).toThrow(UnknownFormat);
  });

  test.each([
    // 16 times the number of types, in groups of seven bits.
    ['a field', [0x80, 1], 'A record has a field with the number 16.'],
    ['a word', [5, 25], 'A record has a word with the number 25.'],
  ])('throws UnknownFormat that names the number of %s that it does not know', (_, bytes, message) => {
    // No actor; the version 1 and what a creation has; an id of no bytes; one field.
    const creation = Buffer.of(2, 0, 1 * 16 + 2, 0, 1, ...bytes);
    expect(() => decodeContents(creation, timeMs)).toThrow(new UnknownFormat(message));
  });
});

test.each<[string, object, object | undefined, unknown[]]>([
  ['a deletion', { subject: 'a' }, undefined, [{ remove: uniqueKey('acme', 'user', 'a') }]],
  [
    'the first subject of a user that is older than the field',
    {},
    { subject: 'a' },
    [{ put: encodeUniqueValue('acme', { kind: 'user', id }, 'a'), condition: notExists }],
  ],
  ['null for a user that is older than the field', {}, { subject: null }, []],
])('the writes of a unique value: %s', (_, before, after, writes) => {
  const user = (fields: object) => ({ ...stored(1, fields), kind: 'user' });
  const change = { before: user(before), ...(after && { after: user(after) }) };
  expect(buildUniqueValueWrites('acme', change)).toEqual(writes);
});

test.each([504, 505, 511, 512])('the greatest number fits behind %i bytes', (before) => {
  const writer = new ByteWriter();
  // The length of the text takes two bytes.
  writer.text('x'.repeat(before - 2));
  writer.number(Number.MAX_SAFE_INTEGER);
  expect(new ByteReader(writer.bytes().subarray(before)).number()).toBe(Number.MAX_SAFE_INTEGER);
});

describe('pace', () => {
  const step = { nowMs, changes: 10, changesPerSecond: 10, isThrottled: false };

  test('throttles make jobs slower, up to 16 times', () => {
    let pace = newPace('acme');
    const slowdowns = Array.from({ length: 6 }, () => {
      ({ pace } = reserve(pace, { ...step, isThrottled: true }));
      return pace.slowdown;
    });
    expect(slowdowns).toEqual([2, 4, 8, 16, 16, 16]);
  });

  test.each([
    [600_000, 600_000],
    [600_001, 0],
  ])('a step after reservations up to %i ms from now waits for %i ms', (aheadMs, waitMs) => {
    expect(reserve({ ...newPace('acme'), freeAt: nowMs + aheadMs }, step).waitMs).toBe(waitMs);
  });
});

describe('words', () => {
  test('a search compares 50 characters of a word', () => {
    const word = 'é'.repeat(51);
    expect(visibleWords({ name: word })).toEqual(['e'.repeat(50)]);
    expect(wordsOf(word)).toEqual(['e'.repeat(51)]);
  });

  test.each([
    ['marks of two classes', '\u0301'.repeat(5_000) + '\u0316'.repeat(5_000)],
    ['letters that become marks, and marks', '\uFF9E\u0316\uFF9F'.repeat(5_000)],
  ])('a text is normalized without its marks: %s', (_, marks) => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    expect(wordsOf(`a${marks}b ${marks}c`)).toEqual(['ab', 'c']);
    const [text] = normalize.mock.contexts;
    normalize.mockRestore();
    expect(text).toBe('ab c');
  });
});
