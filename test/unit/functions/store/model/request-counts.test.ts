import { countsQuery, encodeCount, sumOfOthers } from '#functions/store/model/request-counts.ts';

const own = { tenant: '@acme', process: 'p', window: 200_000_000, count: 7 };

test('encodeCount returns the item of a process and window, which expires a minute after the window', () => {
  expect(encodeCount(own)).toEqual({
    pk: '#rate#@acme',
    sk: '200000000#p',
    count: 7,
    expiresAt: 2_000_000_010 + 60,
  });
});

test('countsQuery returns the query of the counts of a window', () => {
  expect(countsQuery(own)).toEqual({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :window)',
    ExpressionAttributeValues: { ':pk': '#rate#@acme', ':window': '200000000#' },
  });
});

test('sumOfOthers returns the requests of the other processes', () => {
  const counts = [own, { ...own, process: 'q', count: 5 }, { ...own, process: 'r', count: 2 }];
  expect(sumOfOthers(counts.map(encodeCount), own)).toBe(7);
});
