/** Finds and breaks cycles in trees. No request makes one, but several at the same time can: each sees the entities of the others where they were. */
import { now } from '../../runtime/time-and-chance.ts';
import { buildUpdate } from '../model/changes.ts';
import type { StoredEntity } from '../model/entity.ts';
import { conditionHolds } from '../model/errors.ts';
import { treeOf } from '../model/relations.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readStored } from '../table/stored-entities.ts';
import { applyChangeSet } from '../write/commit.ts';

/** Returns the cycles among entities. @param parentOf their parents; those of others are not needed. */
export function findCycles(parentOf: ReadonlyMap<string, string>): string[][] {
  const cycles: string[][] = [];
  const seen = new Set<string>();
  for (const first of parentOf.keys()) {
    const path: string[] = [];
    let next: string | undefined = first;
    for (; next !== undefined && !seen.has(next); next = parentOf.get(next)) {
      seen.add(next);
      path.push(next);
    }
    const begin = path.indexOf(next ?? '');
    if (begin >= 0) cycles.push(path.slice(begin));
  }
  return cycles;
}

/** Reads the entities of a cycle; none if it is not one any more. */
export async function readCycle(
  session: Session,
  kind: Kind,
  ids: readonly string[],
): Promise<StoredEntity[]> {
  const stored = new Map((await readStored(session, kind, ids)).map((one) => [one.entity.id, one]));
  const parents = [...stored].flatMap(([id, { entity }]): [string, string][] => {
    const parentId = entity[treeOf(kind)?.field ?? ''];
    return typeof parentId === 'string' ? [[id, parentId]] : [];
  });
  return findCycles(new Map(parents)).flatMap((found) => found.flatMap((id) => stored.get(id) ?? []));
}

/** Removes the parent of the youngest entity of a cycle. Returns its id; `undefined` if it is not a cycle any more. */
export async function breakCycle(
  session: Session,
  kind: Kind,
  ids: readonly string[],
): Promise<string | undefined> {
  const entities = await readCycle(session, kind, ids);
  const [youngest] = entities.sort((one, other) => (one.entity.id < other.entity.id ? 1 : -1));
  const tree = treeOf(kind);
  if (!tree || !youngest) return undefined;
  const change = buildUpdate(youngest, { [tree.field]: null }, now());
  const isBroken = await conditionHolds(applyChangeSet(session, { changes: [change] }));
  // Another writer may have changed it meanwhile.
  return isBroken ? youngest.entity.id : breakCycle(session, kind, ids);
}
