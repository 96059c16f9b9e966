/** Rows of deleted entities, counted by when they were deleted: so the manifest tells how many of them have expired. */
import { dayMs } from '../../../runtime/time-and-chance.ts';
import { keptMs } from '../../model/deletion.ts';

const weekMs = 7 * dayMs;

/** By the week of the deletion, since 1970: the number of rows. Rows of which nothing is left are those of the first week. */
export type DeletedRows = Readonly<Record<string, number>>;

/** The week of rows of which nothing is left, because they were erased. */
const goneWeek = 0;

/** Returns the week of a deletion. @param deletedAt RFC 3339; absent when nothing is left of the row. */
export const weekOf = (deletedAt: string | null | undefined): number =>
  deletedAt ? Math.floor(Date.parse(deletedAt) / weekMs) : goneWeek;

/** Returns whether the row of a deleted entity stays in the columns. @param deletedAt RFC 3339. */
export const isKept = (deletedAt: string | null | undefined, nowMs: number): boolean =>
  typeof deletedAt === 'string' && Date.parse(deletedAt) + keptMs > nowMs;

const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

export const countDeleted = (deleted: DeletedRows): number => sumOf(Object.values(deleted));

/** Returns the number of rows of weeks in which all deletions have expired. */
export const countExpired = (deleted: DeletedRows, nowMs: number): number =>
  sumOf(
    Object.entries(deleted)
      .filter(([week]) => (Number(week) + 1) * weekMs + keptMs <= nowMs)
      .map(([, count]) => count),
  );

/** Returns the counts with some more rows, and without others. @param weeks of the rows. */
export function changeDeleted(
  deleted: DeletedRows,
  { added = [], removed = [] }: { readonly added?: readonly number[]; readonly removed?: readonly number[] },
): DeletedRows {
  const counts: Record<string, number> = { ...deleted };
  for (const week of added) counts[week] = (counts[week] ?? 0) + 1;
  for (const week of removed) {
    const count = (counts[week] ?? 0) - 1;
    if (count > 0) counts[week] = count;
    else delete counts[week];
  }
  return counts;
}
