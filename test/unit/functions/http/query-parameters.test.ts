import { readParameters, readValues } from '#functions/http/query-parameters.ts';

describe('readValues', () => {
  test.each([
    ['a', ['a']],
    ['', ['']],
    ['a,b', ['a', 'b']],
    ['a,,b,', ['a', '', 'b', '']],
    ['a\\,b,c', ['a,b', 'c']],
    ['a\\\\,b', ['a\\', 'b']],
    ['C:\\temp', ['C:\\temp']],
    ['a\\', ['a\\']],
    ['\\\\\\,', ['\\,']],
    ['a+b%20c,%C3%A4', ['a b c', 'ä']],
    ['100%,a', ['100%', 'a']],
  ])('splits %j', (list, values) => {
    expect(readValues(list, 'comma')).toEqual(values);
    expect(readValues(list, 'literal comma')).toEqual(values);
  });

  test.each([
    ['a%2Cb,c', ['a', 'b', 'c'], ['a,b', 'c']],
    ['a%5C%2Cb', ['a,b'], ['a,b']],
    ['a%5C,b', ['a,b'], ['a,b']],
    ['a%5C%5C,b', ['a\\', 'b'], ['a\\', 'b']],
    ['a%5C%5C%2Cb', ['a\\', 'b'], ['a\\,b']],
  ])('splits %j, where a value has no comma and where it can have one', (list, separated, literal) => {
    expect(readValues(list, 'comma')).toEqual(separated);
    expect(readValues(list, 'literal comma')).toEqual(literal);
  });

  test('does not split the value of a parameter that has one', () => {
    expect(readValues('a%2Cb,c%5C', undefined)).toEqual(['a,b,c\\']);
  });
});

test.each([
  ['status[!=]=a=b', 'status[!=]', 'a=b'],
  ['status%5B!=%5D=a', 'status[!=]', 'a'],
  ['status[!==]', 'status[!==]', ''],
  ['name=a=b', 'name', 'a=b'],
  ['name', 'name', ''],
  ['sort_by=a', 'sortBy', 'a'],
  ['name[]=a', 'name', 'a'],
  ['name[eq]=a', 'name', 'a'],
  ['name[in][]=a', 'name[in]', 'a'],
])('reads %j as %j', (query, name, value) => {
  expect([...readParameters(query, { check: () => undefined }, [])]).toEqual([[name, [value]]]);
});
