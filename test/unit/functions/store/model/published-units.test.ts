import {
  encodePublishedUnits,
  publishedUnitsQuery,
  sumOfOthers,
} from '#functions/store/model/published-units.ts';

const own = { tenant: '@acme', process: 'p', window: 200_000_000, units: 7 };

test('encodePublishedUnits returns the item of a process and window, which expires a minute after the window', () => {
  expect(encodePublishedUnits(own)).toEqual({
    pk: '#rate#@acme',
    sk: 'units#200000000#p',
    units: 7,
    expiresAt: 2_000_000_010 + 60,
  });
});

test('publishedUnitsQuery returns the query of the units of a window', () => {
  expect(publishedUnitsQuery(own)).toEqual({
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :window)',
    ExpressionAttributeValues: { ':pk': '#rate#@acme', ':window': 'units#200000000#' },
  });
});

test('sumOfOthers returns the units of the other processes', () => {
  const published = [own, { ...own, process: 'q', units: 5 }, { ...own, process: 'r', units: 2 }];
  expect(sumOfOthers(published.map(encodePublishedUnits), own)).toBe(7);
});
