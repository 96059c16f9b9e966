/** What happens to the children of an entity that goes, or that takes them along into another state. */
import { type Change, update } from '../model/changes.ts';
import {
  decode,
  idLaterThan,
  kindPartition,
  newId,
  parentPartition,
  type Stored,
} from '../model/entities.ts';
import { dependentsOf, type Kind, type Relation } from '../model/relations.ts';
import { table } from '../model/table.ts';
import type { Write } from '../model/writes.ts';
import type { Work } from '../unit-of-work/commit.ts';
import type { Session } from '../unit-of-work/session.ts';
import { beginJob } from './job.ts';

/** A part of a parent's children, which are in the order of creation. */
export interface Part {
  /** Behind the one with this id. */
  readonly after?: string;
  /** Up to what has this id. */
  readonly until?: string;
  /** As many as are read at most. */
  readonly limit?: number;
}

/** One page of a parent's children, as the index has them: it may be behind. */
export async function readChildren(
  session: Session,
  relation: Relation,
  parentId: string,
  { after = '', until, limit }: Part = {},
): Promise<{ children: Stored[]; next: string | undefined }> {
  const { child, member, listing } = relation;
  const index = listing ?? 'all';
  const { tenant } = session;
  const partition = listing ? parentPartition(tenant, relation, parentId) : kindPartition(tenant, child);
  const { items, next } = await session.database.query({
    IndexName: index,
    KeyConditionExpression: '#partition = :partition AND #id > :after',
    ExpressionAttributeNames: {
      '#partition': table.indexes[index].partitionKey,
      '#id': 'id',
      ...(!listing && { '#member': member }),
    },
    ExpressionAttributeValues: {
      ':partition': partition,
      // A sort key cannot be empty; a space sorts before any id.
      ':after': after || ' ',
      ...(!listing && { ':parent': parentId }),
    },
    // Without an index of its own, a page is what was looked through, not what was found.
    ...(listing
      ? limit !== undefined && { Limit: limit }
      : { FilterExpression: 'contains(#member, :parent)' }),
  });
  const children = items.map(decode).filter(({ entity }) => until === undefined || entity.id < until);
  const nextId = next && String(next['id']);
  return { children, next: until === undefined || (nextId && nextId < until) ? nextId : undefined };
}

/**
 * An id that is later than those of all the children that a page of them, the first, is of: what comes to be with a later
 * one is not for a job that begins now. The clock alone does not tell, where another's is ahead.
 */
export async function idLaterThanChildren(
  { tenant, database }: Session,
  relation: Relation,
  parentId: string,
  { children, next }: { readonly children: readonly Stored[]; readonly next: string | undefined },
): Promise<string> {
  const { listing = 'parent' } = relation;
  const last = children.at(-1)?.entity.id;
  if (next === undefined) return last === undefined ? newId().id : idLaterThan(last);
  const { items } = await database.query({
    IndexName: listing,
    KeyConditionExpression: '#partition = :partition',
    ExpressionAttributeNames: { '#partition': table.indexes[listing].partitionKey },
    ExpressionAttributeValues: { ':partition': parentPartition(tenant, relation, parentId) },
    ScanIndexForward: false,
    Limit: 1,
  });
  return idLaterThan(items.map((item) => decode(item).entity.id)[0] ?? next);
}

/** A child without its reference to the parent. */
function cleared({ member }: Relation, child: Stored, parentId: string): Change {
  const value = child.entity[member];
  return update(child, { [member]: Array.isArray(value) ? value.filter((id) => id !== parentId) : null });
}

/** Begins the job that cleans up behind an entity that is gone. @param job the id of the job, where it matters. */
export const beginSweep = (tenant: string, kind: Kind, id: string, job?: string): Write =>
  beginJob(
    tenant,
    { type: 'sweep', kind, id, final: false, relation: 0, after: '' },
    job === undefined ? {} : { id: job },
  );

/** The work of deleting an entity; what becomes of its children is a job of its own. */
export function deletion(tenant: string, stored: Stored): Work {
  const { kind, entity } = stored;
  const changes = [{ before: stored }];
  if (dependentsOf(kind).length === 0) return { changes };
  return { changes, writes: [beginSweep(tenant, kind, entity.id)] };
}

/** What a parent's deletion means for one child. */
export function consequence(tenant: string, relation: Relation, child: Stored, parentId: string): Work {
  return relation.whenDeleted === 'delete'
    ? deletion(tenant, child)
    : { changes: [cleared(relation, child, parentId)] };
}

/** The work for one child and all that hangs on it, or nothing when it changes more than `room` entities. */
async function childWork(
  session: Session,
  relation: Relation,
  child: Stored,
  parentId: string,
  room: number,
): Promise<Work[] | undefined> {
  const own = consequence(session.tenant, relation, child, parentId);
  if (room < 1) return undefined;
  if (relation.whenDeleted === 'clear') return [own];
  const deeper = await cascade(session, child.kind, child.entity.id, room - 1);
  return deeper && [own, ...deeper];
}

/**
 * The work for all that hangs on an entity, children's children included, or nothing when it changes more than
 * `room` entities or there is more than one page of the index: then it is for the job to do.
 */
export async function cascade(
  session: Session,
  kind: Kind,
  id: string,
  room: number,
): Promise<Work[] | undefined> {
  const all: Work[] = [];
  for (const relation of dependentsOf(kind)) {
    const { children, next } = await readChildren(session, relation, id, { limit: room + 1 });
    if (next || children.length > room) return undefined;
    for (const child of children) {
      const more = await childWork(session, relation, child, id, room - all.length);
      if (!more || all.length + more.length > room) return undefined;
      all.push(...more);
    }
  }
  return all;
}
