import { orderTies } from '../../../../../../../functions/shared/store/lists/engine/creation-ties.ts';
import { isInRanges } from '../../../../../../../functions/shared/store/lists/engine/id-ranges.ts';
import type { RowQuery } from '../../../../../../../functions/shared/store/lists/engine/row-query.ts';
import { firstIdAt } from '../../../../../../../functions/shared/store/model/ids.ts';

/** Three rows of one millisecond, one of the next, and two of the one after. */
const names = ['c', 'a', 'b', 'd', 'f', 'e'];
const times = [1, 1, 1, 2, 3, 3];

const rows = names.map((name, number) => ({
  id: firstIdAt(1_700_000_000_000 + (times[number] as number)).replace(/.$/, String(number)),
  name,
}));

type Row = (typeof rows)[number];

const asked: RowQuery[] = [];

/** Lists rows as the engine does, by name where the query has an order. */
async function readRows(query: RowQuery): Promise<{ rows: Row[]; total: number }> {
  asked.push(query);
  const { ids, orders, isDescending, skip, limit } = query;
  const sign = isDescending ? -1 : 1;
  const [order] = orders;
  const key = (row: Row): string => (order ? row.name : row.id);
  const keySign = order ? (order.isDescending ? -1 : 1) : sign;
  const found = rows
    .filter(({ id }) => isInRanges(ids, id))
    .sort((one, other) => keySign * (key(one) < key(other) ? -1 : 1));
  return { rows: found.slice(skip, skip + limit), total: found.length };
}

/** Returns the names on a page. */
async function page(query: Partial<RowQuery>): Promise<string> {
  const whole: RowQuery = {
    filters: [],
    orders: [],
    isDescending: false,
    skip: 0,
    limit: 2,
    countBy: [],
    ...query,
  };
  const { rows: found } = await readRows({ ...whole, ties: undefined });
  return (await orderTies(whole, found, readRows)).map(({ name }) => name).join('');
}

/** Returns all pages of a list. */
const pages = (query: Partial<RowQuery>): Promise<string[]> =>
  Promise.all([0, 2, 4].map((skip) => page({ ...query, skip })));

const byName = { orders: [{ field: 'name', isDescending: false }], isDescending: false };

test('rows of one millisecond are in the order of further fields, also across pages', async () => {
  expect(await pages({ ties: byName })).toEqual(['ab', 'cd', 'ef']);
});

test('the last millisecond is first in a descending list', async () => {
  expect(await pages({ ties: byName, isDescending: true })).toEqual(['ef', 'da', 'bc']);
});

test('ids can have another direction than the time', async () => {
  const ties = { orders: [], isDescending: true };
  expect(await pages({ ties })).toEqual(['ba', 'cd', 'ef']);
});

test('a page between two milliseconds has the last rows of one and the first of the other', async () => {
  expect(await page({ ties: byName, skip: 1, limit: 4 })).toBe('bcde');
});

test('a row without ties costs one count', async () => {
  asked.length = 0;
  expect(await page({ ties: byName, skip: 3, limit: 1 })).toBe('d');
  expect(asked.map(({ limit }) => limit)).toEqual([1, 0]);
});
