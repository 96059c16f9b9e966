/** The entities of the rows on a page. */
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey } from '../model/keys.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import type { ListedRow } from './engine/list-rows.ts';

async function readByKey(
  { tenant, database }: Session,
  kind: Kind,
  rows: readonly ListedRow[],
  isConsistent: boolean,
): Promise<StoredEntity[]> {
  const keys = rows.map(({ id }) => entityKey(tenant, kind, id));
  return (await database.getMany(keys, isConsistent)).map(decodeEntity);
}

/**
 * Returns the entities of rows, by id. Indexes and replicas of the table may lag behind: where they have a version that is older than the
 * row's, the entity is read again, consistently.
 * @param known entities that an index had. Without them, all are read by key.
 */
export async function readRowEntities(
  session: Session,
  kind: Kind,
  rows: readonly ListedRow[],
  known?: readonly StoredEntity[],
): Promise<Map<string, StoredEntity>> {
  if (rows.length === 0) return new Map();
  const first = known ?? (await readByKey(session, kind, rows, false));
  const found = new Map(first.map((stored) => [stored.entity.id, stored]));
  const stale = rows.filter(({ id, version }) => !((found.get(id)?.version ?? 0) >= version));
  const again = stale.length > 0 ? await readByKey(session, kind, stale, true) : [];
  for (const stored of again) found.set(stored.entity.id, stored);
  return found;
}
