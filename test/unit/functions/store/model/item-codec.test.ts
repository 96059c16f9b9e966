import { UnknownFormat } from '#functions/store/model/errors.ts';
import {
  decodeEntity,
  encodeEntity,
  encodeText,
  internalAttributes,
  withText,
} from '#functions/store/model/item-codec.ts';
import { Digest, digestText } from '#functions/store/model/long-text.ts';
import { toRow } from '#functions/store/model/row.ts';

const id = '01890000-0000-7000-8000-000000000001';
const projectId = '01890000-0000-7000-8000-000000000002';

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
