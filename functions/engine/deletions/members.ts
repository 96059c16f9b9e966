/** The deleted entities that deletions have removed. The index that has them together may lag: what is written is read by key. */
import { isDeletedItem, isRoot, isSameDeletion, queryOfDeletion } from '../model/deletion.ts';
import type { DeletedEntity, Deletion } from '../model/entity.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/** Where a walk is among what deletions have removed. */
export interface MembersPlace {
  /** The position of the deletion and kind. */
  readonly position: number;
  /** The last entity of them, or an empty text. */
  readonly after: string;
}

interface MembersPage {
  readonly kind: Kind;
  readonly members: readonly DeletedEntity[];
  /** Where the next page begins, also when there is none. */
  readonly next: MembersPlace;
}

interface Walk {
  /** By default, the walk begins at the beginning. */
  readonly from?: MembersPlace;
  /** Entities in one page. */
  readonly limit: number;
  /** By default, they are read by key. Those of the index can have been restored a moment ago. */
  readonly isFromIndex?: boolean;
}

/** Reads what deletions have removed of some kinds and what is still deleted, page by page, without their roots. */
export async function* walkMembers(
  { tenant, database }: Session,
  deletions: readonly Deletion[],
  kinds: readonly Kind[],
  { from = { position: 0, after: '' }, limit, isFromIndex = false }: Walk,
): AsyncGenerator<MembersPage, undefined, undefined> {
  const groups = deletions.flatMap((deletion) => kinds.map((kind) => ({ kind, deletion })));
  let { position, after } = from;
  for (let group = groups[position]; group; group = groups[position]) {
    const { kind, deletion } = group;
    const query = { ...queryOfDeletion(tenant, kind, deletion, after), Limit: limit };
    const { items, next } = await database.query(query, undefined, { withDeleted: true });
    const keys = items.map(({ pk, sk }) => ({ pk, sk }));
    const current = isFromIndex ? items : await database.getMany(keys, true, { withDeleted: true });
    const members = (current.filter(isDeletedItem).map(decodeAnyEntity) as DeletedEntity[])
      .filter((one) => isSameDeletion(one.deletion, deletion) && !isRoot(one))
      .sort((one, other) => (one.entity.id < other.entity.id ? -1 : 1));
    const last = next && items.at(-1);
    if (last) after = decodeAnyEntity(last).entity.id;
    else [position, after] = [position + 1, ''];
    if (items.length > 0) yield { kind, members, next: { position, after } };
  }
  return undefined;
}
