import fc from 'fast-check';
import { Digest, digestText } from '#functions/store/model/long-text.ts';
import { rowText, sortedText, splitIds, toRow } from '#functions/store/model/row.ts';

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
