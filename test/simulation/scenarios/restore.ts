/**
 * The restore of docs/data.md. A table that is restored to a point in time has each item as of that time, but it can have a part of a transaction.
 * The audit repairs it.
 */

import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean } from '#lib/audit/report.ts';
import { compactAll } from '../../support/compaction.ts';
import { runs } from '../../support/runs.ts';
import { keysOf } from '../../support/table/faults.ts';
import { MemoryTable } from '../../support/table/memory-table.ts';
import { kinds } from '../list-model.ts';
import { makeEntities } from '../operations.ts';
import { tableName } from '../process.ts';
import { inWorld, isTransaction } from '../scenario.ts';
import { Writer } from '../workload.ts';
import type { World } from '../world.ts';

afterEach(() => setTimeAndChance());

/** Copies that are made until one is not correct, at most. */
const maxRounds = 20;

/** Writes until there have been some transactions. @returns the items in the middle of the last one. */
async function itemsInMiddle(
  world: World,
  transactions: number,
): Promise<ReturnType<MemoryTable['snapshot']>> {
  const writer = new Writer(world, world.random);
  let items: ReturnType<MemoryTable['snapshot']> | undefined;
  let left = transactions;
  world.table.intercept = (call) => {
    const keys = isTransaction(call) ? keysOf(call) : [];
    // Another attempt of the same request looks for its recorded result, and would wait for it in vain for so long.
    const isCounted = keys.length > 1 && !keys.some(({ sk }) => sk.startsWith('idempotency'));
    left -= isCounted ? 1 : 0;
    if (left !== 0 || !isCounted) return undefined;
    void world.wait(world.random.below(100)).then(() => {
      items = world.table.snapshot();
    });
    return { spreadMs: 100 };
  };
  while (!items) await writer.step();
  world.table.intercept = undefined;
  return items;
}

test('a table with a part of a transaction is correct after the repair, and after compaction', async () => {
  let broken = 0;
  // A copy can be correct by chance.
  for (let round = 0; round < runs(4, 10) || (broken === 0 && round < maxRounds); round += 1) {
    await inWorld(async (world) => {
      // Compaction of this test has the time of its table.
      setTimeAndChance(world.time);
      await makeEntities(world);
      if (round % 2 === 1) await world.settle(4);
      const items = await itemsInMiddle(world, 5 + world.random.below(20));
      const restored = new MemoryTable(tableName, world.time);
      for (const Item of items) await restored.putItem({ TableName: tableName, Item });
      await world.wait(3_600_000);
      const audit = (repair: boolean) => auditTable(restored, tableName, { pauseMs: 0, repair });
      if (!isClean(await audit(true))) broken += 1;
      expect(isClean(await audit(false))).toBe(true);
      // The log still has the part of the transaction.
      const database = new Database(restored, tableName, new Deadline(300_000));
      for (const kind of kinds) await compactAll(database, '@public', kind);
      expect(isClean(await audit(false))).toBe(true);
    });
  }
  // The drill would prove nothing if the copies were correct.
  expect(broken).toBeGreaterThan(0);
});
