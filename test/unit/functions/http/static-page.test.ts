import { hashedName, splitHashedName } from '#functions/http/hashed-name.ts';
import { acceptedCoding } from '#functions/http/static-page.ts';

test.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip;q=1.0, br;q=0.5', 'br'],
  ['GZIP', 'gzip'],
  ['br;q=0, gzip', 'gzip'],
  ['br; q=0.0, gzip; q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['gzip, *;q=0', 'gzip'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding %p leads to the coding %p', (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding);
});

test('a hashed name is taken apart into the name and the hash', () => {
  const name = hashedName('site.css', 'a {}');
  const { name: own, hash } = splitHashedName(name);
  expect([own, hash?.length]).toEqual(['site.css', 10]);
  expect(hashedName('site.css', 'b {}')).not.toBe(name);
});

test.each(['site.css', 'site', 'site.short.css', '../site.AAAAAAAAAA.css'])('%s has no hash', (name) => {
  expect(splitHashedName(name)).toEqual({ name });
});
