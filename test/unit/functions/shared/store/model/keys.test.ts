import * as fc from 'fast-check';
import { compareText } from '../../../../../../functions/shared/store/lists/first-rows.ts';
import { newId } from '../../../../../../functions/shared/store/model/ids.ts';
import {
  entityKey,
  indexKeys,
  isTruncatedName,
  kindPartition,
  namePrefix,
  parentPartition,
  statusPrefix,
} from '../../../../../../functions/shared/store/model/keys.ts';

const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 255 })
  .filter((text) => text.isWellFormed());

const asBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const byCodePoint = (one: string, other: string): number => {
  const left = [...one].map((character) => character.codePointAt(0) ?? 0);
  const right = [...other].map((character) => character.codePointAt(0) ?? 0);
  const difference = left.findIndex((point, position) => point !== right[position]);
  if (difference < 0 || difference >= right.length) return left.length - right.length;
  return (left[difference] ?? 0) - (right[difference] ?? 0);
};

test('text is compared by code point', async () => {
  await fc.assert(
    fc.property(name, name, (one, other) => {
      expect(Math.sign(compareText(one, other))).toBe(Math.sign(byCodePoint(one, other)));
    }),
    { numRuns: 2_000 },
  );
  expect(compareText('\u{1F600}', '\uFFFD')).toBeGreaterThan(0);
});

test('keys by name are in the order of the names, extensions and control characters included', async () => {
  const short = fc.string({
    unit: fc.constantFrom('\u0000', '\u0001', '\u0002', ' ', '!', 'a', 'é', '\uFFFD', '😀'),
    minLength: 1,
    maxLength: 6,
  });
  await fc.assert(
    fc.property(short, short, (one, other) => {
      expect(Math.sign(asBytes(namePrefix(one), namePrefix(other)))).toBe(Math.sign(byCodePoint(one, other)));
    }),
    { numRuns: 5_000 },
  );
});

test('a key by name stays below the largest sort key, for the longest name of the widest characters', async () => {
  await fc.assert(
    fc.property(name, (text) => {
      expect(Buffer.byteLength(namePrefix(text) + newId().id)).toBeLessThanOrEqual(1_024);
    }),
  );
  expect(Buffer.byteLength(namePrefix('😀'.repeat(255)) + newId().id)).toBeLessThanOrEqual(1_024);
});

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
  const ownKeys = { byStatus: `open#${id}`, byName: `Build\u0000${id}` };

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

  test('of a task have the project as parent, the user as other parent, and none for tags', () => {
    const references = { projectId: parentId, userId: otherParentId, tagIds: [parentId] };
    expect(indexKeys('acme', 'task', { ...entity, ...references })).toEqual({
      ofKind: 'acme#task',
      ofParent: `acme#task#projectId#${parentId}`,
      ofOtherParent: `acme#task#userId#${otherParentId}`,
      ...ownKeys,
    });
  });

  test.each([[{ projectId: null, userId: null }], [{}]])(
    'of a task with the references %j are absent from the indexes of parents',
    (references) => {
      const keys = indexKeys('acme', 'task', { ...entity, ...references });
      expect(Object.keys(keys).toSorted()).toEqual(['byName', 'byStatus', 'ofKind']);
    },
  );
});

describe('namePrefix', () => {
  test.each([
    ['Build', 'Build\u0000'],
    ['', '\u0000'],
    ['a#b', 'a#b\u0000'],
    ['a\u0000b', 'a\u0001\u0001b\u0000'],
    ['a\u0001b', 'a\u0001\u0002b\u0000'],
    ['\u0000\u0001', '\u0001\u0001\u0001\u0002\u0000'],
  ])('returns for the name %j the text %j', (text, prefix) => {
    expect(namePrefix(text)).toBe(prefix);
  });

  test.each([
    ['980 bytes whole', 'a'.repeat(980), 'a'.repeat(980)],
    ['981 bytes truncated to 980', 'a'.repeat(981), 'a'.repeat(980)],
    ['characters of two bytes truncated to 980 bytes', 'é'.repeat(491), 'é'.repeat(490)],
    ['characters of three bytes truncated to 978 bytes', '€'.repeat(327), '€'.repeat(326)],
    ['characters of four bytes truncated between two of them', '😀'.repeat(246), '😀'.repeat(245)],
    ['a character of four bytes that does not fit left out', `${'a'.repeat(977)}😀`, 'a'.repeat(977)],
  ])('returns %s', (_, text, truncated) => {
    expect(namePrefix(text)).toBe(`${truncated}\u0000`);
  });
});

describe('isTruncatedName', () => {
  test.each([
    ['a short name', 'Build'],
    ['255 characters of three bytes', '€'.repeat(255)],
    ['976 bytes', 'a'.repeat(976)],
  ])('returns false for %s', (_, text) => {
    expect(isTruncatedName(text)).toBe(false);
  });

  test.each([
    ['977 bytes, which can be all that is left of a longer name', 'a'.repeat(977)],
    ['255 characters of four bytes', '😀'.repeat(255)],
    ['489 characters that take two bytes each when they are escaped', '\u0001'.repeat(489)],
  ])('returns true for %s', (_, text) => {
    expect(isTruncatedName(text)).toBe(true);
  });

  test('returns true for every name that has the prefix of another name', () => {
    const longer = `${'a'.repeat(977)}😀`;
    const shorter = 'a'.repeat(977);
    expect(namePrefix(longer)).toBe(namePrefix(shorter));
    expect([longer, shorter].map(isTruncatedName)).toEqual([true, true]);
  });
});
