/** The deleted entities that one deletion has removed. The index that has them together may lag: they are read by key. */
import { isDeletedItem, isSameDeletion, queryOfDeletion } from '../model/deletion.ts';
import type { DeletedEntity, Deletion } from '../model/entity.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../unit-of-work/session.ts';

interface MembersPage {
  readonly members: readonly DeletedEntity[];
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
}

/**
 * Reads a page of the entities of a kind that a deletion has removed and that are still deleted, in the order of their ids, without its root.
 * @param after begins after the entity with this id; an empty text begins with the first one.
 */
export async function readMembers(
  { tenant, database }: Session,
  kind: Kind,
  deletion: Deletion,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<MembersPage> {
  const query = { ...queryOfDeletion(tenant, kind, deletion, after), Limit: limit };
  const { items, next } = await database.query(query, undefined, { withDeleted: true });
  const keys = items.map(({ pk, sk }) => ({ pk, sk }));
  const current = await database.getMany(keys, true, { withDeleted: true });
  const members = (current.filter(isDeletedItem).map(decodeAnyEntity) as DeletedEntity[])
    .filter((one) => isSameDeletion(one.deletion, deletion))
    .sort((one, other) => (one.entity.id < other.entity.id ? -1 : 1));
  const last = items.at(-1);
  return { members, next: next && last && decodeAnyEntity(last).entity.id };
}
