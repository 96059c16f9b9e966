/** What one deletion has removed besides its root, page by page, in the order of creation. */
import { isOneOf } from '../columns/read/row-filter.ts';
import { rowOfDeletion } from '../model/deletion.ts';
import type { Deletion } from '../model/entity.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { queryAfter, readDeletedPage } from './read-page.ts';

interface MembersRange {
  /** Begins after the entity with this id; an empty text begins with the first one. */
  readonly after: string;
  readonly limit: number;
  /** Only those that have one of some values in a field. */
  readonly having?: { readonly field: string; readonly ids: readonly string[] } | undefined;
  /** Whether only the ids are wanted: then no entity is read. */
  readonly isForIds?: boolean | undefined;
}

/** Reads the entities of one kind that a deletion has removed, and that are still deleted. Of those that are restored meanwhile, only the ids are returned. */
export function readDeletedBy(
  session: Session,
  kind: Kind,
  { deletedAt, root }: Deletion,
  { after, limit, having, isForIds }: MembersRange,
) {
  const filters = [
    isOneOf(rowOfDeletion.deletedAt, [new Date(deletedAt).toISOString()]),
    isOneOf(rowOfDeletion.deletedWith, [root.id]),
    isOneOf(rowOfDeletion.rootKind, [root.kind]),
    ...(having ? [isOneOf(having.field, having.ids)] : []),
  ];
  return readDeletedPage(session, kind, queryAfter(filters, limit, after), isForIds ? { maxTotal: 0 } : {});
}
