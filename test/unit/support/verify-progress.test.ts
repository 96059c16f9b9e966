import { durationText, progressText } from '#test/support/verify-progress.js';

test.each([
  [1, 4, 10_000, '1 of 4 files, 25 %, about 30 s left'],
  [2, 24, 60_000, '2 of 24 files, 8 %, about 11 min left'],
  [24, 24, 60_000, '24 of 24 files, 100 %, no time left'],
])('after %i of %i files in %i ms, prints %s', (done, total, elapsedMs, text) => {
  expect(progressText(done, total, elapsedMs)).toBe(text);
});

test.each([
  [0, '0 s'],
  [1, '1 s'],
  [99_000, '99 s'],
  [99_001, '2 min'],
  [121_000, '3 min'],
])('%i ms are %s', (milliseconds, text) => {
  expect(durationText(milliseconds)).toBe(text);
});
