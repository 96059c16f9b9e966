/** What deletions have removed besides their roots, and what is still deleted. It is a list of rows, so it has each deletion that was applied before. */
import { readChildIds } from '../lists/children.ts';
import { readDeletedBy } from '../lists/deleted-by.ts';
import type { Deletion } from '../model/entity.ts';
import { sizeAtLevel } from '../model/job.ts';
import { ownershipOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/** Where a walk is among what deletions have removed. */
export interface MembersPlace {
  /** The position of the deletion and kind. */
  readonly position: number;
  /** The last entity of them, or an empty text. */
  readonly after: string;
}

export const firstMembers: MembersPlace = { position: 0, after: '' };

interface MembersRange {
  readonly from?: MembersPlace;
  /** Entities in one page. */
  readonly limit: number;
  readonly isForIds?: boolean;
}

/**
 * Reads the next page of what deletions have removed of some kinds; `undefined` when there is none. Its members are without those that have changed since their
 * ids were read, and none if only the ids are wanted.
 */
export async function readMembers(
  session: Session,
  deletions: readonly Deletion[],
  kinds: readonly Kind[],
  { from = firstMembers, limit, isForIds }: MembersRange,
) {
  const groups = deletions.flatMap((deletion) => kinds.map((kind) => ({ kind, deletion })));
  for (let { position, after } = from; position < groups.length; position += 1, after = '') {
    const { kind, deletion } = groups[position] as (typeof groups)[number];
    const { ids, stored, end } = await readDeletedBy(session, kind, deletion, { after, limit, isForIds });
    if (ids.length === 0) continue;
    const next = end ? { position, after: end.id } : { position: position + 1, after: '' };
    return { kind, deletion, ids, members: stored, next };
  }
  return undefined;
}

/** Where a walk is among what a deletion has removed below some entities. */
export interface PlaceBelow extends MembersPlace {
  readonly kind: Kind;
  readonly ids: readonly string[];
}

export const placeBelow = (kind: Kind, ids: readonly string[]): PlaceBelow => ({
  kind,
  ids,
  ...firstMembers,
});

interface WalkBelow {
  readonly path: readonly PlaceBelow[];
  /** Entities in one page. */
  readonly limit: number;
  /** Whether it also looks below those that exist. */
  readonly withExisting: boolean;
}

/** Reads the next page of what a deletion has removed below some entities, level by level; `undefined` when the walk is over. */
export async function readMembersBelow(
  session: Session,
  deletion: Deletion,
  { path, limit: most, withExisting }: WalkBelow,
) {
  for (let left = path; ; left = left.slice(0, -1)) {
    const place = left.at(-1);
    if (!place) return undefined;
    const { kind, ids: above, ...from } = place;
    const groups = ownershipOf(kind).flatMap((relation) =>
      (withExisting ? [true, false] : [true]).map((isOfDeleted) => ({ relation, isOfDeleted })),
    );
    const limit = sizeAtLevel(left.length, most);
    for (let { position, after } = from; position < groups.length; position += 1, after = '') {
      const { relation, isOfDeleted } = groups[position] as (typeof groups)[number];
      const { child, field } = relation;
      const having = { field, ids: above };
      const { ids: all, stored } = isOfDeleted
        ? await readDeletedBy(session, child, deletion, { after, limit, having })
        : { ids: await readChildIds(session, relation, above, { after, limit }), stored: [] };
      const last = all.at(-1);
      if (last === undefined) continue;
      // Moves at the same time can have made a cycle, in which the walk would never end.
      const isAbove = (id: string) => left.some((one) => one.kind === child && one.ids.includes(id));
      const ids = all.filter((id) => !isAbove(id));
      const members = stored.filter(({ entity }) => !isAbove(entity.id));
      const below = ids.length > 0 ? [placeBelow(child, ids)] : [];
      return {
        kind: child,
        ids,
        members,
        path: [...left.slice(0, -1), { ...place, position, after: last }, ...below],
      };
    }
  }
}
