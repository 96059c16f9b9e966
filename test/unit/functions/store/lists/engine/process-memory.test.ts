import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';

/** Bytes of an entry besides its value. */
const overheadBytes = 200;

/** Returns a memory for a number of values of 800 bytes. */
const cacheFor = (values: number): ProcessMemory => new ProcessMemory(1_000 * values);
const valueBytes = 1_000 - overheadBytes;

test('returns what was set, for the same tenant and kind only', () => {
  const shared = new ProcessMemory();
  shared.of('acme', 'task').set('name', 'value', 10);
  expect(shared.of('acme', 'task').get('name')).toBe('value');
  expect(shared.of('acme', 'project').get('name')).toBeUndefined();
  expect(shared.of('other', 'task').get('name')).toBeUndefined();
});

test('replaces a value, and counts the bytes of the new one', () => {
  const shared = new ProcessMemory();
  const memory = shared.of('acme', 'task');
  memory.set('name', 'one', 500);
  memory.set('name', 'two', 300);
  expect(memory.get('name')).toBe('two');
  expect(shared.bytes).toBe(300 + overheadBytes);
});

describe('a value that is kept for some time', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('leaves by itself, and its bytes with it', () => {
    const shared = new ProcessMemory();
    const memory = shared.of('acme', 'task');
    memory.set('old', 'value', 500, 60_000);
    memory.set('kept', 'value', 300);
    jest.advanceTimersByTime(59_000);
    expect(memory.get('old')).toBe('value');
    jest.advanceTimersByTime(2_000);
    expect(shared.bytes).toBe(300 + overheadBytes);
    expect([memory.get('old'), memory.get('kept')]).toEqual([undefined, 'value']);
  });

  test('can be set again, and be forgotten', () => {
    const shared = new ProcessMemory();
    const memory = shared.of('acme', 'task');
    memory.set('name', 'one', 500, 60_000);
    jest.advanceTimersByTime(50_000);
    memory.set('name', 'two', 400, 60_000);
    jest.advanceTimersByTime(50_000);
    expect([memory.get('name'), shared.bytes]).toEqual(['two', 400 + overheadBytes]);
    memory.set('name', undefined, 0);
    jest.advanceTimersByTime(50_000);
    expect(shared.bytes).toBe(0);
  });

  test('does not count after its tenant has left', () => {
    const shared = cacheFor(4);
    shared.of('a', 'task').set('name', 'a', valueBytes, 60_000);
    for (const tenant of ['b', 'c', 'd', 'e']) shared.of(tenant, 'task').set('name', tenant, valueBytes);
    jest.advanceTimersByTime(61_000);
    expect(shared.bytes).toBe(4_000);
  });
});

test('evicts the values that have not been used for the longest time when the bytes do not suffice', () => {
  const shared = cacheFor(4);
  const tenants = ['a', 'b', 'c', 'd'];
  for (const tenant of tenants) shared.of(tenant, 'task').set('name', tenant, valueBytes);
  // Reading counts as use.
  shared.of('a', 'task').get('name');
  shared.of('e', 'task').set('name', 'e', valueBytes);
  const kept = [...tenants, 'e'].filter((tenant) => shared.of(tenant, 'task').get('name'));
  expect(kept).toEqual(['a', 'c', 'd', 'e']);
  expect(shared.bytes).toBe(4_000);
});

test('evicts as many values as a large one needs', () => {
  const shared = cacheFor(8);
  for (const tenant of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) {
    shared.of(tenant, 'task').set('name', tenant, valueBytes);
  }
  shared.of('i', 'task').set('name', 'i', 2 * valueBytes);
  const kept = [...'abcdefghi'].filter((tenant) => shared.of(tenant, 'task').get('name'));
  expect(kept).toEqual(['c', 'd', 'e', 'f', 'g', 'h', 'i']);
});

test('gives one tenant a quarter of the bytes, and evicts only its own values for more', () => {
  const shared = cacheFor(16);
  shared.of('small', 'task').set('name', 'small', valueBytes);
  const large = shared.of('large', 'task');
  for (let number = 0; number < 6; number += 1) large.set(String(number), number, valueBytes);
  const kept = [0, 1, 2, 3, 4, 5].filter((number) => large.get(String(number)) !== undefined);
  expect(kept).toEqual([2, 3, 4, 5]);
  expect(shared.of('small', 'task').get('name')).toBe('small');
  expect(shared.bytes).toBe(5_000);
});

test('counts all kinds of a tenant together', () => {
  const shared = cacheFor(4);
  shared.of('acme', 'task').set('name', 1, valueBytes);
  shared.of('acme', 'project').set('name', 2, valueBytes);
  expect(shared.of('acme', 'task').get('name')).toBeUndefined();
  expect(shared.of('acme', 'project').get('name')).toBe(2);
});

test('does not keep a value that is larger than a quarter, nor the one that it replaces', () => {
  const shared = cacheFor(4);
  const memory = shared.of('acme', 'task');
  memory.set('name', 'small', 100);
  memory.set('name', 'large', valueBytes + 1);
  expect(memory.get('name')).toBeUndefined();
  expect(shared.bytes).toBe(0);
});
