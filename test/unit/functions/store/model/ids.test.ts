import { firstIdAt, idAfter, isId, newId } from '#functions/store/model/ids.ts';

test('ids are in the order in which they are made, and hold the time of creation', () => {
  const made = Array.from({ length: 5_000 }, () => newId(Date.now()));
  expect(made.map(({ id }) => id).toSorted()).toEqual(made.map(({ id }) => id));
  expect(made.map(({ createdAt }) => createdAt).toSorted()).toEqual(made.map(({ createdAt }) => createdAt));
  expect(made.every(({ id }) => isId(id))).toBe(true);
  expect(Math.abs(Date.parse(made[0]?.createdAt ?? '') - Date.now())).toBeLessThan(60_000);
});

describe('isId', () => {
  test.each([
    '01890000-0000-7000-8000-000000000001',
    'ffffffff-ffff-7fff-bfff-ffffffffffff',
    '00000000-0000-7000-9000-000000000000',
    '00000000-0000-7000-a000-000000000000',
  ])('accepts %s', (text) => {
    expect(isId(text)).toBe(true);
  });

  test.each([
    ['no text', ''],
    ['another version', '01890000-0000-4000-8000-000000000001'],
    ['another variant', '01890000-0000-7000-c000-000000000001'],
    ['upper case', '01890000-0000-7000-A000-000000000001'],
    ['a digit too few', '01890000-0000-7000-8000-00000000001'],
    ['a digit too many', '01890000-0000-7000-8000-0000000000011'],
    ['no hyphens', '01890000000070008000000000000001'],
    ['a character that is no digit', '0189000g-0000-7000-8000-000000000001'],
    ['text before it', ' 01890000-0000-7000-8000-000000000001'],
    ['a line feed after it', '01890000-0000-7000-8000-000000000001\n'],
    ['braces around it', '{01890000-0000-7000-8000-000000000001}'],
  ])('refuses an id with %s', (_, text) => {
    expect(isId(text)).toBe(false);
  });
});

describe('idAfter', () => {
  const future = 'f0000000-0000-7fff-bfff-ffffffffffff';
  const past = '01890000-0000-7fff-bfff-ffffffffffff';

  test('returns an id one millisecond later when the clock that made the other id is ahead', () => {
    const id = idAfter(future, Date.now());
    expect(isId(id)).toBe(true);
    expect(id.slice(0, 13)).toBe('f0000000-0001');
  });

  test('carries into the higher digits of the time', () => {
    expect(idAfter('f0000000-ffff-7fff-bfff-ffffffffffff', Date.now()).slice(0, 13)).toBe('f0000001-0000');
  });

  test('returns an id of the present when the other id is older', () => {
    const id = idAfter(past, Date.parse('2026-02-03T04:05:06.789Z'));
    expect(isId(id)).toBe(true);
    expect(id.slice(0, 13)).toBe('019c21ac-ec65');
  });
});

describe('firstIdAt', () => {
  test.each([
    [0, '00000000-0000-0000-0000-000000000000'],
    [1_770_091_506_789, '019c21ac-ec65-0000-0000-000000000000'],
    [1_770_091_506_789.9, '019c21ac-ec65-0000-0000-000000000000'],
    [-1, '00000000-0000-0000-0000-000000000000'],
    [2 ** 48 - 1, 'ffffffff-ffff-0000-0000-000000000000'],
  ])('returns for the time %d the text %s', (timeMs, text) => {
    expect(firstIdAt(timeMs)).toBe(text);
  });

  test('is between the ids of a time and those of the millisecond before', () => {
    const ids = Array.from({ length: 100 }, () => newId(Date.now()));
    for (const { id, createdAt } of ids) {
      const timeMs = Date.parse(createdAt);
      expect(firstIdAt(timeMs) < id && id < firstIdAt(timeMs + 1)).toBe(true);
    }
  });
});

describe('newId', () => {
  const nowMs = Date.now() + 3_600_000;

  test('ids of one millisecond are in the order in which they are made', () => {
    const made = Array.from({ length: 5_000 }, () => newId(nowMs).id);
    expect(made.toSorted()).toEqual(made);
    expect(new Set(made.map((id) => id.slice(0, 13))).size).toBe(1);
  });

  test('ids stay in order when the time goes back', () => {
    const later = newId(nowMs);
    const earlier = newId(nowMs - 60_000);
    expect(earlier.id > later.id).toBe(true);
    expect(earlier.createdAt).toBe(later.createdAt);
  });
});
