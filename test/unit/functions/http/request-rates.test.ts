import { RequestRates } from '#functions/http/request-rates.ts';
import { windowMs } from '#functions/store/model/request-counts.ts';

const start = 1_000_000 * windowMs;
const quota = 100;

/** Sends requests at one time. @returns how many were allowed. */
function send(rates: RequestRates, count: number, atMs: number, tenant = 'a'): number {
  const allowed = Array.from({ length: count }, () => rates.count(tenant, quota, atMs));
  return allowed.filter(({ isAllowed }) => isAllowed).length;
}

function learn(rates: RequestRates, others: number, atMs: number, tenant = 'a'): void {
  const publication = rates.beginPublication(tenant, atMs);
  if (!publication) throw new Error('No publication is due.');
  rates.learn(publication, others);
}

test('one process allows exactly the quota in a window, for each tenant', () => {
  const rates = new RequestRates('p');
  expect([send(rates, 150, start), send(rates, 150, start + 9_999), send(rates, 150, start, 'b')]).toEqual([
    100, 0, 100,
  ]);
  expect(send(rates, 150, start + windowMs)).toBe(100);
});

test('returns the remaining requests and the seconds until the next window', () => {
  const rates = new RequestRates('p');
  expect(rates.count('a', quota, start + 4_500)).toEqual({ isAllowed: true, remaining: 99, resetSeconds: 6 });
  send(rates, 200, start + 9_999);
  expect(rates.count('a', quota, start + 9_999)).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 1 });
});

test('subtracts what others have published', () => {
  const rates = new RequestRates('p');
  send(rates, 10, start);
  learn(rates, 60, start + 500);
  expect(send(rates, 100, start + 500)).toBe(30);
});

test('expects others to continue as before, for two seconds', () => {
  const rates = new RequestRates('p');
  send(rates, 1, start + 2_000);
  learn(rates, 20, start + 2_000);
  const remaining = (atMs: number) => rates.count('a', quota, atMs).remaining;
  expect(remaining(start + 2_000)).toBe(78);
  expect(remaining(start + 3_000)).toBe(67);
  expect(remaining(start + 8_000)).toBe(56);
});

test('expects others to continue as in the window before, until it learns of them', () => {
  const rates = new RequestRates('p');
  send(rates, 1, start + 5_000);
  learn(rates, 200, start + 5_000);
  const next = start + windowMs;
  expect(rates.count('a', quota, next + 1_000).remaining).toBe(59);
  learn(rates, 0, next + 1_000);
  expect(rates.count('a', quota, next + 1_000).remaining).toBe(98);
  expect(new RequestRates('q').count('a', quota, next).remaining).toBe(99);
});

test('forgets what it knew before a pause', () => {
  const rates = new RequestRates('p');
  send(rates, 1, start + 5_000);
  learn(rates, 200, start + 5_000);
  expect(rates.count('a', quota, start + 2 * windowMs + 5_000).remaining).toBe(99);
});

test('publishes the count of a tenant once a second, the refused requests too', () => {
  const rates = new RequestRates('p');
  send(rates, 150, start);
  expect(rates.beginPublication('a', start)).toMatchObject({ tenant: 'a', process: 'p', count: 150 });
  expect(rates.beginPublication('a', start + 999)).toBeUndefined();
  expect(rates.beginPublication('b', start + 999)).toBeDefined();
  expect(rates.beginPublication('a', start + 1_000)).toBeDefined();
  const beforeTheWindowEnds = start + windowMs - 1;
  expect(rates.beginPublication('a', beforeTheWindowEnds)).toBeDefined();
  expect(rates.beginPublication('a', start + windowMs)).toBeUndefined();
});

test('publishes again after the clock was set back', () => {
  const rates = new RequestRates('p');
  send(rates, 1, start);
  expect(rates.beginPublication('a', start)).toBeDefined();
  expect(rates.beginPublication('a', start - windowMs)).toMatchObject({ count: 0 });
});

test('ignores a publication that ends in another window', () => {
  const rates = new RequestRates('p');
  send(rates, 1, start + 9_000);
  const publication = rates.beginPublication('a', start + 9_000);
  send(rates, 1, start + windowMs);
  if (publication) rates.learn(publication, 99);
  expect(rates.count('a', quota, start + windowMs).remaining).toBe(98);
});
