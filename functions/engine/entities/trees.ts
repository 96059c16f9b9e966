/** Trees of entities that refer to others of their kind. Each walk through one ends, also when two requests at the same time have made a cycle. */
import { readChildIds } from '../lists/children.ts';
import type { WholeChange } from '../model/changes.ts';
import type { StoredEntity } from '../model/entity.ts';
import { ContradictingField } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import { treeOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';

/** Levels of a tree, at most: that of the entity at the top is the first one. */
export const maxLevels = 10;

/** What a request makes of the entities of one kind. */
export interface TreeChanges {
  readonly changes: readonly WholeChange[];
  /** The ids of the entities that it deletes. */
  readonly deleted: ReadonlySet<string>;
}

/** The parents of entities as they are after a request, by id; those that have been read. */
class Parents {
  readonly #session: Session;
  readonly #relation: Relation;
  readonly #parentOf: Map<string, string | null>;
  /** The entities that the request creates: none that exists is below them. */
  readonly created: ReadonlySet<string>;

  constructor(session: Session, relation: Relation, changes: readonly WholeChange[]) {
    this.#session = session;
    this.#relation = relation;
    this.created = new Set(changes.flatMap(({ before, after }) => (before ? [] : [after.entity.id])));
    this.#parentOf = new Map(
      changes.map(({ after: { entity } }) => [entity.id, (entity[relation.field] ?? null) as string | null]),
    );
  }

  /** Reads what is above entities, level by level. */
  async loadAbove(ids: readonly string[]): Promise<void> {
    const { tenant, database } = this.#session;
    const { child, field } = this.#relation;
    let level = ids;
    for (let number = 0; number < maxLevels && level.length > 0; number += 1) {
      const wanted = new Set(level.filter(isId));
      const unread = [...wanted].filter((id) => !this.#parentOf.has(id));
      const items = await database.getMany(unread.map((id) => entityKey(tenant, child, id)));
      for (const { entity } of items.map(decodeEntity))
        this.#parentOf.set(entity.id, (entity[field] ?? null) as string | null);
      level = [...wanted].flatMap((id) => this.#parentOf.get(id) ?? []);
    }
  }

  /** Returns what is above an entity, the nearest first: at most as many as a tree has levels. */
  above(id: string): string[] {
    const ids: string[] = [];
    for (let next = this.#parentOf.get(id); next && ids.length < maxLevels; next = this.#parentOf.get(next))
      ids.push(next);
    return ids;
  }

  /** Returns the entities that the request has moved below some others, and those that it has moved away. */
  children(parentIds: ReadonlySet<string>): {
    readonly added: string[];
    readonly isElsewhere: (id: string) => boolean;
  } {
    const added = [...this.#parentOf].flatMap(([id, parent]) =>
      parent && parentIds.has(parent) ? [id] : [],
    );
    return {
      added,
      isElsewhere: (id) => this.#parentOf.has(id) && !parentIds.has(this.#parentOf.get(id) ?? ''),
    };
  }
}

/** Returns the levels of the tree below an entity, that of the entity included, or `limit` if there are more. */
async function levelsFrom(
  session: Session,
  relation: Relation,
  id: string,
  {
    parents,
    deleted,
    limit,
  }: { readonly parents: Parents; readonly deleted: ReadonlySet<string>; readonly limit: number },
): Promise<number> {
  let level = new Set([id]);
  for (let levels = 1; ; levels += 1) {
    if (levels >= limit) return limit;
    const former = [...level].filter((one) => !parents.created.has(one));
    const found = await readChildIds(session, relation, former);
    const { added, isElsewhere } = parents.children(level);
    const next = [...found.filter((one) => !isElsewhere(one)), ...added].filter((one) => !deleted.has(one));
    if (next.length === 0) return levels;
    level = new Set(next);
  }
}

/**
 * Returns, for each change, why the tree that it makes is refused; `undefined` when it is not. The state after all changes decides. A cycle that two requests
 * make at the same time is not seen here: an audit repairs it.
 */
export async function findTreeErrors(
  session: Session,
  kind: Kind,
  { changes, deleted }: TreeChanges,
): Promise<(ContradictingField | undefined)[]> {
  const relation = treeOf(kind);
  if (!relation) return [];
  const { field } = relation;
  const isMoved = ({ before, after }: WholeChange): boolean =>
    (after.entity[field] ?? null) !== null && after.entity[field] !== before?.entity[field];
  const parents = new Parents(session, relation, changes);
  const parentIn = (stored: StoredEntity | undefined): string[] =>
    [stored?.entity[field] ?? []].flat() as string[];
  await parents.loadAbove(
    changes.flatMap((change) => [
      ...(isMoved(change) || deleted.size > 0 ? parentIn(change.after) : []),
      ...(deleted.size > 0 ? parentIn(change.before) : []),
    ]),
  );
  return Promise.all(
    changes.map(async (change) => {
      const { id } = change.after.entity;
      const above = parents.above(id);
      const former = parentIn(change.before).flatMap((parent) => [parent, ...parents.above(parent)]);
      if ([...above, ...former].some((one) => deleted.has(one)))
        return new ContradictingField(field, `The request deletes what this ${kind} is below.`);
      if (!isMoved(change)) return undefined;
      if (above.includes(id)) return new ContradictingField(field, `The ${kind} would be below itself.`);
      const limit = maxLevels - above.length + 1;
      const levels = limit > 1 ? await levelsFrom(session, relation, id, { parents, deleted, limit }) : limit;
      return levels < limit
        ? undefined
        : new ContradictingField(field, `The tree would have more than ${maxLevels} levels, the maximum.`);
    }),
  );
}
