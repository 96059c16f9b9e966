import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { eraseDeleted } from '../../functions/store/cascades/erase-deleted.ts';
import { Database } from '../../functions/store/dynamodb/database.ts';
import { Deadline } from '../../functions/store/dynamodb/deadline.ts';
import type { Kind } from '../../functions/store/model/relations.ts';
import { CommandFailure } from '../cli/command-line.ts';

/** Deadline of the command, retries included. */
const maxMs = 600_000;

interface DeletedEntity {
  readonly tenant: string;
  readonly kind: Kind;
  readonly id: string;
}

/**
 * Erases what the deletion of an entity left: its item, by which it can be restored, its description, and those of all that the deletion has removed
 * besides.
 * @returns the number of entities.
 * @throws CommandFailure when the entity is not deleted.
 */
export async function eraseEntity(
  client: DynamoDBDocumentClient,
  tableName: string,
  { tenant, kind, id }: DeletedEntity,
): Promise<number> {
  const database = new Database(client, tableName, new Deadline(maxMs));
  const count = await eraseDeleted({ tenant, database }, kind, id);
  if (count === undefined) {
    throw new CommandFailure(
      `The ${kind} ${id} is not deleted. Delete it through the API first, which also handles what refers to it.`,
    );
  }
  return count;
}
