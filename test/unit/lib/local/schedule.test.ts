import { setTimeout as delay } from 'node:timers/promises';
import { startSchedule } from '#lib/local/schedule.ts';

test('calls again after a failed call, never twice at once, and stops after the call in progress', async () => {
  const logged = jest.spyOn(console, 'error').mockImplementation(() => {});
  let calls = 0;
  let running = 0;
  let maxRunning = 0;
  let release = (): void => {};
  const schedule = startSchedule(async () => {
    calls += 1;
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    if (calls === 2) {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    }
    running -= 1;
    if (calls === 1) throw new Error('The first call fails.');
  });
  while (calls < 2) await delay(10);
  let hasStopped = false;
  const stopped = schedule.stop().then(() => {
    hasStopped = true;
  });
  await new Promise(setImmediate);
  expect([running, hasStopped]).toEqual([1, false]);
  release();
  await stopped;
  expect([calls, running, maxRunning]).toEqual([2, 0, 1]);
  expect(logged).toHaveBeenCalledWith('The scheduled function failed:', expect.any(Error));
  logged.mockRestore();
});
