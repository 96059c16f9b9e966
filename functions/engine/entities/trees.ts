/** Trees of entities that refer to others of their kind. Each walk through one ends, also when two requests at the same time have made a cycle. */
import type { readChildIds } from '../lists/children.ts';
import type { WholeChange } from '../model/changes.ts';
import type { ItemFields } from '../model/entity.ts';
import { ContradictingField } from '../model/errors.ts';
import { isId } from '../model/ids.ts';
import { treeOf } from '../model/relations.ts';
import type { Kind, Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readStored } from '../table/stored-entities.ts';

/** Levels of a tree, at most: that of the entity at the top is the first one. */
export const maxLevels = 10;

const parentIn = ({ field }: Relation, entity?: ItemFields) => (entity?.[field] ?? null) as string | null;

/** The parents of entities as they are after a request, by id; those that are known. */
type Parents = Map<string, string | null>;

async function readAbove(
  session: Session,
  relation: Relation,
  parents: Parents,
  ids: readonly (string | null)[],
): Promise<void> {
  let level = ids.flatMap((id) => id ?? []);
  for (let number = 0; number < maxLevels && level.length > 0; number += 1) {
    const unread = [...new Set(level)].filter((id) => isId(id) && !parents.has(id));
    for (const { entity } of await readStored(session, relation.child, unread))
      parents.set(entity.id, parentIn(relation, entity));
    level = level.flatMap((id) => parents.get(id) ?? []);
  }
}

/** Returns an entity and what is above it, the nearest first: at most one more than a tree has levels. */
function pathOf(parents: Parents, id: string | null): string[] {
  const path: string[] = [];
  for (let next = id; next && path.length <= maxLevels; next = parents.get(next) ?? null) path.push(next);
  return path;
}

/** Reads what is below entities that move. A bundle with it has all of lists. */
export type ReadBelow = typeof readChildIds;

interface Changed {
  /** Of all entities that it changes, and of what is above them. */
  readonly parents: Parents;
  readonly created: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
  readonly readBelow: ReadBelow | undefined;
  /** The levels of the entities that move, by id. */
  readonly levels: ReadonlyMap<string, number>;
}

/** Walks downwards from all entities that move, level by level. @returns an entity that is below the last level, if there is one. */
async function findTooDeep(
  session: Session,
  relation: Relation,
  { parents, created, deleted, levels, readBelow }: Changed,
): Promise<string | undefined> {
  let below: string[] = [];
  for (let number = 1; number <= maxLevels; number += 1) {
    const moved = [...levels].flatMap(([id, level]) => (level === number ? id : []));
    const level = new Set([...below, ...moved]);
    // None that exists is below a new entity.
    const former = [...level].filter((one) => !created.has(one));
    const found = (await readBelow?.(session, relation, former)) ?? [];
    const others = found.filter((one) => !parents.has(one));
    const changed = [...parents.keys()].filter((one) => level.has(parents.get(one) ?? ''));
    below = [...others, ...changed].filter((one) => !deleted.has(one));
  }
  return below[0];
}

/**
 * Returns, for each change, why the tree that it makes is refused; `undefined` when it is not. The state after all changes decides. Of trees with too many
 * levels, it names one. A cycle that two requests make at the same time is not seen here: the daily visit breaks it.
 */
export async function findTreeErrors(
  session: Session,
  kind: Kind,
  changes: readonly WholeChange[],
  { deleted = new Set(), readBelow }: Partial<Pick<Changed, 'deleted' | 'readBelow'>> = {},
): Promise<(ContradictingField | undefined)[]> {
  const relation = treeOf(kind);
  if (!relation) return [];
  const parentOf = ({ after }: WholeChange) => parentIn(relation, after.entity);
  const formerOf = ({ before }: WholeChange) => parentIn(relation, before?.entity);
  const isMoved = (change: WholeChange): boolean =>
    parentOf(change) !== null && parentOf(change) !== formerOf(change);
  const parents: Parents = new Map(changes.map((change) => [change.after.entity.id, parentOf(change)]));
  const created = new Set(changes.flatMap(({ before, after }) => (before ? [] : after.entity.id)));
  const moved = changes.filter(isMoved);
  if (!readBelow && moved.some(({ before }) => before))
    throw new TypeError(`A change that moves a ${kind} needs "readBelow": its levels below are read.`);
  const all =
    deleted.size > 0
      ? changes.flatMap((change) => [parentOf(change), formerOf(change)])
      : moved.map(parentOf);
  await readAbove(session, relation, parents, all);
  const refuse = (detail: string) => new ContradictingField(relation.field, detail);
  const tooManyLevels = `The tree would have more than ${maxLevels} levels, the maximum.`;
  const errors = changes.map((change) => {
    const { id } = change.after.entity;
    const above = pathOf(parents, parentOf(change));
    const former = pathOf(parents, formerOf(change));
    if ([...above, ...former].some((one) => deleted.has(one)))
      return refuse(`The request deletes what this ${kind} is below.`);
    if (!isMoved(change)) return undefined;
    if (above.includes(id)) return refuse(`The ${kind} would be below itself.`);
    const repeated = above.find((one, place) => above.indexOf(one) < place);
    if (repeated !== undefined)
      return refuse(
        `The ${kind} ${repeated} is in a cycle, below itself. Set its ${relation.field} to null.`,
      );
    return above.length < maxLevels ? undefined : refuse(tooManyLevels);
  });
  if (errors.some((error) => error !== undefined)) return errors;
  const levels = new Map(
    moved.map((change) => [change.after.entity.id, pathOf(parents, parentOf(change)).length + 1]),
  );
  const deepest = await findTooDeep(session, relation, { parents, created, deleted, levels, readBelow });
  if (deepest === undefined) return errors;
  await readAbove(session, relation, parents, [deepest]);
  const path = pathOf(parents, deepest);
  return changes.map(({ after: { entity } }) =>
    levels.has(entity.id) && path.includes(entity.id) ? refuse(tooManyLevels) : undefined,
  );
}
