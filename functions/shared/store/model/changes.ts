import { type Entity, encode, entityKey, type Fields, newId, type Stored } from './entities.ts';
import type { Kind } from './relations.ts';
import { isNew, isVersion } from './versions.ts';
import type { Write } from './writes.ts';

/** What happens to one entity: it comes to be (no `before`), changes, or goes (no `after`). */
export type Change =
  | { readonly before?: undefined; readonly after: Stored }
  | { readonly before: Stored; readonly after?: undefined }
  | { readonly before: Stored; readonly after: Stored };

/** An entity that comes to be. */
export function creation(kind: Kind, fields: Fields): { readonly after: Stored } {
  const { id, createdAt } = newId();
  const entity: Entity = { id, ...fields, createdAt, updatedAt: createdAt };
  return { after: { kind, version: 1, entity } };
}

/** An entity that gets other values for some of its members. */
export function update(
  before: Stored,
  members: Readonly<Record<string, unknown>>,
): { before: Stored; after: Stored } {
  // The clock that stamped the last change may be ahead of ours.
  const time = Math.max(Date.now(), Date.parse(before.entity.updatedAt));
  const updatedAt = new Date(time).toISOString();
  const entity: Entity = { ...before.entity, ...members, updatedAt };
  return { before, after: { ...before, version: before.version + 1, entity } };
}

/**
 * The write of one change. It is conditional on the version that it starts from, so that of two writers who read
 * the same version, one writes and the other reads again.
 */
export function changeWrite(tenant: string, { before, after }: Change): Write {
  const condition = before ? isVersion(before.version) : isNew;
  if (after) return { put: encode(tenant, after), condition };
  return { remove: entityKey(tenant, before.kind, before.entity.id), condition };
}
