/** What operators do while the service is used, and what processes leave behind that end. */
import { numbersKey } from '#functions/engine/entities/numbers.ts';
import { sequencerKey } from '#functions/engine/model/change-log.ts';
import { ConditionFailed, StoreUnavailable } from '#functions/engine/model/errors.ts';
import { maxRequestMs } from '#functions/engine/table/deadline.ts';
import { isRetryable, type SdkError } from '#functions/engine/table/error-classification.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { rebuildLogs } from '#lib/audit/rebuild-logs.ts';
import { CommandFailure } from '#lib/command-line/command-line.ts';
import { eraseEntity } from '#lib/erase/erase-entity.ts';
import { type Kind, kinds } from './list-model.ts';
import { tableName } from './process.ts';
import type { World } from './world.ts';

const tenant = '@public';

async function eraseAny({ table, random, moments, unfinishedErasures }: World): Promise<void> {
  const kind = random.pick<Kind>(['task', 'project', 'organization']);
  const ids = [...moments.state.trash[kind].keys()];
  if (ids.length === 0) return;
  const id = random.pick(ids);
  moments.erased.add(id);
  unfinishedErasures.set(id, kind);
  await eraseEntity(table, tableName, { tenant, kind, id });
  unfinishedErasures.delete(id);
}

/** Repeats the erasures that have failed, as the command asks for: a part was being restored, or the table did not respond. */
export async function finishErasures({ table, unfinishedErasures }: World): Promise<void> {
  for (const [id, kind] of unfinishedErasures) {
    // What was restored instead is not deleted any more.
    await eraseEntity(table, tableName, { tenant, kind, id }).catch((error: unknown) => {
      if (!(error instanceof CommandFailure)) throw error;
    });
  }
}

/** Runs any command. One that fails in the middle has left everything right. */
export async function runCommand(world: World): Promise<void> {
  const { table, random } = world;
  const audit = (repair: boolean) => auditTable(table, tableName, { repair, pauseMs: 3_000 });
  const commands = [
    () => rebuildLogs(table, tableName),
    () => audit(false),
    () => audit(true),
    () => eraseAny(world),
  ];
  try {
    await random.pick(commands)();
  } catch (error) {
    const isRefused = [StoreUnavailable, CommandFailure, ConditionFailed].some(
      (type) => error instanceof type,
    );
    if (!isRefused && !isRetryable(error as SdkError)) throw error;
  }
}

/** The counter of numbers is lost, as by a mistake of an operator. */
export async function loseNumbers(world: World): Promise<void> {
  const { table, moments } = world;
  moments.forgetErasedNumbers();
  const lost = table.deleteItem({ TableName: tableName, Key: numbersKey({ tenant, kind: 'task' }) });
  // The call can be lost.
  await lost.catch(() => undefined);
  // A second loss hides what requests have taken since the first one, and a request that makes the counter again can have read before that.
  await world.wait(2 * maxRequestMs);
}

/** Processes end that have taken positions of a log: one, or so many that readers cannot know each. */
export async function losePositions({ table, random }: World): Promise<void> {
  const taken = table.updateItem({
    TableName: tableName,
    Key: sequencerKey({ tenant, kind: random.pick(kinds) }),
    UpdateExpression: 'ADD #count :count',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: { ':count': random.pick([1, 1, 3, 45, 260]) },
  });
  // The call can be lost.
  await taken.catch(() => undefined);
}
