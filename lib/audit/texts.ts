/** Compares the long texts of entities, which are items beside them, with the digests in the entities. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../functions/store/dynamodb/database.ts';
import { buildUpdate } from '../../functions/store/model/changes.ts';
import type { StoredEntity } from '../../functions/store/model/entity.ts';
import { ConditionFailed } from '../../functions/store/model/errors.ts';
import { decodeEntity } from '../../functions/store/model/item-codec.ts';
import { entitySortKey, textSortKey } from '../../functions/store/model/keys.ts';
import { beginningOf, Digest, digestText, isDigestOf } from '../../functions/store/model/long-text.ts';
import type { Item, Key } from '../../functions/store/model/writes.ts';
import { applyChangeSet } from '../../functions/store/unit-of-work/commit.ts';
import type { StoredCopy } from './checksums.ts';

/** Reads of an entity and its text before a difference is reported. Writes between the two items of a read cause a difference. */
const maxAttempts = 3;

export type TextProblem =
  /** The entity does not exist, or has a short text. */
  | 'unused'
  /** The entity has a digest, but there is no text. */
  | 'missing'
  /** The entity has the digest of another text. */
  | 'different';

export interface TextDifference {
  /** The partition key of the entity. */
  readonly entity: string;
  readonly problem: TextProblem;
}

interface StoredText {
  readonly entity: StoredEntity | undefined;
  readonly text: string | undefined;
}

const digestOf = (entity: StoredEntity | undefined): Digest | undefined => {
  const description = entity?.entity.description;
  return description instanceof Digest ? description : undefined;
};

function problemOf({ entity, text }: StoredText): TextProblem | undefined {
  const digest = digestOf(entity);
  if (text === undefined) return digest && 'missing';
  if (!digest) return 'unused';
  return isDigestOf(digest, text) ? undefined : 'different';
}

/** Returns the digest of a long text that an item stores: that of a text, or that in an entity. */
export function copyOfText(item: Item): StoredCopy | undefined {
  const { pk: key, sk } = item;
  if (sk === textSortKey) return { key, value: digestText(String(item['text'])), sign: 1 };
  const digest = sk === entitySortKey ? digestOf(decodeEntity(item)) : undefined;
  return digest && { key, value: digest.text, sign: -1 };
}

export class ScannedTexts {
  readonly #ofTexts = new Map<string, string>();
  readonly #inEntities = new Map<string, string>();

  add(item: Item): void {
    const copy = copyOfText(item);
    if (copy) (copy.sign === 1 ? this.#ofTexts : this.#inEntities).set(copy.key, copy.value);
  }

  get suspects(): string[] {
    const all = new Set([...this.#ofTexts.keys(), ...this.#inEntities.keys()]);
    return [...all].filter((pk) => this.#ofTexts.get(pk) !== this.#inEntities.get(pk));
  }
}

async function readStoredText(database: Database, pk: string): Promise<StoredText> {
  const { items } = await database.query({
    KeyConditionExpression: 'pk = :partition',
    ExpressionAttributeValues: { ':partition': pk },
    ConsistentRead: true,
  });
  const entity = items.find(({ sk }) => sk === entitySortKey);
  const text = items.find(({ sk }) => sk === textSortKey)?.['text'] as string | undefined;
  return { entity: entity && decodeEntity(entity), text };
}

/** Returns the differences that are still there when the texts are read again, with pauses. */
export async function compareTexts(
  database: Database,
  suspects: readonly string[],
  pauseMs: number,
): Promise<TextDifference[]> {
  const found: TextDifference[] = [];
  for (const entity of suspects) {
    let problem = problemOf(await readStoredText(database, entity));
    for (let attempt = 1; problem && attempt < maxAttempts; attempt += 1) {
      await delay(pauseMs);
      problem = problemOf(await readStoredText(database, entity));
    }
    if (problem) found.push({ entity, problem });
  }
  return found;
}

/**
 * Repairs a text: deletes one that no entity has; gives an entity the text that exists, or else the beginning of the missing one, which
 * its digest shows.
 */
export async function repairText(database: Database, difference: TextDifference): Promise<void> {
  const pk = difference.entity;
  const { entity, text } = await readStoredText(database, pk);
  const problem = problemOf({ entity, text });
  if (!problem) return;
  const textItem: Key = { pk, sk: textSortKey };
  if (!entity) {
    // No entity with this id is ever created again.
    await database.deleteItem(textItem);
    return;
  }
  const digest = digestOf(entity);
  const description = digest && (text ?? beginningOf(digest.text));
  const change = buildUpdate(entity, description === undefined ? {} : { description }, await database.time());
  const session = { tenant: pk.slice(0, pk.indexOf('#')), database };
  // The new version of the entity is the condition of the deletion.
  const writes = problem === 'unused' ? [{ remove: textItem }] : [];
  try {
    await applyChangeSet(session, { changes: [change], writes });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another writer has changed the entity meanwhile.
    await repairText(database, difference);
  }
}
