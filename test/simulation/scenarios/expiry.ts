/** What time does to data: deleted entities, records and cursors expire. */
import { defaultHistoryDays } from '#functions/engine/model/change-log.ts';
import { someOf } from '../../support/runs.ts';
import { live, simulate } from '../life.ts';
import { Random } from '../random.ts';
import { Follower, Writer } from '../workload.ts';
import type { World } from '../world.ts';

const dayMs = 86_400_000;

const none: readonly never[] = [];

/** Lets the days pass after which deleted entities and records are gone. DynamoDB deletes them some time later. */
async function expire(world: World): Promise<void> {
  // Compaction looks at each log within half a day.
  await world.settle();
  await world.wait(dayMs);
  await world.settle();
  await world.wait((defaultHistoryDays + 1) * dayMs);
  world.table.expire();
  await world.settle();
}

test.each(someOf([1_000, 1_100, 1_200], 3))(
  'what was deleted 30 days ago is gone, and lists and copies are right: history %i',
  async (seed) => {
    await simulate(seed, {}, async (world) => {
      const follower = new Follower(world, 'task', '', () => true);
      await live(world);
      while (await follower.poll(100));
      const deleted = await world.send('GET', '/v1/tasks/deleted?limit=100');
      const { data } = deleted.body as { data: { id: string }[] };
      expect(data.length).toBeGreaterThan(0);
      await expire(world);
      expect((await world.send('GET', '/v1/tasks/deleted')).body).toMatchObject({ data: none, total: 0 });
      for (const { id } of data)
        expect((await world.send('POST', `/v1/tasks/${id}/restore`)).status).toBe(404);
      // A copy that was away for so long begins again.
      const writer = new Writer(world, new Random(seed));
      for (let step = 0; step < 10; step += 1) await writer.step();
      while (await follower.poll(100));
    });
  },
);
