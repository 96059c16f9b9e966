import { bucketCount, changedKeys, hashKeys } from '#functions/store/lists/changes/key-hashes.ts';
import { stampPrefix } from '#functions/store/model/change-log.ts';

const from = 1_770_000_000_000;
const keyAt = (offset: number, end = 'aaaaaa') => stampPrefix(from + offset) + end;

const given = [keyAt(1), keyAt(250), keyAt(251), keyAt(900)];

test('there is one hash for each 250 ms with keys', () => {
  const hashes = hashKeys(given, from);
  expect(hashes.map((hash) => hash?.length)).toEqual([6, 6, undefined, 6]);
  expect(hashKeys([], from)).toEqual([]);
});

test('keys are the same as before when nothing appeared among them', () => {
  expect(changedKeys(given, from, hashKeys(given, from))).toEqual(new Set());
});

test('a key that appears makes the keys of its 250 ms new', () => {
  const late = keyAt(100);
  const keys = [...given, late].sort();
  expect(changedKeys(keys, from, hashKeys(given, from))).toEqual(new Set([keyAt(1), late, keyAt(250)]));
  const alone = keyAt(600);
  expect(changedKeys([...given, alone].sort(), from, hashKeys(given, from))).toEqual(new Set([alone]));
});

test('the last bucket has all keys of clocks that are far ahead', () => {
  const keys = [keyAt(1), keyAt(1e6), keyAt(1e9)];
  const hashes = hashKeys(keys, from);
  expect(hashes).toHaveLength(bucketCount);
  expect(changedKeys([...keys, keyAt(2e9)], from, hashes)).toEqual(
    new Set([keyAt(1e6), keyAt(1e9), keyAt(2e9)]),
  );
});
