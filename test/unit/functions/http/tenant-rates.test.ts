import { TenantRates } from '#functions/http/tenant-rates.ts';
import { windowMs } from '#functions/store/model/published-units.ts';

const start = 1_000_000 * windowMs;
const quota = 100;

/** Sends requests of one unit at one time, one after the other. @returns how many were allowed. */
function send(rates: TenantRates, count: number, atMs: number, tenant = 'a'): number {
  let allowed = 0;
  for (let sent = 0; sent < count; sent += 1) {
    if (rates.allowance(tenant, quota, atMs).isAllowed) allowed += 1;
    rates.add(tenant, 1, atMs);
  }
  return allowed;
}

const remaining = (rates: TenantRates, atMs: number): number => rates.allowance('a', quota, atMs).remaining;

function learn(rates: TenantRates, others: number, atMs: number, tenant = 'a'): void {
  const publication = rates.beginPublication(tenant, quota, atMs);
  if (!publication) throw new Error('No publication is due.');
  rates.learn(publication, others);
}

test('one process allows exactly the quota in a window, for each tenant', () => {
  const rates = new TenantRates('p');
  expect([send(rates, 150, start), send(rates, 150, start + 9_999), send(rates, 150, start, 'b')]).toEqual([
    100, 0, 100,
  ]);
  expect(send(rates, 150, start + windowMs)).toBe(100);
});

test('returns the remaining units and the seconds until the next window', () => {
  const rates = new TenantRates('p');
  const at = (ms: number) => rates.allowance('a', quota, start + ms);
  rates.add('a', 0.5, start);
  expect(at(4_500)).toEqual({ isAllowed: true, remaining: 99, resetSeconds: 6 });
  rates.add('a', 200, start + 9_999);
  expect(at(9_999)).toEqual({ isAllowed: false, remaining: 0, resetSeconds: 1 });
});

test('refuses a request by what earlier ones used, however few they were', () => {
  const rates = new TenantRates('p');
  rates.add('a', 99.5, start);
  expect(send(rates, 1, start)).toBe(1);
  expect(send(rates, 1, start)).toBe(0);
});

test('subtracts what others have published', () => {
  const rates = new TenantRates('p');
  send(rates, 10, start);
  learn(rates, 60, start + 500);
  expect(send(rates, 100, start + 500)).toBe(30);
});

test('expects others to continue as before, for two seconds', () => {
  const rates = new TenantRates('p');
  send(rates, 1, start + 2_000);
  learn(rates, 20, start + 2_000);
  expect(remaining(rates, start + 2_000)).toBe(79);
  expect(remaining(rates, start + 3_000)).toBe(69);
  expect(remaining(rates, start + 8_000)).toBe(59);
});

test('expects others to continue as in the window before, until it learns of them', () => {
  const rates = new TenantRates('p');
  send(rates, 1, start + 5_000);
  learn(rates, 200, start + 5_000);
  const next = start + windowMs;
  expect(remaining(rates, next + 1_000)).toBe(60);
  send(rates, 1, next + 1_000);
  learn(rates, 0, next + 1_000);
  expect(remaining(rates, next + 1_000)).toBe(99);
  expect(remaining(new TenantRates('q'), next)).toBe(100);
});

test('forgets what it knew before a pause', () => {
  const rates = new TenantRates('p');
  send(rates, 1, start + 5_000);
  learn(rates, 200, start + 5_000);
  expect(remaining(rates, start + 2 * windowMs + 5_000)).toBe(100);
});

test('publishes the units of a tenant once a second, the refused requests too', () => {
  const rates = new TenantRates('p');
  send(rates, 150, start);
  expect(rates.beginPublication('a', quota, start)).toMatchObject({ tenant: 'a', process: 'p', units: 150 });
  expect(rates.beginPublication('a', quota, start + 999)).toBeUndefined();
  send(rates, 1, start + 999, 'b');
  expect(rates.beginPublication('b', quota, start + 999)).toBeDefined();
  expect(rates.beginPublication('a', quota, start + 1_000)).toBeDefined();
  const beforeTheWindowEnds = start + windowMs - 1;
  expect(rates.beginPublication('a', quota, beforeTheWindowEnds)).toBeDefined();
  send(rates, 1, start + windowMs);
  expect(rates.beginPublication('a', quota, start + windowMs)).toBeUndefined();
});

test('publishes nothing below a thousandth of the quota', () => {
  const rates = new TenantRates('p');
  rates.add('a', 49.5, start);
  expect(rates.beginPublication('a', 50_000, start)).toBeUndefined();
  rates.add('a', 0.5, start);
  expect(rates.beginPublication('a', 50_000, start)).toMatchObject({ units: 50 });
});

test('publishes again after the clock was set back', () => {
  const rates = new TenantRates('p');
  send(rates, 1, start);
  expect(rates.beginPublication('a', quota, start)).toBeDefined();
  send(rates, 2, start - windowMs);
  expect(rates.beginPublication('a', quota, start - windowMs)).toMatchObject({ units: 2 });
});

test('ignores a publication that ends in another window', () => {
  const rates = new TenantRates('p');
  send(rates, 1, start + 9_000);
  const publication = rates.beginPublication('a', quota, start + 9_000);
  send(rates, 1, start + windowMs);
  if (publication) rates.learn(publication, 99);
  expect(remaining(rates, start + windowMs)).toBe(99);
});
