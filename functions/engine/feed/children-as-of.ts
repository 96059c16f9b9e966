/** The children that an entity had when a job began. */
import { type ChildrenPage, type ChildrenRange, readChildren, refersToAny } from '../lists/children.ts';
import type { AnyEntity, ItemFields } from '../model/entity.ts';
import { entityOfRow } from '../model/item-codec.ts';
import type { Relation } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { findEntry } from './list-history.ts';

/** Returns the fields that an entity had at a position of its log; `undefined` when it did not exist then, or was deleted. What is older than its records has the fields of the oldest one. */
export async function fieldsAt(session: Session, stored: AnyEntity, position: number) {
  const { kind, entity, logPosition = 0, deletion } = stored;
  let fields = deletion ? undefined : entity;
  for (let later = logPosition; later > position; ) {
    const found = await findEntry(session, { kind, id: entity.id }, later);
    if (!found) return fields;
    fields = found.entry.before && entityOfRow(kind, entity.id, found.entry.before);
    later = found.entry.previousPosition;
  }
  return fields;
}

/**
 * Reads one page of the children that some parents had when a job began, and have. The order of ids does not tell which ones existed: one that was made offline, or was
 * restored, is earlier than its arrival. Only what has changed since costs a read for each change.
 * @param asOf the head of their log, when the job began.
 * @returns `former`: the fields that each child had then.
 */
export async function readChildrenAsOf(
  session: Session,
  relation: Relation,
  parentIds: readonly string[],
  { asOf, ...range }: ChildrenRange & { readonly asOf: number },
): Promise<ChildrenPage & { readonly former: readonly ItemFields[] }> {
  const page = await readChildren(session, relation, parentIds, range);
  const all = await Promise.all(page.children.map((child) => fieldsAt(session, child, asOf)));
  const existed = all.map((fields) => fields && refersToAny(relation, { entity: fields }, parentIds));
  return {
    ...page,
    children: page.children.filter((_, position) => existed[position]),
    former: all.filter((fields, position) => existed[position] && fields) as ItemFields[],
  };
}
