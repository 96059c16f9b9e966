import type { Kind } from '../../functions/kinds.ts';
import '../../functions/schema.ts';
import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { purge } from '../../functions/engine/columns/compact/purge.ts';
import { eraseDeleted } from '../../functions/engine/deletions/erase-deleted.ts';
import { ConditionFailed, EntityNotFound } from '../../functions/engine/model/errors.ts';
import { entityKey } from '../../functions/engine/model/keys.ts';
import { Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import { CommandFailure } from '../command-line/command-line.ts';

/** Deadline of the command, retries included. A deletion can have removed many entities. */
const maxMs = 3_600_000;

/** Deadline of one step that writes columns again. */
const maxStepMs = 60_000;

interface DeletedEntity {
  readonly tenant: string;
  readonly kind: Kind;
  readonly id: string;
}

/**
 * Erases a deleted entity, and what its deletion has removed besides, also from the columns of lists.
 * @returns the number of entities.
 * @throws CommandFailure when the entity is not deleted, or is restored meanwhile.
 */
export async function eraseEntity(
  client: DynamoDb,
  tableName: string,
  { tenant, kind, id }: DeletedEntity,
): Promise<number> {
  const database = new Database(client, tableName, new Deadline(maxMs));
  try {
    const counts = await eraseDeleted({ tenant, database }, kind, id);
    const step = () => new Database(client, tableName, new Deadline(maxStepMs));
    for (const erased of counts.keys()) await purge(() => openLog(step(), tenant, erased));
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  } catch (cause) {
    if (cause instanceof ConditionFailed)
      throw new CommandFailure(`The ${kind} ${id} was restored meanwhile.`, { cause });
    if (!(cause instanceof EntityNotFound)) throw cause;
    const exists = (await database.get(entityKey(tenant, kind, id))) !== undefined;
    throw new CommandFailure(
      exists
        ? `The ${kind} ${id} is not deleted. Delete it through the API first, which also handles what refers to it.`
        : `There is no deleted ${kind} with the id ${id}.`,
      { cause },
    );
  }
}
