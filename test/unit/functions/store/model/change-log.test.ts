import fc from 'fast-check';
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
import type { Change } from '#functions/store/model/changes.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { UnknownFormat } from '#functions/store/model/errors.ts';
import { rowText } from '#functions/store/model/row.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { anyCharacter } from '#test/support/any-character.ts';

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
