import { openLog } from '../../functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { purge } from '../../functions/engine/columns/compact/purge.ts';
import { eraseDeleted } from '../../functions/engine/deletions/erase-deleted.ts';
import { isBeingSwept } from '../../functions/engine/deletions/sweep.ts';
import type { LogIdentity } from '../../functions/engine/model/change-log.ts';
import { ConditionFailed, EntityNotFound, RestoreInProgress } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity } from '../../functions/engine/model/item-codec.ts';
import { entityKey } from '../../functions/engine/model/keys.ts';
import { cascadeKinds } from '../../functions/engine/model/relations.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import type { DynamoDb } from '../../functions/engine/table/operations.ts';
import type { Session } from '../../functions/engine/table/session.ts';
import { CommandFailure } from '../command-line/command-line.ts';
import { openTable } from '../hosting/scan-table.ts';

/** Deadline of the command, retries included. A deletion can have removed many entities. */
const maxMs = 3_600_000;

/** Erases what is left of a deletion. @returns the number of entities: 0 if an earlier call, or a job, has erased them. */
async function eraseLeft(session: Session, kind: Kind, id: string): Promise<number> {
  try {
    const counts = await eraseDeleted(session, kind, id);
    return [...counts.values()].reduce((sum, count) => sum + count, 0);
  } catch (error) {
    const key = entityKey(session.tenant, kind, id);
    const item = error instanceof EntityNotFound && (await session.database.get(key, { withDeleted: true }));
    if (item && decodeAnyEntity(item).deletion?.isErased) return 0;
    throw error;
  }
}

/**
 * Erases a deleted entity, and what its deletion has removed besides, also from the columns of lists.
 * @returns the number of erased entities, and whether nothing is left to erase. Otherwise jobs of the deletion go on, and columns can have what they remove.
 * @throws CommandFailure when the entity is not deleted, or it or a part of its deletion is restored meanwhile.
 */
export async function eraseEntity(
  client: DynamoDb,
  tableName: string,
  { tenant, kind, id }: LogIdentity & { readonly id: string },
): Promise<{ count: number; isComplete: boolean }> {
  const table = { client, tableName };
  const database = openTable(table, maxMs);
  try {
    const session = { tenant, database };
    const count = await eraseLeft(session, kind, id);
    for (const erased of [kind, ...cascadeKinds(kind)])
      await purge(() => openLog(openTable(table), tenant, erased));
    return { count, isComplete: !(await isBeingSwept(session, { kind, id })) };
  } catch (cause) {
    if (cause instanceof ConditionFailed)
      throw new CommandFailure(`The ${kind} ${id} was restored meanwhile.`, { cause });
    if (cause instanceof RestoreInProgress)
      throw new CommandFailure(
        `Something that was deleted with the ${kind} ${id} is being restored. Repeat the command in a few minutes.`,
        { cause },
      );
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
