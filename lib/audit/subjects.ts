/** Compares the items of subjects, which make a subject unique in its tenant, with the users that have these subjects. */

import { buildUpdate } from '../../functions/engine/model/changes.ts';
import type { StoredEntity } from '../../functions/engine/model/entity.ts';
import { ConditionFailed } from '../../functions/engine/model/errors.ts';
import { decodeAnyEntity, decodeEntity } from '../../functions/engine/model/item-codec.ts';
import { entityKey, entitySortKey } from '../../functions/engine/model/keys.ts';
import {
  encodeUniqueValue,
  entityOfUniqueValue,
  namesEntity,
  uniqueKey,
  uniqueSortKey,
  uniqueValueOf,
} from '../../functions/engine/model/unique-value.ts';
import { type Item, type Key, notExists, type Write } from '../../functions/engine/model/writes.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import { applyChangeSet } from '../../functions/engine/write/commit.ts';
import { now } from '../../functions/runtime/time-and-chance.ts';
import { user } from '../../functions/users/resource.ts';
import type { StoredCopies, StoredCopy } from './checksums.ts';
import { confirm } from './confirm.ts';
import { tenantOf } from './trees.ts';

export type SubjectProblem =
  /** There is an item, but its user does not exist or has another subject. */
  | 'unused'
  /** A user has the subject, but there is no item. */
  | 'missing'
  /** A user has the subject of the item, which names another user. */
  | 'shared';

export interface SubjectDifference {
  /** The partition key of the item. */
  readonly item: string;
  /** The ids of the users that the item names or that have the subject. */
  readonly users: readonly string[];
  readonly problem: SubjectProblem;
}

interface StoredSubject {
  /** The id of the user that the item names. */
  readonly named: string | undefined;
  /** The users that have the subject, the oldest first. */
  readonly holders: readonly StoredEntity[];
}

function problemOf({ named, holders }: StoredSubject): SubjectProblem | undefined {
  const [first, ...others] = holders.map(({ entity }) => entity.id);
  if (first === undefined) return named === undefined ? undefined : 'unused';
  if (others.length === 0 && first === named) return undefined;
  return named === undefined && others.length === 0 ? 'missing' : 'shared';
}

/** Returns what an item says about the user of a subject: the item of the subject, or the user. */
export function copyOfSubject(item: Item): StoredCopy | undefined {
  if (item.sk === uniqueSortKey) return { key: item.pk, value: entityOfUniqueValue(item).id, sign: 1 };
  const stored = item.sk === entitySortKey ? decodeAnyEntity(item) : undefined;
  const subject = uniqueValueOf(stored);
  if (subject === undefined || !stored) return undefined;
  return { key: uniqueKey(tenantOf(item), user.kind, subject).pk, value: stored.entity.id, sign: -1 };
}

/** Reads what is stored for a subject. @param users the ids of the users that can have it. */
async function readStoredSubject(
  database: Database,
  { item: pk, users }: Pick<SubjectDifference, 'item' | 'users'>,
): Promise<StoredSubject> {
  const tenant = tenantOf({ pk });
  const key: Key = { pk, sk: uniqueSortKey };
  const items = await database.getMany([key, ...users.map((id) => entityKey(tenant, user.kind, id))]);
  const item = items.find(({ sk }) => sk === uniqueSortKey);
  const holders = items
    .filter(({ sk }) => sk === entitySortKey)
    .map(decodeEntity)
    .filter((holder) => {
      const subject = uniqueValueOf(holder);
      return subject !== undefined && uniqueKey(tenant, user.kind, subject).pk === pk;
    })
    .sort((one, other) => (one.entity.id < other.entity.id ? -1 : 1));
  return { named: item && entityOfUniqueValue(item).id, holders };
}

/** Returns the differences that are still there when the subjects are read again, with pauses. */
export const compareSubjects = (
  open: () => Database,
  copies: StoredCopies,
  pauseMs: number,
): Promise<SubjectDifference[]> =>
  confirm([...copies.differing], pauseMs, async ([item, ofItem]) => {
    const users = [...new Set(ofItem.map(({ value }) => value))];
    const problem = problemOf(await readStoredSubject(open(), { item, users }));
    return problem && { item, users, problem };
  });

/** Returns the removal of an item of a subject, on condition that it still names the same user. */
const removal = (pk: string, named: string): Write => ({
  remove: { pk, sk: uniqueSortKey },
  condition: namesEntity(named),
});

/**
 * Repairs a subject: removes an item that no user needs, and puts one that is missing. Of several users with one subject, the one that the item
 * names keeps it, or else the oldest; the others lose it.
 */
export async function repairSubject(database: Database, difference: SubjectDifference): Promise<void> {
  const { item: pk } = difference;
  const session = { tenant: tenantOf({ pk }), database };
  const { named, holders } = await readStoredSubject(database, difference);
  const nowMs = now();
  if (!problemOf({ named, holders })) return;
  const owner = holders.find(({ entity }) => entity.id === named) ?? holders[0];
  try {
    if (named !== undefined) await database.transact([removal(pk, named)]);
    for (const other of holders.filter((one) => one !== owner)) {
      await applyChangeSet(session, {
        changes: [buildUpdate(other, { [user.unique as string]: null }, nowMs)],
      });
    }
    const subject = uniqueValueOf(owner);
    if (!owner || subject === undefined) return;
    const put = encodeUniqueValue(session.tenant, { kind: user.kind, id: owner.entity.id }, subject);
    // The new version of the user is the condition that the subject has not changed meanwhile.
    const changes = [buildUpdate(owner, {}, nowMs)];
    await applyChangeSet(session, { changes, writes: [{ put, condition: notExists }] });
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another writer has changed a user meanwhile.
    await repairSubject(database, difference);
  }
}
