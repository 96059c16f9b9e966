import { buildColumn } from '#functions/store/lists/engine/format/column.ts';
import { countFields, countRows, ValueCounter } from '#functions/store/lists/engine/read/count-values.ts';

describe('ValueCounter', () => {
  test('counts the values of rows of several columns, and changes', () => {
    const counter = new ValueCounter({ field: 'status' });
    counter.addRows(buildColumn(['open', 'done', 'open', null]), Uint32Array.of(0, 2, 3));
    counter.addRows(buildColumn(['done', 'open']), Uint32Array.of(0, 1));
    counter.add('open', -1);
    counter.add('done', -1);
    counter.add('late', 1);
    expect(counter.values()).toEqual([
      { value: 'open', count: 2 },
      { value: null, count: 1 },
      { value: 'late', count: 1 },
    ]);
  });

  test('has equal counts in the order of the field: by rank, or by code point, and null first', () => {
    const byRank = new ValueCounter({ field: 'priority', ranks: ['low', 'high'] });
    for (const value of ['high', null, 'low']) byRank.add(value, 1);
    expect(byRank.values().map(({ value }) => value)).toEqual([null, 'low', 'high']);
    const byText = new ValueCounter({ field: 'name' });
    for (const value of ['\u{1F600}', '\uFFFD', 'b', null, 'a']) byText.add(value, 1);
    expect(byText.values().map(({ value }) => value)).toEqual([null, 'a', 'b', '\uFFFD', '\u{1F600}']);
  });

  test('counts rows that are older than the field as its default', () => {
    const counter = new ValueCounter({ field: 'priority', defaultValue: 'low' });
    counter.addRows(buildColumn(['low', undefined, null]), Uint32Array.of(0, 1, 2));
    expect(counter.values()).toEqual([
      { value: 'low', count: 2 },
      { value: null, count: 1 },
    ]);
  });

  test('counts each id of an array, and an empty array for nothing', () => {
    const counter = new ValueCounter({ field: 'tagIds', isArray: true, defaultValue: '' });
    counter.addRows(buildColumn(['a,b', '', 'b', undefined]), Uint32Array.of(0, 1, 2, 3));
    counter.add('a,c', -1);
    counter.add('c', 1);
    expect(counter.values()).toEqual([{ value: 'b', count: 2 }]);
  });

  test('has the 100 most frequent values', () => {
    const counter = new ValueCounter({ field: 'userId' });
    for (let number = 0; number < 150; number += 1) counter.add(`u${number}`, number + 1);
    const values = counter.values();
    expect([values.length, values[0], values.at(-1)]).toEqual([
      100,
      { value: 'u149', count: 150 },
      { value: 'u50', count: 51 },
    ]);
  });
});

test('countFields and countRows return the counts by field', () => {
  const fields = [{ field: 'status' }, { field: 'userId' }];
  expect(countRows(fields, [{ status: 'open', userId: null }])).toEqual({
    status: [{ value: 'open', count: 1 }],
    userId: [{ value: null, count: 1 }],
  });
  expect(countRows(fields, [])).toEqual({ status: [], userId: [] });
  expect(countFields([{ field: 'status' }], (counter, field) => counter.add(field, 2))).toEqual({
    status: [{ value: 'status', count: 2 }],
  });
  expect(countFields([], () => undefined)).toEqual({});
});
