import { maxChangesCursorLength } from '#functions/store/lists/changes/cursor.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { FeedHistory, Follower } from '../simulation/change-feed.ts';
import { Random } from '../simulation/random.ts';
import { runs } from '../support/runs.ts';

/** Random histories of the change feed. The error of a test names the seed of a history, which repeats it. */

const histories = Number(process.env['HISTORIES'] ?? runs(30, 200));
const firstSeed = Number(process.env['SEED'] ?? 1);
const steps = 250;

async function runHistory(seed: number): Promise<void> {
  const random = new Random(seed);
  const history = new FeedHistory(random);
  // Some histories are so busy that pages end among unsettled records.
  const [pauseMs, writes] = random.chance(0.5) ? [400, 0.5] : [40, 0.8];
  const passTime = (): void => {
    if (random.chance(writes)) history.write();
    history.pass(random.below(pauseMs));
  };
  for (let step = 0; step < 20; step += 1) passTime();
  const followers: Follower[] = [];
  for (let step = 0; step < steps; step += 1) {
    passTime();
    if (followers.length < 3 && random.chance(0.05)) followers.push(new Follower(history, random, passTime));
    if (followers.length > 0 && random.chance(0.3)) await random.pick(followers).poll(random);
  }
  history.pass(2 * marginMs);
  for (const follower of followers) {
    // A copy is the list only after a response has arrived.
    for (let quiet = 0; quiet < 3; ) quiet = (await follower.poll(random, 0)).hasMore ? 0 : quiet + 1;
    follower.check();
  }
  expect(history.longestCursor).toBeLessThan(maxChangesCursorLength);
}

test(`each copy is the list at the end of ${histories} histories, and no version went back`, async () => {
  for (let seed = firstSeed; seed < firstSeed + histories; seed += 1) {
    try {
      await runHistory(seed);
    } catch (error) {
      throw new Error(`History ${seed}: ${(error as Error).message}`, { cause: error });
    }
  }
});
