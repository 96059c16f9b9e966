import { pageLinks } from '#functions/http/page-links.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';

const query: ListQuery = {
  filters: [],
  sort: [{ field: 'createdAt', direction: 'desc' }],
  countBy: [],
  page: 1,
  limit: 20,
  withTexts: true,
};

describe('pageLinks', () => {
  const links = (page: number, totalPages: number, rawQueryString = '', path = '/v1/tasks') =>
    pageLinks(path, rawQueryString, { ...query, page }, totalPages);

  test('names first, next and last on the first page', () => {
    expect(links(1, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=2&limit=20>; rel="next", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names all four on a page between', () => {
    expect(links(2, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=1&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="next", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names no next on the last page', () => {
    expect(links(3, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=2&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names the last page as the previous one of a page after it', () => {
    expect(links(9, 3)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=3&limit=20>; rel="prev", ' +
        '</v1/tasks?page=3&limit=20>; rel="last"',
    );
  });

  test('names page 1 as first and last of an empty list', () => {
    expect(links(1, 0)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", </v1/tasks?page=1&limit=20>; rel="last"',
    );
    expect(links(2, 0)).toBe(
      '</v1/tasks?page=1&limit=20>; rel="first", ' +
        '</v1/tasks?page=1&limit=20>; rel="prev", ' +
        '</v1/tasks?page=1&limit=20>; rel="last"',
    );
  });

  test('repeats the other parameters, and replaces page and limit where they are', () => {
    expect(links(1, 1, 'limit=500&name=a%20b&page=1&status=%C3%A9')).toBe(
      '</v1/tasks?limit=20&name=a+b&page=1&status=%C3%A9>; rel="first", ' +
        '</v1/tasks?limit=20&name=a+b&page=1&status=%C3%A9>; rel="last"',
    );
  });

  test('encodes what would end a link or a header', () => {
    expect(links(1, 1, 'name=%3E%3B%22%2C%0D%0A')).toBe(
      '</v1/tasks?name=%3E%3B%22%2C%0D%0A&page=1&limit=20>; rel="first", ' +
        '</v1/tasks?name=%3E%3B%22%2C%0D%0A&page=1&limit=20>; rel="last"',
    );
  });

  // "name=", "&page=9007199254740991" and "&limit=20" take 36 bytes.
  test('returns links up to a query of 2,048 bytes with the largest page, and none for a longer one', () => {
    expect(links(1, 1, `name=${'a'.repeat(2_012)}`)).toContain('rel="last"');
    expect(links(1, 1, `name=${'a'.repeat(2_013)}`)).toBeUndefined();
  });

  test('returns none for a query that is longer as a link encodes it, or as it was sent', () => {
    expect(links(1, 1, `name=${'"'.repeat(671)}`)).toBeUndefined();
    expect(links(1, 1, `name=${'%61'.repeat(682)}`)).toBeUndefined();
  });

  test('returns links up to a path of 256 bytes, and none for a longer one', () => {
    expect(links(1, 1, '', `/${'a'.repeat(255)}`)).toContain('rel="last"');
    expect(links(1, 1, '', `/${'a'.repeat(256)}`)).toBeUndefined();
  });
});
