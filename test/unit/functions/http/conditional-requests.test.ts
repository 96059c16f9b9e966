import { expectedVersions, isCurrent } from '#functions/http/conditional-requests.ts';
import { contentTag, versionTag } from '#functions/http/entity-tags.ts';
import { Problem } from '#functions/http/problems.ts';

const id = '01890000-0000-7000-8000-7a2c4d8f0e36';

test('versionTag returns the random end of the id and the version, quoted', () => {
  expect(versionTag(id, 3)).toBe('"7a2c4d8f0e36-3"');
});

test('contentTag returns 27 characters of the digest of the content, quoted', () => {
  expect(contentTag('{"data":[]}')).toBe('"j-MuQHoQOO44dTtw5TdLOkbWrp1"');
});

describe('isCurrent', () => {
  test.each([
    ['the tag', '"a-1"'],
    ['the weak tag', 'W/"a-1"'],
    ['any tag', '*'],
    ['any tag, between spaces', ' * '],
    ['the tag after others', '"b-1", W/"c-1" ,"a-1"'],
    ['the tag after one with a comma', '"b,c", "a-1"'],
    ['the tag between empty elements', ',, "a-1",,'],
    ['the tag before a mistake', '"a-1", oops'],
    ['the tag after a tab', '\t"a-1"'],
  ])('returns true for %s', (_, header) => {
    expect(isCurrent(header, '"a-1"')).toBe(true);
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['another tag', '"a-2"'],
    ['the tag without quotes', 'a-1'],
    ['the tag after a mistake', 'oops, "a-1"'],
    ['the tag without a comma before it', '"b-1" "a-1"'],
    ['the tag without its end', '"a-1'],
    ['a weak tag in lower case', 'w/"a-1"'],
    ['the tag as a part of another', '"x"a-1"'],
    ['an asterisk in a list', '*, "b-1"'],
  ])('returns false for %s', (_, header) => {
    expect(isCurrent(header, '"a-1"')).toBe(false);
  });
});

describe('expectedVersions', () => {
  test.each([undefined, '*', ' *\t'])('accepts any version for %j', (header) => {
    expect(expectedVersions({ 'if-match': header }, id)).toBeUndefined();
  });

  test.each([
    ['one tag', '"7a2c4d8f0e36-3"', [3]],
    ['several tags', '"7a2c4d8f0e36-3","7a2c4d8f0e36-12" , "7a2c4d8f0e36-3"', [3, 12]],
    ['the largest version', '"7a2c4d8f0e36-999999999999999"', [999_999_999_999_999]],
    ['empty elements', ', "7a2c4d8f0e36-3",', [3]],
    ['a tag of this entity after others', '"000000000000-3", "a,b", "7a2c4d8f0e36-4"', [4]],
  ])('returns the versions of %s', (_, header, versions) => {
    expect(expectedVersions({ 'if-match': header }, id)).toEqual(new Set(versions));
  });

  test.each([
    ['another entity', '"000000000000-3"'],
    ['a weak tag', 'W/"7a2c4d8f0e36-3"'],
    ['an empty tag', '""'],
    ['a version with a leading zero', '"7a2c4d8f0e36-03"'],
    ['a version of 16 digits', '"7a2c4d8f0e36-1000000000000000"'],
    ['a tag with more before the id', '"x7a2c4d8f0e36-3"'],
    ['no version', '"7a2c4d8f0e36-"'],
  ])('accepts no version for %s', (_, header) => {
    expect(expectedVersions({ 'if-match': header }, id)).toEqual(new Set());
  });

  const thrownBy = (header: string): unknown => {
    try {
      return expectedVersions({ 'if-match': header }, id);
    } catch (error) {
      return error instanceof Problem && { code: error.code, issues: error.issues };
    }
  };

  test.each([
    ['an empty header', ''],
    ['commas alone', ', ,'],
    ['a tag without quotes', '7a2c4d8f0e36-3'],
    ['a tag without its end', '"7a2c4d8f0e36-3'],
    ['two tags without a comma', '"7a2c4d8f0e36-3" "7a2c4d8f0e36-4"'],
    ['a mistake after a tag', '"7a2c4d8f0e36-3", oops'],
    ['a prefix other than W/', 'V/"7a2c4d8f0e36-3"'],
    ['an asterisk in a list', '"7a2c4d8f0e36-3", *'],
  ])('refuses %s', (_, header) => {
    expect(thrownBy(header)).toEqual({
      code: 'invalid-request',
      issues: [
        {
          parameter: 'If-Match',
          detail:
            'An entity tag must be quoted: "If-Match" takes * or a list of tags such as "7a2c4d8f0e36-3".',
        },
      ],
    });
  });

  test('accepts 100 tags and refuses 101', () => {
    expect(thrownBy(Array(100).fill('"7a2c4d8f0e36-3"').join(','))).toEqual(new Set([3]));
    expect(thrownBy(Array(101).fill('"7a2c4d8f0e36-3"').join(','))).toEqual({
      code: 'invalid-request',
      issues: [{ parameter: 'If-Match', detail: '"If-Match" has 101 entity tags; at most 100 are allowed.' }],
    });
  });
});
