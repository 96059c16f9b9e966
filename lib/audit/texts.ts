/** Compares the long texts of entities, which are items beside them, with the digests in the entities. */

import { buildMove, buildUpdate, type Change } from '../../functions/engine/model/changes.ts';
import { expiryOf } from '../../functions/engine/model/deletion.ts';
import type { AnyEntity, DeletedEntity } from '../../functions/engine/model/entity.ts';
import { ConditionFailed } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity } from '../../functions/engine/model/item-codec.ts';
import { entitySortKey, textSortKey } from '../../functions/engine/model/keys.ts';
import { beginningOf, Digest, digestText, isDigestOf } from '../../functions/engine/model/long-text.ts';
import { table } from '../../functions/engine/model/table.ts';
import type { Item, Key } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { applyChangeSet } from '../../functions/engine/write/commit.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';
import type { StoredCopies, StoredCopy } from './checksums.ts';
import { confirm } from './confirm.ts';
import { tenantOf } from './trees.ts';

export type TextProblem =
  /** The entity does not exist, or has a short text. */
  | 'unused'
  /** The entity has a digest, but there is no text. */
  | 'missing'
  /** The entity has the digest of another text. */
  | 'different'
  /** The text expires although its entity does not, or the other way round. */
  | 'expiring';

export interface TextDifference {
  /** The partition key of the entity. */
  readonly entity: string;
  readonly problem: TextProblem;
}

interface StoredText {
  readonly entity: AnyEntity | undefined;
  readonly text: string | undefined;
  /** When DynamoDB deletes the text, in seconds since 1970. */
  readonly expiresAt: number | undefined;
}

const digestOf = (entity: AnyEntity | undefined): Digest | undefined => {
  const description = entity?.entity.description;
  return description instanceof Digest ? description : undefined;
};

function problemOf({ entity, text, expiresAt }: StoredText): TextProblem | undefined {
  const digest = digestOf(entity);
  if (text === undefined) return digest && 'missing';
  if (!entity || !digest) return 'unused';
  if (expiresAt !== (entity.deletion && expiryOf(entity.deletion))) return 'expiring';
  return isDigestOf(digest, text) ? undefined : 'different';
}

/** Returns what an item says about a long text, its digest and when it expires: the item of the text, or the entity. */
export function copyOfText(item: Item): StoredCopy | undefined {
  const { pk: key, sk, [table.timeToLive]: expiresAt = '' } = item;
  if (sk === textSortKey) return { key, value: `${expiresAt} ${digestText(String(item['text']))}`, sign: 1 };
  const digest = sk === entitySortKey ? digestOf(decodeAnyEntity(item)) : undefined;
  return digest && { key, value: `${expiresAt} ${digest.text}`, sign: -1 };
}

async function readStoredText(database: Database, pk: string): Promise<StoredText> {
  const query = {
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': pk },
    ConsistentRead: true,
  };
  const { items } = await database.query(query, undefined, { withDeleted: true });
  const entity = items.find(({ sk }) => sk === entitySortKey);
  const text = items.find(({ sk }) => sk === textSortKey);
  return {
    entity: entity && decodeAnyEntity(entity),
    text: text?.['text'] as string | undefined,
    expiresAt: text?.[table.timeToLive] as number | undefined,
  };
}

/** Returns the differences that are still there when the texts are read again, with pauses. */
export const compareTexts = (
  open: () => Database,
  copies: StoredCopies,
  pauseMs: number,
): Promise<TextDifference[]> =>
  confirm([...copies.differing.keys()], pauseMs, async (entity) => {
    const problem = problemOf(await readStoredText(open(), entity));
    return problem && { entity, problem };
  });

/** Returns the change that gives a deleted entity a description: its row changes too. A text that it has expires with it. */
function describeDeleted(deleted: DeletedEntity, fields: object, hasText: boolean): Change {
  const { before, after } = buildMove(deleted, deleted.deletion);
  const deletion = hasText ? after.deletion : deleted.deletion;
  return { before, after: { ...after, entity: { ...after.entity, ...fields }, deletion } };
}

/**
 * Repairs a text: deletes one that no entity has; gives an entity the text that exists, or else the beginning of the missing one, which
 * its digest shows. A text expires with its entity, and only with it.
 */
export async function repairText(database: Database, difference: TextDifference): Promise<void> {
  const pk = difference.entity;
  const stored = await readStoredText(database, pk);
  const { entity, text } = stored;
  const problem = problemOf(stored);
  if (!problem) return;
  const textItem: Key = { pk, sk: textSortKey };
  if (!entity) {
    // No entity with this id is ever created again.
    await database.deleteItem(textItem);
    return;
  }
  const digest = digestOf(entity);
  const description = digest && (text ?? beginningOf(digest.text));
  const tenant = tenantOf({ pk });
  try {
    const fields = description === undefined ? {} : { description };
    const change = entity.deletion
      ? describeDeleted(entity as DeletedEntity, fields, text !== undefined)
      : buildUpdate(entity, fields, now());
    // The new version of the entity is the condition of the deletion.
    const writes = problem === 'unused' ? [{ remove: textItem }] : [];
    await applyChangeSet({ tenant, database }, { changes: [change], writes });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another writer has changed the entity meanwhile.
    await repairText(database, difference);
  }
}
