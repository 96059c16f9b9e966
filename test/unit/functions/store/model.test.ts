import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { lastComparisonAt } from '#functions/store/cascades/compare-when-due.ts';
import { decodeBucket } from '#functions/store/lists/engine/format/buckets.ts';
import { decodeColumn } from '#functions/store/lists/engine/format/column.ts';
import { decodeManifest, encodeManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { decodePatch } from '#functions/store/lists/engine/format/patch.ts';
import { ByteReader, ByteWriter, isUuid } from '#functions/store/model/bytes.ts';
import {
  decodeRecord,
  isLate,
  logPartition,
  manifestSortKey,
  parseLogPartition,
  recordWrites,
  stampPrefix,
  transactionStamp,
  withdrawnRecord,
} from '#functions/store/model/change-log.ts';
import {
  buildCreate,
  buildDeletion,
  buildRestore,
  buildTextWrite,
  buildUpdate,
  buildWrite,
  type Change,
  mergeChangeSets,
} from '#functions/store/model/changes.ts';
import { notExists } from '#functions/store/model/condition-expressions.ts';
import {
  deletedQuery,
  expiryOf,
  isDeletedItem,
  isExpired,
  isRoot,
  isSameDeletion,
  newDeletion,
  placeOf,
  queryOfDeletion,
} from '#functions/store/model/deletion.ts';
import type { DeletedEntity, Deletion, StoredEntity } from '#functions/store/model/entity.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { formats, type StoredItem } from '#functions/store/model/formats.ts';
import { firstIdAt, idAfter, isId, newId } from '#functions/store/model/ids.ts';
import { partitionNumber } from '#functions/store/model/index-partitions.ts';
import { inflate } from '#functions/store/model/inflate.ts';
import {
  decodeAnyEntity,
  decodeEntity,
  encodeEntity,
  encodeText,
  internalAttributes,
  withText,
} from '#functions/store/model/item-codec.ts';
import {
  beginJob,
  beginsJob,
  buildJobWrite,
  decodeJob,
  dueJobsAfter,
  isReady,
  type Job,
  jobKey,
  jobPartitions,
  jobsAfterTenant,
  jobsOfTenant,
  parseJobKey,
  wakeUp,
} from '#functions/store/model/job.ts';
import {
  entityKey,
  indexKeys,
  kindPartition,
  parentPartition,
  statusPrefix,
} from '#functions/store/model/keys.ts';
import { changedFields, type LogEntry } from '#functions/store/model/log-entry.ts';
import { maxLatenessMs } from '#functions/store/model/log-timing.ts';
import {
  beginningOf,
  Digest,
  digestText,
  fromInlineText,
  isDigestOf,
  isLong,
  maxInlineBytes,
  toInlineText,
} from '#functions/store/model/long-text.ts';
import { decodePace, encodePace, newPace, type Pace, reserve } from '#functions/store/model/pace.ts';
import {
  encodePublishedUnits,
  publishedUnitsQuery,
  sumOfOthers,
} from '#functions/store/model/published-units.ts';
import { decodeContents, encodeContents } from '#functions/store/model/record-codec.ts';
import {
  cascadeKinds,
  dependentsOf,
  isArray,
  type Kind,
  referencesOf,
  relationOf,
  relations,
} from '#functions/store/model/relations.ts';
import {
  decodeReminder,
  dueRemindersQuery,
  encodeReminder,
  isUnused,
  minReminderMs,
  nextLook,
  type Reminder,
  reminderIntervalMs,
  reminderPartitions,
  requestReminder,
  validUntil,
} from '#functions/store/model/reminder.ts';
import { rowText, sortedText, splitIds, toRow, type Value } from '#functions/store/model/row.ts';
import { stampText } from '#functions/store/model/stamp-text.ts';
import {
  buildSubjectWrites,
  encodeSubject,
  subjectKey,
  userOfSubject,
} from '#functions/store/model/subject.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { type Sample, samples } from '#lib/release/samples.ts';
import { anyCharacter } from '#test/support/any-character.ts';
import { makeManifest } from '#test/support/segments.ts';

const projectId = '01890000-0000-7000-8000-000000000002';

describe('bytes', () => {
  function bytesOf(write: (writer: ByteWriter) => void): Buffer {
    const writer = new ByteWriter();
    write(writer);
    return writer.bytes();
  }

  test.each([
    [0, [0]],
    [127, [127]],
    [128, [0x80, 1]],
    [300, [0xac, 2]],
  ])('writes the number %i as %j', (number, bytes) => {
    expect([...bytesOf((writer) => writer.number(number))]).toEqual(bytes);
  });

  test.each([
    [0, [0]],
    [-1, [1]],
    [1, [2]],
    [-64, [127]],
  ])('writes the signed number %i as %j', (number, bytes) => {
    expect([...bytesOf((writer) => writer.signed(number))]).toEqual(bytes);
  });

  /** A value, how it is written, and how it is read. */
  interface Written {
    readonly value: number | string;
    readonly write: (writer: ByteWriter) => void;
    readonly read: (reader: ByteReader) => number | string;
  }

  const written: fc.Arbitrary<Written> = fc.oneof(
    fc.maxSafeNat().map((value) => ({
      value,
      write: (writer: ByteWriter) => writer.number(value),
      read: (reader: ByteReader) => reader.number(),
    })),
    fc.integer({ min: -(2 ** 51), max: 2 ** 51 }).map((value) => ({
      value,
      write: (writer: ByteWriter) => writer.signed(value),
      read: (reader: ByteReader) => reader.signed(),
    })),
    fc.string({ unit: anyCharacter, maxLength: 700 }).map((value) => ({
      value,
      write: (writer: ByteWriter) => writer.text(value),
      read: (reader: ByteReader) => reader.text(),
    })),
    fc.uuid().map((value) => ({
      value,
      write: (writer: ByteWriter) => writer.id(value),
      read: (reader: ByteReader) => reader.id(),
    })),
  );

  test('reads everything as it was written', () => {
    fc.assert(
      fc.property(fc.array(written), (all) => {
        const bytes = bytesOf((writer) => {
          for (const { write } of all) write(writer);
        });
        const reader = new ByteReader(bytes);
        expect(all.map(({ read }) => read(reader))).toEqual(all.map(({ value }) => value));
        expect(reader.hasMore).toBe(false);
      }),
    );
  });

  test('writes a text as its length and its bytes in UTF-8', () => {
    expect([...bytesOf((writer) => writer.text('aß'))]).toEqual([3, 0x61, 0xc3, 0x9f]);
  });

  test.each([
    ['01890000-0000-7000-8000-000000000001', true],
    ['00000000-0000-0000-0000-000000000000', true],
    ['ffffffff-ffff-ffff-ffff-ffffffffffff', true],
    ['01890000-0000-7000-8000-00000000000A', false],
    ['0189000-00000-7000-8000-000000000001', false],
    ['01890000-0000-7000-8000-000000000001\n', false],
    ['', false],
  ])('isUuid(%j) is %j', (text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});

describe('change-log', () => {
  const nowMs = 1_770_000_000_000;
  const id = '01890000-0000-7000-8000-000000000001';
  const otherId = '01890000-0000-7000-8000-000000000002';

  const stored = (version: number, fields: Record<string, unknown> = {}, stamp?: number): StoredEntity => ({
    kind: 'task',
    version,
    ...(stamp !== undefined && { stamp }),
    entity: {
      id,
      name: 'Build',
      status: 'open',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      ...fields,
    },
  });

  const row = { name: 'Build', status: 'open', updatedAt: '2026-01-02T00:00:00.000Z' };

  /** Returns the records that change sets write, as they are read again. */
  const records = (changes: readonly Change[], stamp = nowMs) =>
    recordWrites('acme', changes, stamp).map((write) => decodeRecord((write as { put: Item }).put));

  describe('transactionStamp', () => {
    test('is the time of the process when it creates entities', () => {
      expect(transactionStamp([{ after: stored(1) }], nowMs)).toBe(nowMs);
    });

    test('is the time of the process when earlier changes of the entities are before it', () => {
      expect(transactionStamp([{ before: stored(1, {}, nowMs - 1), after: stored(2) }], nowMs)).toBe(nowMs);
    });

    test('is greater than the stamps of all earlier changes, also of a clock that was ahead', () => {
      const changes = [
        { before: stored(1, {}, nowMs + 4_000), after: stored(2) },
        { before: stored(1, {}, nowMs + 5_000) },
        { before: stored(1, {}, nowMs), after: stored(2) },
      ];
      expect(transactionStamp(changes, nowMs)).toBe(nowMs + 5_001);
    });
  });

  describe('recordWrites', () => {
    test('puts one new item in the log of each kind', () => {
      const project: StoredEntity = { ...stored(1), kind: 'project' };
      const writes = recordWrites(
        'acme',
        [{ after: stored(1) }, { after: project }, { before: stored(3) }],
        nowMs,
      );
      expect(writes).toEqual(
        ['acme#task#log', 'acme#project#log'].map((pk) => ({
          put: {
            pk,
            sk: expect.stringMatching(/^r#1jge3h900[A-Za-z0-9_-]{6}$/),
            e: expect.any(Buffer),
            expiresAt: 1_770_000_000 + 30 * 86_400,
          },
          condition: { expression: 'attribute_not_exists(pk)' },
        })),
      );
    });

    test('puts items with different sort keys for one stamp', () => {
      const keys = Array.from({ length: 100 }, () => records([{ after: stored(1) }])[0]?.key);
      expect(new Set(keys).size).toBe(100);
    });
  });

  describe('the record of', () => {
    test('a creation has version 1, no previous stamp and no row before', () => {
      expect(records([{ after: stored(1) }])).toEqual([
        {
          key: expect.stringMatching(/^r#1jge3h900/),
          stamp: nowMs,
          lifeDays: 30,
          entries: [{ id, version: 1, previousStamp: 0, before: undefined, after: row }],
        },
      ]);
    });

    test('a change has the next version, the stamp of the last change, and the rows before and after', () => {
      const before = stored(4, { userId: null, tagIds: [] }, 1_700_000_000_000);
      const after = stored(5, { userId: otherId, tagIds: [otherId], name: '' });
      expect(records([{ before, after }])[0]?.entries).toEqual([
        {
          id,
          version: 5,
          previousStamp: 1_700_000_000_000,
          before: { ...row, userId: null, tagIds: '' },
          after: { ...row, userId: otherId, tagIds: otherId, name: '' },
        },
      ]);
    });

    test('a change that changes nothing has the same row before and after', () => {
      const [entry] = records([{ before: stored(4), after: stored(5) }])[0]?.entries ?? [];
      expect(entry).toEqual({ id, version: 5, previousStamp: 0, before: row, after: row });
    });

    test('a deletion has the next version and no row after', () => {
      expect(records([{ before: stored(4, {}, 7) }])[0]?.entries).toEqual([
        { id, version: 5, previousStamp: 7, before: row, after: undefined },
      ]);
    });

    test('a new field has it only in the row after', () => {
      const [entry] = records([{ before: stored(1), after: stored(2, { color: null }) }])[0]?.entries ?? [];
      expect(entry?.before).toEqual(row);
      expect(entry?.after).toEqual({ ...row, color: null });
    });

    test('a long description has its beginning and hash', () => {
      const description = 'x'.repeat(5_000);
      const [entry] = records([{ after: stored(1, { description }) }])[0]?.entries ?? [];
      expect(entry?.after?.['description']).toBe(rowText('description', description));
    });

    test('any text is read as it was written', () => {
      fc.assert(
        fc.property(fc.string({ unit: anyCharacter }), (name) => {
          expect(records([{ after: stored(1, { name }) }])[0]?.entries[0]?.after?.['name']).toBe(name);
        }),
      );
    });
  });

  test('a withdrawn record has the key of the record, expires with it, and has no entries', () => {
    const [write] = recordWrites('acme', [{ after: stored(1) }], nowMs);
    const record = write?.put as Item;
    const withdrawn = withdrawnRecord(record);
    expect(withdrawn).toEqual({ ...record, e: expect.any(Buffer) });
    expect(decodeRecord(withdrawn)).toEqual({ key: record.sk, stamp: nowMs, lifeDays: 30, entries: [] });
  });

  test('decodeRecord throws UnknownFormat for a format that a later release writes', () => {
    expect(() => decodeRecord({ pk: '', sk: stampPrefix(nowMs), e: Buffer.of(9) })).toThrow(
      new UnknownFormat('The format of a stored item (record) is 4, and this release reads 3.'),
    );
  });

  describe('sort keys of a log', () => {
    test('are in the order of the stamps', () => {
      const stamp = fc.nat({ max: 32 ** 9 - 1 });
      fc.assert(
        fc.property(stamp, stamp, (one, other) => {
          expect(stampPrefix(one) < stampPrefix(other)).toBe(one < other);
        }),
      );
    });

    test('of records are between the prefix of their stamp and that of the next one, and before the manifest', () => {
      const [record] = records([{ after: stored(1) }]);
      const key = record?.key ?? '';
      expect([stampPrefix(nowMs), key, stampPrefix(nowMs + 1), manifestSortKey].toSorted()).toEqual([
        stampPrefix(nowMs),
        key,
        stampPrefix(nowMs + 1),
        manifestSortKey,
      ]);
    });

    test('begin with the first stamp for a time before 1970', () => {
      expect(stampPrefix(-1)).toBe(stampPrefix(0));
    });
  });

  describe('isLate', () => {
    const stamp = Date.parse('2026-02-03T04:05:06.000Z');

    test.each([
      ['in the second of its stamp', 0, false],
      ['three seconds later, for as long as a transaction is sent', 3_000, false],
      ['four seconds later: a compaction whose clock is ahead may have passed it', 4_000, true],
      ['a day later', 86_400_000, true],
    ])('a record that DynamoDB created %s', (_, laterMs, isExpected) => {
      expect(isLate(stamp, stamp + laterMs)).toBe(isExpected);
    });
  });

  describe('parseLogPartition', () => {
    test('returns the tenant and the kind of a log', () => {
      expect(parseLogPartition(logPartition('acme', 'task'))).toEqual({ tenant: 'acme', kind: 'task' });
    });

    test.each([
      [undefined],
      [''],
      ['acme#task'],
      ['acme#task#1#log'],
      ['#task#log'],
      ['acme#task#columns#1'],
      ['acme#task#log.1'],
    ])('returns undefined for the partition %j', (partition) => {
      expect(parseLogPartition(partition)).toBeUndefined();
    });
  });
});

describe('changes', () => {
  const id = '01890000-0000-7000-8000-000000000001';

  const stored = (version: number, more: Record<string, unknown> = {}): StoredEntity => ({
    kind: 'organization',
    version,
    entity: {
      id,
      name: 'Acme',
      status: 'active',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      ...more,
    },
  });

  beforeEach(() => {
    jest.useFakeTimers({ now: Date.parse('2026-02-03T04:05:06.789Z') });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  describe('buildCreate', () => {
    test('returns version 1 of the entity with a new id, created and updated now', () => {
      const { after, ...before } = buildCreate(
        'project',
        { name: 'Build', status: 'open', dueDate: null },
        Date.now(),
      );
      expect(before).toEqual({});
      expect(after).toEqual({
        kind: 'project',
        version: 1,
        entity: {
          id: expect.stringMatching(/^019c21ac-ec65-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
          name: 'Build',
          status: 'open',
          dueDate: null,
          createdAt: '2026-02-03T04:05:06.789Z',
          updatedAt: '2026-02-03T04:05:06.789Z',
        },
      });
    });

    test('does not let fields set the id', () => {
      const { entity } = buildCreate('tag', { id: 'mine', name: 'Red', status: 'active' }, Date.now()).after;
      expect(entity.id).not.toBe('mine');
    });

    test('does not let fields set the times', () => {
      const times = { createdAt: '1999-01-01T00:00:00.000Z', updatedAt: '1999-01-01T00:00:00.000Z' };
      const { entity } = buildCreate('tag', { name: 'Red', status: 'active', ...times }, Date.now()).after;
      expect(entity.createdAt).toBe('2026-02-03T04:05:06.789Z');
      expect(entity.updatedAt).toBe('2026-02-03T04:05:06.789Z');
    });
  });

  describe('buildUpdate', () => {
    test('returns the next version with the given fields, updated now, and keeps the rest', () => {
      expect(buildUpdate(stored(7, { description: 'Old' }), { name: 'Acme Ltd' }, Date.now())).toEqual({
        before: stored(7, { description: 'Old' }),
        after: stored(8, { description: 'Old', name: 'Acme Ltd', updatedAt: '2026-02-03T04:05:06.789Z' }),
      });
    });

    test('keeps the time of the last update when the clock of its writer was ahead', () => {
      const before = stored(1, { updatedAt: '2026-02-03T04:05:07.000Z' });
      expect(buildUpdate(before, {}, Date.now()).after).toEqual(
        stored(2, { updatedAt: '2026-02-03T04:05:07.000Z' }),
      );
    });

    test('does not let fields set the id and the time of the creation', () => {
      const { after } = buildUpdate(
        stored(1),
        { id: 'mine', createdAt: '1999-01-01T00:00:00.000Z' },
        Date.now(),
      );
      expect(after.entity).toMatchObject({ id: stored(1).entity.id, createdAt: stored(1).entity.createdAt });
    });

    test('does not let fields set the time of the update', () => {
      const { after } = buildUpdate(stored(1), { updatedAt: '1999-01-01T00:00:00.000Z' }, Date.now());
      expect(after.entity.updatedAt).toBe('2026-02-03T04:05:06.789Z');
    });

    test('leaves the entity that was read as it is', () => {
      const before = stored(1);
      buildUpdate(before, { name: 'Acme Ltd' }, Date.now());
      expect(before).toEqual(stored(1));
    });
  });

  describe('buildWrite', () => {
    const item = {
      pk: `tenant#organization#${id}`,
      sk: 'entity',
      ofKind: 'tenant#organization',
      byStatus: `active#${id}`,
      kind: 'organization',
      id,
      name: 'Acme',
      status: 'active',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
    };

    test('puts a created entity where there is no item', () => {
      expect(buildWrite('tenant', { after: stored(1) }, 1_770_000_000_000)).toEqual({
        put: { ...item, version: 1, stamp: 1_770_000_000_000 },
        condition: { expression: 'attribute_not_exists(pk)' },
      });
    });

    test('puts an updated entity where the version is the one that was read', () => {
      expect(buildWrite('tenant', { before: stored(4), after: stored(5) }, 1_770_000_000_000)).toEqual({
        put: { ...item, version: 5, stamp: 1_770_000_000_000 },
        replaced: { ...item, version: 4, stamp: 1_770_000_000_000 },
        condition: {
          expression: '#version = :version',
          names: { '#version': 'version' },
          values: { ':version': 4 },
        },
      });
    });

    test('removes a deleted entity where the version is the one that was read', () => {
      expect(buildWrite('tenant', { before: stored(4) }, 1_770_000_000_000)).toEqual({
        remove: { pk: `tenant#organization#${id}`, sk: 'entity' },
        replaced: { ...item, version: 4, stamp: 1_770_000_000_000 },
        condition: {
          expression: '#version = :version',
          names: { '#version': 'version' },
          values: { ':version': 4 },
        },
      });
    });
  });

  describe('buildTextWrite', () => {
    const key = { pk: `tenant#organization#${id}`, sk: 'description' };
    const [text, other] = ['x'.repeat(401), 'y'.repeat(401)];
    const digest = new Digest(digestText(text), 401);
    const long = stored(2, { description: text });
    const withoutText = stored(2, { description: digest });
    const short = stored(2, { description: 'x'.repeat(400) });
    const put = (description: string, replacedBytes: number) => [
      { put: { ...key, text: description }, replacedBytes },
    ];
    const remove = [{ remove: key, replacedBytes: 401 }];

    test.each([
      ['puts the text of a created entity', { after: long }, put(text, 0)],
      [
        'puts a text that replaces another one',
        { before: stored(1, { description: other }), after: long },
        put(text, 401),
      ],
      [
        'puts a text that replaces one that was not read',
        { before: withoutText, after: stored(3, { description: other }) },
        put(other, 401),
      ],
      ['puts a text that replaces a short one', { before: short, after: long }, put(text, 0)],
      ['removes a text that becomes short', { before: long, after: short }, remove],
      ['removes the text of a deleted entity', { before: long }, remove],
      ['removes the text, which was not read, of a deleted entity', { before: withoutText }, remove],
      ['writes nothing when the text stays', { before: long, after: stored(3, { description: text }) }, []],
      [
        'writes nothing when the text, which was not read, stays',
        { before: withoutText, after: stored(3, { description: digest }) },
        [],
      ],
      ['writes nothing for a created entity with a short text', { after: short }, []],
      [
        'writes nothing for a changed short text',
        { before: short, after: stored(3, { description: 'z' }) },
        [],
      ],
      ['writes nothing for a deleted entity with a short text', { before: short }, []],
      ['writes nothing for an entity without a description', { before: stored(1), after: stored(2) }, []],
    ])('%s', (_, change, writes) => {
      expect(buildTextWrite('tenant', change)).toEqual(writes);
    });

    test('throws TypeError for a changed text that was not read', () => {
      expect(() => buildTextWrite('tenant', { after: withoutText })).toThrow(
        new TypeError('A long text was not read.'),
      );
    });
  });

  describe('mergeChangeSets', () => {
    test('returns all changes and all writes, in order', () => {
      const condition = { expression: 'attribute_not_exists(pk)' };
      const first = { put: { pk: '1', sk: 'job' }, condition };
      const second = { put: { pk: '2', sk: 'job' }, condition };
      const created = { after: stored(1) };
      const updated = { before: stored(1), after: stored(2) };
      const deleted = { before: stored(2) };
      expect(
        mergeChangeSets([
          { changes: [created, updated], writes: [first] },
          { changes: [deleted] },
          { changes: [], writes: [second] },
        ]),
      ).toEqual({ changes: [created, updated, deleted], writes: [first, second] });
    });

    test('returns an empty change set for none', () => {
      expect(mergeChangeSets([])).toEqual({ changes: [], writes: [] });
    });
  });
});

describe('deletion', () => {
  const id = '01890000-0000-7000-8000-000000000001';
  const deletedAt = Date.parse('2026-02-03T04:05:06.789Z');
  const dayMs = 86_400_000;

  const task = (more: object = {}): StoredEntity => ({
    kind: 'task',
    version: 3,
    stamp: 1_770_000_000_000,
    entity: {
      id,
      name: 'Build',
      status: 'open',
      projectId,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
      ...more,
    },
  });

  const ofProject: Deletion = { deletedAt, deletedBy: 'ann', root: { kind: 'project', id: projectId } };
  const deleted = buildDeletion(task(), ofProject).after;

  /** Returns the item that a change puts. */
  function itemOf(after: DeletedEntity): Item {
    const write = buildWrite('acme', { before: task(), after }, 1_770_000_000_001);
    if (!('put' in write)) throw new TypeError('The write puts no item.');
    return write.put;
  }

  test('the item of a deleted entity is in the partition of deleted ones alone', () => {
    expect(itemOf(deleted)).toEqual({
      pk: `acme#task#${id}`,
      sk: 'entity',
      ofKind: 'acme#task#deleted',
      byStatus: `${stampText(deletedAt)}#${projectId}#${id}`,
      deletedAt,
      deletedBy: 'ann',
      rootKind: 'project',
      expiresAt: Math.ceil((deletedAt + 31 * dayMs) / 1_000),
      kind: 'task',
      version: 4,
      stamp: 1_770_000_000_001,
      name: 'Build',
      status: 'open',
      projectId,
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
    });
  });

  test.each([
    ['a part of another deletion', deleted],
    [
      'deleted by itself, without a token',
      buildDeletion(task(), { deletedAt, root: { kind: 'task', id } }).after,
    ],
  ] as const)('the item of an entity that is %s is decoded to it', (_, one) => {
    const item = encodeEntity('acme', one, 7);
    expect(isDeletedItem(item)).toBe(true);
    expect(decodeAnyEntity(item)).toEqual({ ...one, stamp: 7 });
    expect(() => decodeEntity(item)).toThrow(TypeError);
  });

  test('a restored entity has the version after that of the deletion, and a later time', () => {
    const { after } = buildRestore({ ...deleted, stamp: 8 }, { projectId: null }, deletedAt - 5_000);
    expect(after).toEqual({
      ...task({ projectId: null }),
      stamp: 8,
      version: 5,
      entity: { ...task({ projectId: null }).entity, updatedAt: new Date(deletedAt + 1).toISOString() },
    });
    // By a clock that is behind, the next deletion is another one all the same.
    const next = newDeletion(after, 'ann', deletedAt - 5_000);
    expect(next.deletedAt).toBeGreaterThan(deletedAt);
  });

  test('a long text expires with its entity, and not after a restore', () => {
    const before = task({ description: 'x'.repeat(500) });
    const change = buildDeletion(before, ofProject);
    const write = { setExpiry: { pk: `acme#task#${id}`, sk: 'description' }, replacedBytes: 500 };
    expect(buildTextWrite('acme', change)).toEqual([{ ...write, expiresAt: expiryOf(ofProject) }]);
    expect(buildTextWrite('acme', buildRestore(change.after, {}, deletedAt))).toEqual([
      { ...write, expiresAt: undefined },
    ]);
    expect(buildTextWrite('acme', buildDeletion(task({ description: 'short' }), ofProject))).toEqual([]);
  });

  test('a deletion expires after 30 days, and DynamoDB deletes the item a day later at the earliest', () => {
    expect(isExpired(ofProject, deletedAt + 30 * dayMs - 1)).toBe(false);
    expect(isExpired(ofProject, deletedAt + 30 * dayMs)).toBe(true);
    expect(expiryOf(ofProject) * 1_000).toBeGreaterThanOrEqual(deletedAt + 31 * dayMs);
  });

  test('a root is what a caller has deleted, by its kind and its id', () => {
    expect(isRoot(deleted)).toBe(false);
    expect(isRoot({ ...deleted, deletion: { deletedAt, root: { kind: 'task', id } } })).toBe(true);
    expect(isRoot({ ...deleted, deletion: { deletedAt, root: { kind: 'project', id } } })).toBe(false);
  });

  test('two deletions are the same one if their time, kind and id are', () => {
    expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'project', id: projectId } })).toBe(true);
    expect(isSameDeletion(ofProject, { ...ofProject, deletedAt: deletedAt + 1 })).toBe(false);
    expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'task', id: projectId } })).toBe(false);
    expect(isSameDeletion(ofProject, { deletedAt, root: { kind: 'project', id } })).toBe(false);
  });

  describe('the queries', () => {
    const isIn = (query: { ExpressionAttributeValues: Record<string, string> }, key: string): boolean => {
      const [, first = '', last = ''] = Object.values(query.ExpressionAttributeValues);
      return first <= key && key <= last;
    };
    const key = (at: number, rootId = projectId, own = id) => `${stampText(at)}#${rootId}#${own}`;

    test('find what one deletion has removed, after an id', () => {
      const all = queryOfDeletion('acme', 'task', ofProject, '');
      expect(isIn(all, key(deletedAt))).toBe(true);
      expect(isIn(all, key(deletedAt + 1))).toBe(false);
      expect(isIn(all, key(deletedAt, id))).toBe(false);
      const after = queryOfDeletion('acme', 'task', ofProject, id);
      expect(isIn(after, key(deletedAt))).toBe(false);
      expect(isIn(after, key(deletedAt, projectId, projectId))).toBe(true);
    });

    test('find what can be restored, before a place', () => {
      const nowMs = deletedAt + 30 * dayMs;
      const all = deletedQuery('acme', 'task', nowMs);
      expect(isIn(all, key(deletedAt))).toBe(false);
      expect(isIn(all, key(deletedAt + 1))).toBe(true);
      const before = deletedQuery('acme', 'task', nowMs - 1, placeOf(deleted));
      expect(isIn(before, key(deletedAt))).toBe(true);
      expect(isIn(before, key(deletedAt + 1))).toBe(false);
    });
  });
});

describe('ids', () => {
  test('ids are in the order in which they are made, and hold the time of creation', () => {
    const made = Array.from({ length: 5_000 }, () => newId(Date.now()));
    expect(made.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id));
    expect(made.map(({ createdAt }) => createdAt).toSorted()).toEqual(made.map(({ createdAt }) => createdAt));
    expect(made.every(({ id }) => isId(id))).toBe(true);
    expect(Math.abs(Date.parse(made[0]?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
  });

  describe('isId', () => {
    test.each([
      '01890000-0000-7000-8000-000000000001',
      'ffffffff-ffff-7fff-bfff-ffffffffffff',
      '00000000-0000-7000-9000-000000000000',
      '00000000-0000-7000-a000-000000000000',
    ])('accepts %s', (text) => {
      expect(isId(text)).toBe(true);
    });

    test.each([
      ['no text', ''],
      ['another version', '01890000-0000-4000-8000-000000000001'],
      ['another variant', '01890000-0000-7000-c000-000000000001'],
      ['upper case', '01890000-0000-7000-A000-000000000001'],
      ['a digit too few', '01890000-0000-7000-8000-00000000001'],
      ['a digit too many', '01890000-0000-7000-8000-0000000000011'],
      ['no hyphens', '01890000000070008000000000000001'],
      ['a character that is no digit', '0189000g-0000-7000-8000-000000000001'],
      ['text before it', ' 01890000-0000-7000-8000-000000000001'],
      ['a line feed after it', '01890000-0000-7000-8000-000000000001\n'],
      ['braces around it', '{01890000-0000-7000-8000-000000000001}'],
    ])('refuses an id with %s', (_, text) => {
      expect(isId(text)).toBe(false);
    });
  });

  describe('idAfter', () => {
    const future = 'f0000000-0000-7fff-bfff-ffffffffffff';
    const past = '01890000-0000-7fff-bfff-ffffffffffff';

    test('returns an id one millisecond later when the clock that made the other id is ahead', () => {
      const id = idAfter(future, Date.now());
      expect(isId(id)).toBe(true);
      expect(id.slice(0, 13)).toBe('f0000000-0001');
    });

    test('carries into the higher digits of the time', () => {
      expect(idAfter('f0000000-ffff-7fff-bfff-ffffffffffff', Date.now()).slice(0, 13)).toBe('f0000001-0000');
    });

    test('returns an id of the present when the other id is older', () => {
      const id = idAfter(past, Date.parse('2026-02-03T04:05:06.789Z'));
      expect(isId(id)).toBe(true);
      expect(id.slice(0, 13)).toBe('019c21ac-ec65');
    });
  });

  describe('firstIdAt', () => {
    test.each([
      [0, '00000000-0000-0000-0000-000000000000'],
      [1_770_091_506_789, '019c21ac-ec65-0000-0000-000000000000'],
      [1_770_091_506_789.9, '019c21ac-ec65-0000-0000-000000000000'],
      [-1, '00000000-0000-0000-0000-000000000000'],
      [2 ** 48 - 1, 'ffffffff-ffff-0000-0000-000000000000'],
    ])('returns for the time %d the text %s', (timeMs, text) => {
      expect(firstIdAt(timeMs)).toBe(text);
    });

    test('is between the ids of a time and those of the millisecond before', () => {
      const ids = Array.from({ length: 100 }, () => newId(Date.now()));
      for (const { id, createdAt } of ids) {
        const timeMs = Date.parse(createdAt);
        expect(firstIdAt(timeMs) < id && id < firstIdAt(timeMs + 1)).toBe(true);
      }
    });
  });

  describe('newId', () => {
    const nowMs = Date.now() + 3_600_000;

    test('ids of one millisecond are in the order in which they are made', () => {
      const made = Array.from({ length: 5_000 }, () => newId(nowMs).id);
      expect(made.toSorted()).toEqual(made);
      expect(new Set(made.map((id) => id.slice(0, 13))).size).toBe(1);
    });

    test('ids stay in order when the time goes back', () => {
      const later = newId(nowMs);
      const earlier = newId(nowMs - 60_000);
      expect(earlier.id > later.id).toBe(true);
      expect(earlier.createdAt).toBe(later.createdAt);
    });
  });
});

describe('inflate', () => {
  /** 40 KB that inflate to 40 MB. */
  const bomb = deflateRawSync(Buffer.alloc(40_000_000));

  const message = /^A stored item cannot be inflated, or not to \d+ bytes at most\.$/;

  test('inflates up to a size', () => {
    const deflated = deflateRawSync('abc');
    expect(inflate(deflated, 3).toString()).toBe('abc');
    expect(() => inflate(deflated, 2)).toThrow(message);
    expect(() => inflate(Buffer.from('not deflated'))).toThrow(message);
    expect(() => inflate(bomb)).toThrow(message);
  });

  function bucketOf(part: Buffer): Buffer {
    const lengths = new ByteWriter();
    lengths.number(part.length);
    lengths.number(0);
    return Buffer.concat([lengths.bytes(), part]);
  }

  /** What a record begins with whose entries are deflated and that has no actor. */
  const head = encodeContents(
    {
      entries: Array.from({ length: 9 }, () => ({
        id: 'an id',
        version: 1,
        previousStamp: 0,
        before: undefined,
        after: {},
      })),
    },
    0,
  ).subarray(0, 2);

  test.each<[string, () => unknown]>([
    ['a record', () => decodeContents(Buffer.concat([head, bomb]), 0)],
    ['a column', () => decodeColumn(bomb)],
    ['a bucket', () => decodeBucket(bucketOf(bomb))],
    ['a patch', () => decodePatch(bomb)],
    [
      'a manifest',
      () =>
        decodeManifest({ pk: '', sk: '', ...encodeManifest(makeManifest({ watermark: 1 })), state: bomb }),
    ],
  ])('%s has a limit', (_, decode) => {
    expect(decode).toThrow(message);
  });
});

describe('item-codec', () => {
  const id = '01890000-0000-7000-8000-000000000001';

  const stored = {
    kind: 'task' as const,
    version: 3,
    stamp: 1_770_000_000_000,
    entity: {
      id,
      name: 'Build',
      status: 'open',
      description: '',
      projectId,
      userId: null,
      tagIds: ['01890000-0000-7000-8000-000000000003'],
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
    },
  };

  const item = {
    pk: `acme#task#${id}`,
    sk: 'entity',
    ofKind: 'acme#task',
    byStatus: `open#${id}`,
    ofParent: `acme#task#projectId#${projectId}`,
    kind: 'task',
    version: 3,
    stamp: 1_770_000_000_000,
    id,
    name: 'Build',
    status: 'open',
    description: '',
    projectId,
    userId: null,
    tagIds: ['01890000-0000-7000-8000-000000000003'],
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };

  test('encodeEntity returns the fields of the entity with its keys, kind, version and stamp', () => {
    expect(encodeEntity('acme', stored, 1_770_000_000_000)).toEqual(item);
  });

  test('encodeEntity returns the stamp of the transaction, not the one that was read', () => {
    expect(encodeEntity('acme', stored, 1_770_000_000_001)).toEqual({ ...item, stamp: 1_770_000_000_001 });
  });

  test('decodeEntity returns the entity with its kind, version and stamp, without other attributes of the store', () => {
    expect(decodeEntity({ ...item, ofParent: 'acme#task#projectId#1', expiresAt: 1_800_000_000 })).toEqual(
      stored,
    );
  });

  test('decodeEntity keeps the order of the fields', () => {
    expect(Object.keys(decodeEntity(item).entity)).toEqual([
      'id',
      'name',
      'status',
      'description',
      'projectId',
      'userId',
      'tagIds',
      'createdAt',
      'updatedAt',
    ]);
  });

  describe('a long text', () => {
    const text = 'x'.repeat(401);
    const digest = digestText(text);
    const long = { ...stored, entity: { ...stored.entity, description: text } };
    const withoutText = { ...stored, entity: { ...stored.entity, description: new Digest(digest, 401) } };
    const textItem = { pk: `acme#task#${id}`, sk: 'description', text };

    test('encodeEntity replaces it by its digest', () => {
      const expected = { ...item, description: digest, textBytes: 401 };
      expect(encodeEntity('acme', long, 1_770_000_000_000)).toEqual(expected);
      expect(encodeEntity('acme', withoutText, 1_770_000_000_000)).toEqual(expected);
    });

    test('decodeEntity returns the digest of a text that is another item', () => {
      expect(decodeEntity({ ...item, description: digest, textBytes: 401 })).toEqual(withoutText);
    });

    test('encodeText returns its item, which no index has', () => {
      expect(encodeText('acme', long, text)).toEqual(textItem);
    });

    test('withText returns the entity with its text', () => {
      expect(withText(withoutText, textItem)).toEqual(long);
    });

    test('withText returns an entity with a short text as it is', () => {
      expect(withText(stored, undefined)).toBe(stored);
      expect(withText(stored, textItem)).toBe(stored);
    });

    test.each([
      ['missing', undefined],
      ['another one', { ...textItem, text: `${text}x` }],
    ])('withText returns undefined when the text is %s', (_, other) => {
      expect(withText(withoutText, other)).toBeUndefined();
    });
  });

  test('internalAttributes are the keys of the table and of its indexes, without the id, and what the store adds', () => {
    expect([...internalAttributes].toSorted()).toEqual([
      'byStatus',
      'deletedAt',
      'deletedBy',
      'erased',
      'expiresAt',
      'format',
      'kind',
      'ofKind',
      'ofParent',
      'pk',
      'rootKind',
      'sk',
      'stamp',
      'textBytes',
      'version',
    ]);
  });

  describe('an attribute that this release does not know', () => {
    test.each([
      ['a text', 'red'],
      ['null', null],
      ['a list of texts', ['a', 'b']],
    ])('is kept when it is %s, as the next release adds it: a field', (_, value) => {
      const later = { ...item, colour: value };
      const decoded = decodeEntity(later);
      expect(encodeEntity('acme', decoded, stored.stamp)).toEqual(later);
      expect(toRow(decoded.entity)).toMatchObject({ colour: Array.isArray(value) ? 'a,b' : value });
    });

    test.each([
      ['a number', 1],
      ['a boolean', true],
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
  const work = { type: 'archive', id: 'organization-1', asOf: 0, after: '' } as const;
  const lease = { owner: 'delivery-1', until: '2026-02-03T04:06:00.000Z' };
  const job: Job = { id: '1', tenant: 'acme', version: 3, dueAt: '1970-01-01T00:00:00.000Z', work };

  const notExists = { expression: 'attribute_not_exists(pk)' };
  const hasVersion3 = {
    expression: '#version = :version',
    names: { '#version': 'version' },
    values: { ':version': 3 },
  };

  describe('the key of a job', () => {
    test('has the tenant and the id', () => {
      expect(jobKey({ tenant: 'acme', id: '1' })).toEqual({ pk: 'acme#job#1', sk: 'job' });
    });

    test.each([
      ['an id', 'acme', '01890000-0000-7000-8000-000000000001'],
      ['the tenant "job" and the id "job"', 'job', 'job'],
      ['an id with separators', 'acme', 'acme#task#projectId#1'],
      ['an id like a part of a key', 'acme', '#job#'],
      ['a separator as id', 'acme', '#'],
      ['line feeds', 'ac me\n', 'line 1\nline 2\n'],
      ['characters that are not ASCII or control characters', '😀', '\u0000\u2028'],
    ])('of %s is parsed to the same tenant and id', (_, tenant, id) => {
      expect(parseJobKey(jobKey({ tenant, id }).pk)).toEqual({ tenant, id });
    });

    test.each([
      undefined,
      '',
      'acme',
      '#job',
      '#job#',
      '#job#1',
      '##job#1',
      'acme#job',
      'acme#job#',
      'acme#jobs#1',
      'acme#task#1',
      'acme#task#job#1',
      'acme#idempotency#1#job#2',
      'acmejob#1',
    ])('%j is the key of no job', (pk) => {
      expect(parseJobKey(pk)).toBeUndefined();
    });
  });

  describe('buildJobWrite', () => {
    const item = {
      pk: 'acme#job#1',
      sk: 'job',
      ofKind: '#job#4',
      byStatus: 'acme#1970-01-01T00:00:00.000Z#1',
      version: 4,
      dueAt: '1970-01-01T00:00:00.000Z',
      work: { type: 'archive', id: 'organization-1', asOf: 0, after: '' },
    };

    test('puts a job that begins where there is no item', () => {
      expect(buildJobWrite(undefined, { ...job, version: 4 })).toEqual({ put: item, condition: notExists });
    });

    test('puts the next version of a job, with its lease, where the version is the one that was read', () => {
      expect(buildJobWrite(job, { ...job, version: 4, lease })).toEqual({
        put: { ...item, lease: { owner: 'delivery-1', until: '2026-02-03T04:06:00.000Z' } },
        condition: hasVersion3,
      });
    });

    test('puts no attribute for a lease that was given back', () => {
      const write = buildJobWrite({ ...job, lease }, { ...job, version: 4, lease: undefined });
      expect(write).toEqual({ put: item, condition: hasVersion3 });
      expect('put' in write && 'lease' in write.put).toBe(false);
    });

    test('removes a job that ends where the version is the one that was read', () => {
      expect(buildJobWrite(job, undefined)).toEqual({
        remove: { pk: 'acme#job#1', sk: 'job' },
        condition: hasVersion3,
      });
    });

    test('throws without a state', () => {
      expect(() => buildJobWrite(undefined, undefined)).toThrow(
        new TypeError('A job write needs a state before or after.'),
      );
    });

    test('spreads the jobs of tenants evenly over all partitions, those of one tenant into one', () => {
      const partitionOf = (tenant: string, id = '1'): unknown => {
        const write = buildJobWrite(undefined, { ...job, tenant, id });
        return 'put' in write && write.put['ofKind'];
      };
      const counts = new Map<unknown, number>();
      for (let number = 0; number < 1_600; number += 1) {
        const partition = partitionOf(`@tenant-${number}`);
        counts.set(partition, (counts.get(partition) ?? 0) + 1);
      }
      const partitions = Array.from(
        { length: jobPartitions },
        (_, partition) => jobsAfterTenant(partition).ExpressionAttributeValues[':jobs'],
      );
      expect([...counts.keys()].sort()).toEqual(partitions.sort());
      expect(Math.max(...counts.values())).toBeLessThan(200);
      expect(partitionOf('acme', '2')).toBe(partitionOf('acme', '1'));
    });
  });

  describe('the queries for jobs', () => {
    const key = (tenant: string, dueAt: string, id: string): string => {
      const write = buildJobWrite(undefined, { ...job, tenant, dueAt, id });
      return 'put' in write ? String(write.put['byStatus']) : '';
    };
    const [first, second, third] = ['00.000', '01.000', '02.000'].map((time) => `2026-02-03T04:05:${time}Z`);
    const keys = [
      key('acme', first ?? '', '9'),
      key('acme', second ?? '', '1'),
      key('acme', second ?? '', '2'),
      key('acme', third ?? '', '0'),
      key('acme-2', first ?? '', '1'),
      key('acme2', first ?? '', '1'),
    ];

    test('find the jobs of a tenant in the order of their times', () => {
      expect([...keys].sort()).toEqual(keys);
    });

    test('go from a tenant to the next one', () => {
      const { ExpressionAttributeValues: values, ...query } = jobsAfterTenant(4, 'acme');
      expect(query).toEqual({
        IndexName: 'by-status',
        KeyConditionExpression: 'ofKind = :jobs AND byStatus > :after',
      });
      expect(values[':jobs']).toBe('#job#4');
      expect(keys.filter((one) => one > (values[':after'] ?? ''))).toEqual(keys.slice(4));
      const all = jobsAfterTenant(4).ExpressionAttributeValues[':after'] ?? '';
      expect(keys.filter((one) => one > all)).toEqual(keys);
    });

    test('find the due jobs of a tenant after one of them', () => {
      const before = { tenant: 'acme', dueAt: second ?? '', id: '1' };
      const { ExpressionAttributeValues: values, ...query } = dueJobsAfter(before, Date.parse(second ?? ''));
      expect(query).toEqual({
        IndexName: 'by-status',
        KeyConditionExpression: 'ofKind = :jobs AND byStatus BETWEEN :after AND :now',
      });
      const { ':jobs': partition, ':after': after = '', ':now': now = '' } = values;
      expect(partition).toBe('#job#4');
      expect(keys.filter((one) => one >= after && one <= now)).toEqual([keys[2]]);
    });

    test('find all jobs of a tenant', () => {
      expect(jobsOfTenant('acme')).toEqual({
        IndexName: 'by-status',
        KeyConditionExpression: 'ofKind = :jobs AND begins_with(byStatus, :tenant)',
        ExpressionAttributeValues: { ':jobs': '#job#4', ':tenant': 'acme#' },
      });
    });
  });

  test('a wake-up is an item beside the job, which expires', () => {
    expect(wakeUp({ tenant: 'acme', id: '1' }, 1_770_000_000_001)).toEqual({
      put: { pk: 'acme#job#1', sk: 'wake-up', wokenAt: 1_770_000_000_001, expiresAt: 1_770_003_601 },
    });
  });

  describe('beginJob', () => {
    const begun = (id: string) => ({
      put: {
        pk: `acme#job#${id}`,
        sk: 'job',
        ofKind: '#job#4',
        byStatus: `acme#1970-01-01T00:00:00.000Z#${id}`,
        version: 1,
        dueAt: '1970-01-01T00:00:00.000Z',
        work: { type: 'archive', id: 'organization-1', asOf: 0, after: '' },
      },
      condition: notExists,
    });

    test('puts a job under an id that is due by every clock', () => {
      const write = beginJob({ tenant: 'acme' }, work, { id: 'archive#1' });
      expect(write).toEqual(begun('archive#1'));
      expect('put' in write && write.put.pk).toBe('acme#job#archive#1');
    });

    test('puts a job that is due at a given time', () => {
      const dueAt = '2026-02-03T04:06:00.000Z';
      expect(beginJob({ tenant: 'acme' }, work, { id: '1', dueAt })).toMatchObject({ put: { dueAt } });
    });

    test.each([
      ['begins', buildJobWrite(undefined, { ...job, version: 1 }), true],
      ['continues', buildJobWrite(job, { ...job, version: 4 }), false],
      ['ends', buildJobWrite(job, undefined), false],
    ])('a write that %s a job', (_, write, begins) => {
      expect(beginsJob(write)).toBe(begins);
    });
  });

  describe('decodeJob', () => {
    test.each([undefined, null])('gives an item whose work is %p work of an unknown type', (work) => {
      expect(decodeJob({ pk: 'acme#job#1', sk: 'job', version: 1, work }).work).toEqual({
        type: 'missing',
      });
    });

    test.each([
      ['with a lease', { ...job, lease }],
      ['without a lease', job],
      ['with a number of steps', { ...job, steps: 7 }],
    ])('returns the job of an item %s', (_, state) => {
      const write = buildJobWrite(undefined, state);
      if (!('put' in write)) throw new Error('The write puts no item.');
      const decoded = decodeJob(write.put);
      expect(decoded).toEqual(state);
      expect('lease' in decoded).toBe('lease' in state);
    });
  });

  describe('isReady', () => {
    const earlier = '2026-02-03T04:05:06.788Z';
    const now = '2026-02-03T04:05:06.789Z';
    const later = '2026-02-03T04:05:06.790Z';
    const nowMs = Date.parse(now);

    test.each([
      ['is due since earlier', { dueAt: earlier }, true],
      ['is due now', { dueAt: now }, true],
      ['is due later', { dueAt: later }, false],
      ['has the lease of another worker', { lease: { owner: 'other', until: later } }, false],
      ['has the lease of another worker that expires now', { lease: { owner: 'other', until: now } }, true],
      ['has an expired lease of another worker', { lease: { owner: 'other', until: earlier } }, true],
      ['has the lease of this worker', { lease: { owner: 'self', until: later } }, true],
      [
        'is due later, with the lease of this worker',
        { dueAt: later, lease: { owner: 'self', until: later } },
        false,
      ],
    ])('a job that %s', (_, more, ready) => {
      expect(isReady({ ...job, ...more }, 'self', nowMs)).toBe(ready);
    });

    test('returns true for a job without a time', () => {
      const { dueAt, ...withoutTime } = job;
      expect(isReady(withoutTime as Job, 'self', nowMs)).toBe(true);
    });
  });
});

describe('keys', () => {
  describe('keys of an entity', () => {
    const id = '01890000-0000-7000-8000-000000000001';
    const parentId = '01890000-0000-7000-8000-000000000002';
    const otherParentId = '01890000-0000-7000-8000-000000000003';
    const entity = {
      id,
      name: 'Build',
      status: 'open',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-02T00:00:00.000Z',
    };
    const ownKeys = { byStatus: `open#${id}` };

    test('begin with the tenant', () => {
      expect(entityKey('acme', 'task', id)).toEqual({ pk: `acme#task#${id}`, sk: 'entity' });
      expect(kindPartition('acme', 'task')).toBe('acme#task');
      expect(parentPartition('acme', { child: 'task', field: 'userId' }, parentId)).toBe(
        `acme#task#userId#${parentId}`,
      );
    });

    test('by status begin with the status and a separator, so that no status is the beginning of another', () => {
      expect(statusPrefix('open')).toBe('open#');
    });

    test('of an organization have no parent', () => {
      expect(indexKeys('acme', 'organization', entity)).toEqual({ ofKind: 'acme#organization', ...ownKeys });
    });

    test.each(['project', 'user', 'tag'] as const)('of a %s have the organization as parent', (kind) => {
      expect(indexKeys('acme', kind, { ...entity, organizationId: parentId })).toEqual({
        ofKind: `acme#${kind}`,
        ofParent: `acme#${kind}#organizationId#${parentId}`,
        ...ownKeys,
      });
    });

    test('of a task have the project as parent, and none for its user and its tags', () => {
      const references = { projectId: parentId, userId: otherParentId, tagIds: [parentId] };
      expect(indexKeys('acme', 'task', { ...entity, ...references })).toEqual({
        ofKind: 'acme#task',
        ofParent: `acme#task#projectId#${parentId}`,
        ...ownKeys,
      });
    });

    test.each([[{ projectId: null, userId: null }], [{}]])(
      'of a task with the references %j are absent from the indexes of parents',
      (references) => {
        const keys = indexKeys('acme', 'task', { ...entity, ...references });
        expect(Object.keys(keys).toSorted()).toEqual(['byStatus', 'ofKind']);
      },
    );
  });
});

describe('log-entry', () => {
  describe('changedFields', () => {
    test('returns the whole row when there was none', () => {
      const row = { name: 'Build', status: 'open' };
      expect(changedFields(undefined, row)).toEqual(row);
    });

    test('returns the fields whose values differ', () => {
      const before = { name: 'a', userId: null, color: 'red', dueDate: '' };
      const after = { name: 'b', userId: '1', color: 'red', dueDate: null, points: null };
      expect(changedFields(before, after)).toEqual({ name: 'b', userId: '1', dueDate: null, points: null });
    });
  });
});

describe('long-text', () => {
  describe('digestText', () => {
    test.each([
      ['an empty text', ''],
      ['a text of 100 characters', 'x'.repeat(100)],
      ['a text of 100 characters of two units each', '\u{1F600}'.repeat(100)],
    ])('returns %s as it is', (_, text) => {
      expect(digestText(text)).toBe(text);
    });

    test.each([
      ['101 characters', 'x'.repeat(101), 'x'.repeat(100)],
      ['101 characters of two units each', '\u{1F600}'.repeat(101), '\u{1F600}'.repeat(100)],
      [
        '300 characters, the 101st of two units',
        `${'x'.repeat(100)}\u{1F600}${'x'.repeat(199)}`,
        'x'.repeat(100),
      ],
    ])('returns the first 100 characters and a hash of a text of %s', (_, text, beginning) => {
      const [first, hash, ...more] = digestText(text).split('\u0000');
      expect(first).toBe(beginning);
      expect(hash).toMatch(/^[A-Za-z0-9_-]{22}$/);
      expect(more).toEqual([]);
      expect(beginningOf(digestText(text))).toBe(beginning);
    });

    test('returns different digests of texts with the same beginning', () => {
      const beginning = 'x'.repeat(150);
      expect(digestText(`${beginning}1`)).not.toBe(digestText(`${beginning}2`));
      expect(digestText(`${beginning}1`)).toBe(digestText(`${beginning}1`));
    });
  });

  describe('isLong', () => {
    test.each([
      ['undefined', undefined, false],
      ['399 bytes', 'x'.repeat(399), false],
      ['400 bytes', 'x'.repeat(400), false],
      ['401 bytes', 'x'.repeat(401), true],
      ['200 characters of two bytes', 'é'.repeat(200), false],
      ['201 characters of two bytes', 'é'.repeat(201), true],
      ['133 characters of three bytes', '€'.repeat(133), false],
      ['134 characters of three bytes', '€'.repeat(134), true],
      ['100 characters of four bytes', '\u{1F600}'.repeat(100), false],
      ['101 characters of four bytes', '\u{1F600}'.repeat(101), true],
      ['a digest', new Digest(digestText('x'.repeat(500))), true],
    ])('of %s', (_, text, expected) => {
      expect(isLong(text)).toBe(expected);
    });
  });

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
      }),
    );
  });

  test('a digest cannot become a part of a response', () => {
    expect(() => JSON.stringify({ description: new Digest('x') })).toThrow(
      new TypeError('A long text was not read.'),
    );
  });
});

describe('pace', () => {
  const nowMs = Date.parse('2026-01-01T00:00:00.000Z');
  const step = { nowMs, changes: 50, changesPerSecond: 100, isThrottled: false };
  const pace: Pace = { tenant: 'acme', version: 3, freeAt: nowMs + 250, slowdown: 1 };

  describe('reserve', () => {
    test('begins the first step at once, and reserves the time of its changes', () => {
      expect(reserve(newPace('acme'), step)).toEqual({
        pace: { tenant: 'acme', version: 1, freeAt: nowMs + 500, slowdown: 1 },
        waitMs: 0,
      });
    });

    test('begins a step when the previous reservations end', () => {
      expect(reserve(pace, step)).toEqual({
        pace: { tenant: 'acme', version: 4, freeAt: nowMs + 750, slowdown: 1 },
        waitMs: 250,
      });
    });

    test('saves no time that was not used', () => {
      const { pace: after, waitMs } = reserve({ ...pace, freeAt: nowMs - 60_000 }, step);
      expect([after.freeAt, waitMs]).toEqual([nowMs + 500, 0]);
    });

    test('ignores a reservation that only a wrong clock can have made', () => {
      const { pace: after, waitMs } = reserve({ ...pace, freeAt: nowMs + 600_001 }, step);
      expect([after.freeAt, waitMs]).toEqual([nowMs + 500, 0]);
    });

    test('doubles the time of a step after a throttle, up to sixteen times', () => {
      const slowdowns: number[] = [];
      let current = newPace('acme');
      for (let number = 0; number < 5; number += 1) {
        current = reserve({ ...current, freeAt: 0 }, { ...step, isThrottled: true }).pace;
        slowdowns.push(current.slowdown);
        expect(current.freeAt).toBe(nowMs + 500 * current.slowdown);
      }
      expect(slowdowns).toEqual([2, 4, 8, 16, 16]);
    });

    test('returns to the pace of the setting step by step without further throttles', () => {
      let current = { ...pace, slowdown: 16 };
      let steps = 0;
      for (; current.slowdown > 1; steps += 1) {
        const next = reserve(current, step).pace;
        expect(next.slowdown).toBeLessThan(current.slowdown);
        current = next;
      }
      expect([current.slowdown, steps]).toEqual([1, 10]);
    });
  });

  test('an item stores a pace, and expires an hour after its last reservation', () => {
    const item = encodePace(pace);
    expect(item).toEqual({
      pk: 'acme#pace',
      sk: 'pace',
      tenant: 'acme',
      version: 3,
      freeAt: nowMs + 250,
      slowdown: 1,
      expiresAt: nowMs / 1_000 + 3_601,
    });
    expect(decodePace(item)).toEqual(pace);
  });
});

describe('published-units', () => {
  const own = { tenant: '@acme', process: 'p', window: 200_000_000, units: 7 };

  test('encodePublishedUnits returns the item of a process and window, which expires a minute after the window', () => {
    expect(encodePublishedUnits(own)).toEqual({
      pk: '#rate#@acme',
      sk: 'units#200000000#p',
      units: 7,
      expiresAt: 2_000_000_010 + 60,
    });
  });

  test('publishedUnitsQuery returns the query of the units of a window', () => {
    expect(publishedUnitsQuery(own)).toEqual({
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :window)',
      ExpressionAttributeValues: { ':pk': '#rate#@acme', ':window': 'units#200000000#' },
    });
  });

  test('sumOfOthers returns the units of the other processes', () => {
    const published = [own, { ...own, process: 'q', units: 5 }, { ...own, process: 'r', units: 2 }];
    expect(sumOfOthers(published.map(encodePublishedUnits), own)).toBe(7);
  });
});

describe('record-codec', () => {
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
});

describe('relations', () => {
  describe('relationOf', () => {
    test.each([
      ['project', 'organization', 'organizationId', 'cascade'],
      ['user', 'organization', 'organizationId', 'setNull'],
      ['tag', 'organization', 'organizationId', 'setNull'],
      ['task', 'project', 'projectId', 'cascade'],
    ] as const)(
      'returns the relation of a %s to its %s, which is indexed',
      (child, parent, field, onDelete) => {
        expect(relationOf(child, parent)).toMatchObject({ child, field, parent, onDelete, isIndexed: true });
      },
    );

    test('returns the relations of a task to its user and to its tags, which have no index', () => {
      const relation = { child: 'task', onDelete: 'setNull' };
      expect(relationOf('task', 'user')).toEqual({ ...relation, field: 'userId', parent: 'user' });
      expect(relationOf('task', 'tag')).toEqual({
        ...relation,
        field: 'tagIds',
        parent: 'tag',
        isArray: true,
      });
    });

    test.each([
      ['project', 'task'],
      ['task', 'organization'],
      ['user', 'user'],
    ] as const)('throws a TypeError when a %s does not refer to a %s', (child, parent) => {
      expect(() => relationOf(child, parent)).toThrow(TypeError);
    });
  });

  test.each([
    ['organization', []],
    ['project', ['organizationId']],
    ['user', ['organizationId']],
    ['tag', ['organizationId']],
    ['task', ['projectId', 'userId', 'tagIds']],
  ] as const)('referencesOf returns the references of the kind %s', (kind, fields) => {
    expect(referencesOf(kind).map(({ field }) => field)).toEqual(fields);
  });

  test.each([
    ['organization', ['project', 'user', 'tag']],
    ['project', ['task']],
    ['user', ['task']],
    ['tag', ['task']],
  ] as const)('dependentsOf returns the kinds that refer to the kind %s', (kind, children) => {
    expect(dependentsOf(kind).map(({ child }) => child)).toEqual(expect.arrayContaining([...children]));
  });

  test('isArray tells the references that are arrays', () => {
    expect(isArray('task', 'tagIds')).toBe(true);
    expect(isArray('task', 'projectId')).toBe(false);
    expect(isArray('task', 'name')).toBe(false);
  });

  test('only the organization of a project is required', () => {
    const required = relations.filter(({ isRequired }) => isRequired);
    expect(required.map(({ child, field }) => [child, field])).toEqual([['project', 'organizationId']]);
  });

  test.each([
    ['organization', ['project', 'task']],
    ['project', ['task']],
    ['user', []],
    ['tag', []],
    ['task', []],
  ] as const)('cascadeKinds returns what the deletion of the kind %s removes besides', (kind, kinds) => {
    expect(cascadeKinds(kind)).toEqual(kinds);
  });
});

describe('reminder', () => {
  const minuteMs = 60_000;
  const hourMs = 60 * minuteMs;
  const dayMs = 24 * hourMs;
  const dueAt = Date.parse('2026-02-03T04:05:06.789Z');
  const log = { tenant: 'acme', kind: 'task' } as const;
  const reminder = {
    ...log,
    dueAt,
    keptUntil: 7,
    late: ['r#1'],
    compared: { upTo: 3, at: 5, after: 'x' },
  } as const;

  test('the item of a reminder is found by its time', () => {
    const item = encodeReminder(reminder);
    const partition = partitionNumber('acme#task', reminderPartitions);
    expect(item).toEqual({
      pk: 'acme#reminder',
      sk: 'task',
      format: 2,
      ofKind: `#reminder#${partition}`,
      byStatus: '2026-02-03T04:05:06.789Z#acme#task',
      dueAt,
      keptUntil: 7,
      late: ['r#1'],
      compared: { upTo: 3, at: 5, after: 'x' },
    });
    const without = { ...reminder, late: [] };
    expect(encodeReminder(without)).not.toHaveProperty('late');
    expect(decodeReminder(encodeReminder(without))).toEqual(without);
    expect(decodeReminder(item)).toEqual(reminder);
    const { ExpressionAttributeValues: values, ...query } = dueRemindersQuery(partition, dueAt + 1);
    expect(query).toEqual({
      IndexName: 'by-status',
      KeyConditionExpression: 'ofKind = :reminders AND byStatus < :now',
    });
    expect(values).toEqual({ ':reminders': item['ofKind'], ':now': '2026-02-03T04:05:06.790Z' });
  });

  test('a reminder outlives all writers that rely on it, by an hour', () => {
    const requested = requestReminder(undefined, log, 0) as Reminder;
    expect(validUntil(requested)).toBe(8 * hourMs);
    expect(isUnused(requested, validUntil(requested) + hourMs - 1)).toBe(false);
    expect(isUnused(requested, validUntil(requested) + hourMs)).toBe(true);
  });

  test('the reminder of a lone write is not moved: nobody relies on it when it is due', () => {
    expect(minReminderMs).toBeLessThan(reminderIntervalMs);
  });

  describe('nextLook', () => {
    /** A reminder that was requested at 24 hours, some time after the last look. */
    const requestedAfter = (sinceLookMs: number): Reminder => ({
      ...reminder,
      keptUntil: 24 * hourMs + minReminderMs,
      compared: { upTo: 24 * hourMs - sinceLookMs - maxLatenessMs, at: 0 },
    });
    const atHour = 36 * hourMs;

    test('is half a day later while writers rely on the reminder', () => {
      const { keptUntil } = requestedAfter(12 * hourMs);
      const nowMs = keptUntil - 1;
      for (const hasRecords of [false, true]) {
        const next = nextLook(requestedAfter(12 * hourMs), nowMs, hasRecords);
        expect(next).toEqual({ dueAt: nowMs + reminderIntervalMs, keptUntil });
      }
    });

    test('is a day later when the log is written about once a day, and the reminder is kept until then', () => {
      const expected = { dueAt: atHour + 24 * hourMs, keptUntil: atHour + 24 * hourMs };
      for (const hours of [1, 12, 24])
        expect(nextLook(requestedAfter(hours * hourMs), atHour, true)).toEqual(expected);
    });

    test.each([
      ['the last look was more than a day and a half ago', requestedAfter(24 * hourMs + 1), true],
      ['there are no new records', requestedAfter(12 * hourMs), false],
      ['the reminder is new', requestReminder(undefined, log, 24 * hourMs) as Reminder, true],
    ])('is none when nobody relies on the reminder and %s', (_, before, hasRecords) => {
      expect(nextLook(before, atHour, hasRecords)).toBeUndefined();
    });
  });

  /** Two processes that write to one log, and the schedule, which looks each quarter of an hour. */
  class Log {
    readonly reliedUntil = [0, 0];
    reminder: Reminder | undefined;
    nowMs = 0;
    /** The stamps of records that no look has compared. */
    waiting: number[] = [];
    /** Milliseconds from a record to the look that compared it. */
    readonly delays: number[] = [];

    runUntil(endMs: number): void {
      for (; this.nowMs < endMs; this.nowMs += 15 * minuteMs) {
        if (this.reminder && this.reminder.dueAt < this.nowMs) this.#look(this.reminder);
      }
    }

    #look(before: Reminder): void {
      const upTo = this.nowMs - maxLatenessMs;
      const compared = this.waiting.filter((stamp) => stamp <= upTo);
      this.delays.push(...compared.map((stamp) => this.nowMs - stamp));
      this.waiting = this.waiting.filter((stamp) => stamp > upTo);
      const at = before.compared.at + 30 * dayMs <= this.nowMs ? this.nowMs : before.compared.at;
      const after = { ...before, compared: { upTo, at } };
      const times = nextLook(before, this.nowMs, compared.length > 0);
      const comparisonAt = lastComparisonAt(before, after.compared);
      if (times) this.reminder = { ...after, ...times };
      else this.reminder = comparisonAt === undefined ? undefined : { ...after, dueAt: comparisonAt };
    }

    write(writer: number): void {
      if ((this.reliedUntil[writer] as number) <= this.nowMs) {
        this.reminder = requestReminder(this.reminder, log, this.nowMs) ?? this.reminder;
        this.reliedUntil[writer] = validUntil(this.reminder as Reminder);
      }
      this.waiting.push(this.nowMs);
    }
  }

  test('each record is compared by a look within 13 hours, and a run of the schedule, whenever writers write', () => {
    const writer = fc.integer({ min: 0, max: 1 });
    const hours = fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 22, max: 26 }));
    const quarters = fc.integer({ min: 0, max: 3 });
    const writes = fc.array(fc.tuple(writer, hours, quarters), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(writes, (all) => {
        const one = new Log();
        for (const [number, afterHours, afterQuarters] of all) {
          one.runUntil(one.nowMs + afterHours * hourMs + afterQuarters * 15 * minuteMs);
          one.write(number);
        }
        one.runUntil(one.nowMs + 70 * dayMs);
        expect(one.delays).toHaveLength(all.length);
        expect(Math.max(...one.delays)).toBeLessThanOrEqual(13 * hourMs + 15 * minuteMs);
        // Nobody writes any more.
        expect(one.reminder).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });
});

describe('row', () => {
  const entity = {
    id: '01890000-0000-7000-8000-000000000001',
    name: 'Build',
    status: 'open',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };

  describe('toRow', () => {
    test('returns the fields without the id and the time of the creation', () => {
      expect(toRow(entity)).toEqual({ name: 'Build', status: 'open', updatedAt: '2026-01-02T00:00:00.000Z' });
    });

    test('returns null as null, and joins an array of ids', () => {
      const fields = { dueDate: null, tagIds: ['1', '2'], otherIds: [] };
      expect(toRow({ ...entity, ...fields })).toMatchObject({ dueDate: null, tagIds: '1,2', otherIds: '' });
    });

    test('leaves out a field that the entity does not have', () => {
      expect(Object.keys(toRow({ ...entity, userId: undefined }))).toEqual(['name', 'status', 'updatedAt']);
    });

    test('shortens a long description, and no other field', () => {
      const text = 'x'.repeat(101);
      const row = toRow({ ...entity, name: text, description: text });
      expect(row['name']).toBe(text);
      expect(row['description']).toHaveLength(123);
    });

    test('returns the same row for an entity without its long description', () => {
      const description = 'x'.repeat(500);
      const withoutText = { ...entity, description: new Digest(digestText(description)) };
      expect(toRow(withoutText)).toEqual(toRow({ ...entity, description }));
    });

    test.each([[1], [true], [{}]])('throws TypeError for the value %j', (value) => {
      expect(() => toRow({ ...entity, name: value as unknown as string })).toThrow(
        new TypeError('Rows cannot hold the value of "name".'),
      );
    });
  });

  describe('rowText', () => {
    test('returns the digest of a long description', () => {
      const text = 'x'.repeat(101);
      expect(rowText('description', text)).toBe(digestText(text));
    });

    test('returns a text of another field as it is', () => {
      const text = 'x'.repeat(255);
      expect(rowText('name', text)).toBe(text);
    });
  });

  describe('sortedText', () => {
    test('returns the first 100 characters of a description', () => {
      const text = fc.string({ unit: fc.constantFrom('a', 'é', '\u{1F600}'), maxLength: 250 });
      fc.assert(
        fc.property(text, (description) => {
          const first = [...description].slice(0, 100).join('');
          expect(sortedText('description', rowText('description', description))).toBe(first);
        }),
      );
    });

    test('returns a text of another field as it is', () => {
      expect(sortedText('name', 'a\u0000b')).toBe('a\u0000b');
    });
  });

  test.each([
    ['', []],
    ['1', ['1']],
    ['1,2', ['1', '2']],
  ])('splitIds returns for the text %j the ids %j', (text, ids) => {
    expect(splitIds(text)).toEqual(ids);
  });
});

describe('stored-format', () => {
  /** Every stored item: what this release writes, and how it reads it. */

  type Case = [name: StoredItem, sample: Sample];

  const items = (Object.entries(samples) as Case[]).filter(([name]) => !name.startsWith('cursor'));

  const errorOf = async (read: () => unknown): Promise<unknown> => {
    try {
      await read();
      return undefined;
    } catch (error) {
      return error;
    }
  };

  test.each(Object.entries(samples) as Case[])(
    '%s: this release reads what it writes',
    async (_, { stored, read }) => {
      expect(await errorOf(() => read(stored))).toBeUndefined();
    },
  );

  test.each(items.filter(([name]) => name !== 'record'))(
    '%s: another format is an error that names both',
    async (name, { stored, read }) => {
      const error = await errorOf(() => read({ ...stored, format: 99 }));
      expect(error).toEqual(
        new UnknownFormat(
          `The format of a stored item (${name}) is 99, and this release reads ${formats[name].reads.join(' and ')}.`,
        ),
      );
    },
  );

  test.each(items.filter(([name]) => name !== 'entity'))(
    '%s: an unknown field is an error that names it',
    async (name, { stored, read }) => {
      const error = await errorOf(() => read({ ...stored, shards: 2 }));
      expect(error).toEqual(
        new UnknownFormat(
          `A stored item (${name}) has the field "shards", which this release does not know.`,
        ),
      );
    },
  );

  test('a job is not read whose lease or work has an unknown field, or whose work is of an unknown type', async () => {
    const { stored, read } = samples.job;
    const unknown = (field: string) =>
      new UnknownFormat(`A stored item (job) has the field "${field}", which this release does not know.`);
    const error = (more: object) => errorOf(() => read({ ...stored, ...more }));
    expect(await error({ lease: { owner: 'a', until: '', host: 'a' } })).toEqual(unknown('host'));
    expect(await error({ work: { ...(stored['work'] as object), depth: 1 } })).toEqual(unknown('depth'));
    expect(await error({ work: { type: 'import' } })).toEqual(
      new UnknownFormat('A job has work of the type "import".'),
    );
  });

  test('a reminder is not read whose comparison has an unknown field, or which notes something else than records', async () => {
    const { stored, read } = samples.reminder;
    const error = (more: object) => errorOf(() => read({ ...stored, ...more }));
    expect(await error({ compared: { at: 1, rows: 2 } })).toEqual(
      new UnknownFormat('A stored item (reminder) has the field "rows", which this release does not know.'),
    );
    expect(await error({ late: ['s#1'] })).toEqual(
      new UnknownFormat('A reminder notes a late record "s#1".'),
    );
  });

  test.each(['cursor of changes', 'cursor of a list'] as const)(
    'a %s with another format is not a cursor of this service',
    (name) => {
      const { stored, read } = samples[name];
      const bytes = Buffer.from(String(stored['cursor']), 'base64url');
      bytes[0] = 99;
      expect(() => read({ cursor: bytes.toString('base64url') })).toThrow('is not a cursor of this service');
    },
  );

  test('every format that is written is read', () => {
    const wrong = Object.entries(formats).filter(
      ([, { reads, writes }]) => !(reads as readonly number[]).includes(writes),
    );
    expect(wrong).toEqual([]);
  });
});

describe('subject', () => {
  const id = '019c0000-0000-7000-8000-000000000001';

  const user = (subject?: string | null, kind: Kind = 'user') => ({
    kind,
    version: 1,
    entity: {
      id,
      name: 'x',
      status: 'active',
      createdAt: '',
      updatedAt: '',
      ...(subject !== undefined && { subject }),
    },
  });

  const put = (subject: string) => ({ put: encodeSubject('acme', subject, id), condition: notExists });
  const remove = (subject: string) => ({ remove: subjectKey('acme', subject) });

  test('the item of a subject has a short key of the tenant, and names the user', () => {
    const item = encodeSubject('acme', 'x'.repeat(255), id);
    expect(item).toEqual({
      pk: expect.stringMatching(/^acme#subject#[\w-]{43}$/),
      sk: 'subject',
      userId: id,
    });
    expect(userOfSubject(item)).toBe(id);
    expect(subjectKey('acme', 'a').pk).not.toBe(subjectKey('acme', 'A').pk);
  });

  test.each([
    ['a creation with a subject', { after: user('a') }, [put('a')]],
    ['a creation without one', { after: user(null) }, []],
    ['another subject', { before: user('a'), after: user('b') }, [remove('a'), put('b')]],
    ['the same subject', { before: user('a'), after: user('a') }, []],
    [
      'the first subject of a user that is older than the field',
      { before: user(), after: user('a') },
      [put('a')],
    ],
    ['null for a user that is older than the field', { before: user(), after: user(null) }, []],
    ['a subject that is removed', { before: user('a'), after: user(null) }, [remove('a')]],
    ['a deletion', { before: user('a') }, [remove('a')]],
    ['a deletion of a user without one', { before: user(null) }, []],
    ['another kind', { before: user('a', 'task'), after: user('b', 'task') }, []],
  ])('the writes of %s', (_, change, writes) => {
    expect(buildSubjectWrites('acme', change)).toEqual(writes);
  });
});
