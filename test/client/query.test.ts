import { queryString } from '#client/query.ts';
import { readValues } from '#functions/http/query-parameters.ts';
import { fc } from '../support/fast-check.ts';

const textOf = (query: object): string => decodeURIComponent(queryString(query));

describe('the parameters of a query', () => {
  test('have operators in brackets, and several values separated by commas', () => {
    expect([
      ...new URLSearchParams(
        queryString({
          dueDate: { lt: '2026-03-09', isNull: false },
          status: { notIn: ['done', 'archived'] },
          userId: 'me',
          sortBy: ['priority', 'dueDate'],
          sortOrder: ['desc', 'asc'],
          expand: ['project'],
          countBy: ['status'],
          limit: 50,
        }),
      ),
    ]).toEqual([
      ['dueDate[lt]', '2026-03-09'],
      ['dueDate[isNull]', 'false'],
      ['status[notIn]', 'done,archived'],
      ['userId', 'me'],
      ['sortBy', 'priority,dueDate'],
      ['sortOrder', 'desc,asc'],
      ['expand', 'project'],
      ['countBy', 'status'],
      ['limit', '50'],
    ]);
  });

  test('escape commas and backslashes only within one of several values', () => {
    expect(textOf({ name: { in: ['a,b', 'c\\d'] } })).toBe('name[in]=a\\,b,c\\\\d');
    expect(textOf({ name: 'a,b' })).toBe('name=a,b');
    expect(textOf({ name: { contains: 'a,b\\' } })).toBe('name[contains]=a,b\\');
  });

  test('are encoded as URLSearchParams reads them', () => {
    const query = { name: 'ä b+c&d=e#f', 'dueDate[lt]': '2026-03-02T10:15:27+01:00' };
    expect([...new URLSearchParams(queryString(query))]).toEqual(Object.entries(query));
  });

  test.each<[unknown, string]>([
    [null, '"userId" is null. Use { isNull: true } to find null.'],
    [new Date(0), '"userId" is a Date. Use its text, for example date.toISOString().'],
    [{ gt: null }, '"userId[gt]" is null. Use { isNull: true } to find null.'],
    [{ gt: new Date(0) }, '"userId[gt]" is a Date. Use its text, for example date.toISOString().'],
  ])('are not %j', (userId, message) => {
    expect(() => queryString({ userId })).toThrow(new TypeError(message));
  });

  test('are read by the service as the values that were given', async () => {
    await fc.assert(
      fc.property(
        fc.array(fc.string({ unit: fc.constantFrom(',', '\\', 'a') }), { minLength: 1 }),
        (values) => {
          const raw = queryString({ name: { in: values } }).replace('name%5Bin%5D=', '');
          expect(readValues(raw, 'literal comma')).toEqual(values);
          expect(readValues(raw, 'comma')).toEqual(values);
        },
      ),
    );
  });

  test('leave out what is undefined or an empty array', () => {
    expect(textOf({ status: undefined, name: { ne: undefined }, expand: [], tagIds: { all: [] } })).toBe('');
    expect(textOf({ status: { notIn: [] } })).toBe('');
  });

  test('ask for the empty id when the value must be one of none', () => {
    expect(textOf({ status: { in: [] }, id: { in: ['a'] } })).toBe('id[in]=');
    expect(textOf({ id: { in: ['a'] }, status: { in: [] }, limit: 1 })).toBe('limit=1&id[in]=');
  });
});
