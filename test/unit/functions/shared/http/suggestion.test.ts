import { quoted, suggestion } from '../../../../../functions/shared/http/suggestion.ts';

describe('suggestion', () => {
  const known = ['page', 'limit', 'status'];

  test.each([
    ['stats', 'Did you mean "status"?'],
    ['Page', 'Did you mean "page"?'],
    ['pg', 'Did you mean "page"?'],
    ['statusOf', 'Did you mean "status"?'],
    ['page', 'Did you mean "page"?'],
  ])('returns for %s: %s', (unknown, sentence) => {
    expect(suggestion(unknown, known)).toBe(sentence);
  });

  test.each(['x', '', 'organization', 'sts12345'])(
    'lists the known names for %j, which is near none',
    (unknown) => {
      expect(suggestion(unknown, known)).toBe('Allowed: page, limit, status.');
    },
  );

  test('suggests the first of two names that are equally near', () => {
    expect(suggestion('tagx', ['tags', 'taga'])).toBe('Did you mean "tags"?');
    expect(suggestion('tagx', ['taga', 'tags'])).toBe('Did you mean "taga"?');
  });

  test('suggests a name within as many edits as half of the text has characters', () => {
    expect(suggestion('statWXYZ', known)).toBe('Did you mean "status"?');
    expect(suggestion('staVWXYZ', known)).toBe('Allowed: page, limit, status.');
  });

  test('says that no name is known', () => {
    expect(suggestion('page', [])).toBe('None is allowed.');
  });

  test('compares names of up to 64 characters', () => {
    expect(suggestion('a'.repeat(64), ['a'.repeat(63)])).toBe(`Did you mean "${'a'.repeat(63)}"?`);
    expect(suggestion('a'.repeat(65), ['a'.repeat(64)])).toBe(`Allowed: ${'a'.repeat(64)}.`);
  });
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
