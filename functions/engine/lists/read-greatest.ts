import { allRows, type RowQuery } from '../columns/read/row-query.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import { readDeletedPage, readPage } from './read-page.ts';

/** Returns the greatest number that entities of a kind have in a field, and deleted ones; 0 when none has a number. */
export async function readGreatest(session: Session, kind: Kind, field: string): Promise<number> {
  const query: RowQuery = { ...allRows, orders: [{ field, isDescending: true }], limit: 1 };
  let greatest = 0;
  // In this order: the second list has what is deleted after the first one.
  for (const read of [readPage, readDeletedPage])
    for (const { entity } of (await read(session, kind, query)).stored)
      greatest = Math.max(greatest, Number(entity[field] ?? 0));
  return greatest;
}
