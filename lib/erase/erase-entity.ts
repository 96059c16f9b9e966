import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../functions/store/dynamodb/database.ts';
import { Deadline } from '../../functions/store/dynamodb/deadline.ts';
import { entityKey, entitySortKey } from '../../functions/store/model/keys.ts';
import type { Kind } from '../../functions/store/model/relations.ts';
import { CommandFailure } from '../cli/command-line.ts';

/** Deadline of the command, retries included. */
const maxMs = 60_000;

interface DeletedEntity {
  readonly tenant: string;
  readonly kind: Kind;
  readonly id: string;
}

/**
 * Erases what the deletion of an entity left: its item, by which it can be restored, and its description.
 * @returns the number of items.
 * @throws CommandFailure when the entity is not deleted.
 */
export async function eraseEntity(
  client: DynamoDBDocumentClient,
  tableName: string,
  { tenant, kind, id }: DeletedEntity,
): Promise<number> {
  const database = new Database(client, tableName, new Deadline(maxMs));
  const { items } = await database.query({
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': entityKey(tenant, kind, id).pk },
    ConsistentRead: true,
  });
  const entity = items.find(({ sk }) => sk === entitySortKey);
  if (entity && !('deletedAt' in entity)) {
    throw new CommandFailure(
      `The ${kind} ${id} is not deleted. Delete it through the API first, which also handles what refers to it.`,
    );
  }
  for (const { pk, sk } of items) await database.deleteItem({ pk, sk });
  return items.length;
}
