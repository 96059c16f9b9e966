import { findNearestName, findSameName, quoted, suggestion } from '#functions/http/suggestion.ts';

describe('suggestion', () => {
  const known = ['page', 'limit', 'status', 'organizationId'];

  test.each([
    ['stats', 'status'],
    ['Page', 'page'],
    ['pgae', 'page'],
    ['statusOf', 'status'],
    ['page', 'page'],
    ['organization_id', 'organizationId'],
    ['organisationsId', 'organizationId'],
  ])('returns for %s: %s', (unknown, name) => {
    expect(suggestion(unknown, known)).toBe(`Did you mean "${name}"?`);
  });

  test.each(['x', '', 'pg', 'tag', 'pale1', 'statWXYZ', 'orgXXXXtionId'])(
    'lists the known names for %j, which is near none',
    (unknown) => {
      expect(suggestion(unknown, known)).toBe('Allowed: page, limit, status, organizationId.');
    },
  );

  test('suggests the first of two names that are equally near', () => {
    expect(suggestion('tagx', ['tags', 'taga'])).toBe('Did you mean "tags"?');
    expect(suggestion('tagx', ['taga', 'tags'])).toBe('Did you mean "taga"?');
  });

  test('says that no name is known', () => {
    expect(suggestion('page', [])).toBe('None is allowed.');
  });

  test('compares names of up to 64 characters', () => {
    expect(suggestion('a'.repeat(64), ['a'.repeat(63)])).toBe(`Did you mean "${'a'.repeat(63)}"?`);
    expect(suggestion('a'.repeat(65), ['a'.repeat(64)])).toBe(`Allowed: ${'a'.repeat(64)}.`);
  });
});

describe('findNearestName', () => {
  const otherNames = { tagIds: ['tag', 'labels'], 'name[contains]': ['q'], page: ['size'] };

  test.each([
    ['tag', 'tagIds'],
    ['Tag', 'tagIds'],
    ['q', 'name[contains]'],
    ['tagIdss', 'tagIds'],
  ])('returns for %s, which another API uses: %s', (unknown, name) => {
    expect(findNearestName(unknown, ['tagIds', 'name', 'sizes'], otherNames)).toBe(name);
  });

  test('does not take a word that another API uses for a typing error', () => {
    expect(findNearestName('size', ['sizes'], otherNames)).toBeUndefined();
    expect(findNearestName('size', ['sizes'])).toBe('sizes');
  });
});

test('findSameName finds other spellings and other words, and no typing errors', () => {
  const find = (unknown: string) => findSameName(unknown, ['dueDate', 'name'], { dueDate: ['deadline'] });
  expect(['due_date', 'DUEDATE', 'dead-line', 'dueDat'].map(find)).toEqual([
    'dueDate',
    'dueDate',
    'dueDate',
    undefined,
  ]);
});

describe('quoted', () => {
  test.each([
    ['page', '"page"'],
    ['', '""'],
    ['a"b\\c\n', '"a\\"b\\\\c\\n"'],
  ])('returns %j as a JSON string', (text, expected) => {
    expect(quoted(text)).toBe(expected);
  });

  test('repeats 64 characters, and truncates a longer text', () => {
    expect(quoted('a'.repeat(64))).toBe(`"${'a'.repeat(64)}"`);
    expect(quoted('a'.repeat(65))).toBe(`"${'a'.repeat(64)}…"`);
  });
});
