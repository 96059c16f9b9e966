/** What a viewer sees of a feed: it gives what the caller sees now, and ends when that changes for another reason than a change of its own entities. */
import { guardKinds, guardOf, isSeenBy, membersRuleOf, ruleOf } from '../model/access.ts';
import type { LogRecord } from '../model/change-log.ts';
import { SightChanged } from '../model/errors.ts';
import type { LogEntry } from '../model/record-codec.ts';
import type { Row } from '../model/row.ts';
import type { Kind } from '../model/schema.ts';
import type { Session } from '../table/session.ts';
import type { Visibility } from '../table/sight.ts';
import type { ChangesCursor } from './cursor.ts';
import { findEntry } from './list-history.ts';
import { readLog, startBudget } from './read-log.ts';

/** Records that one request reads at most from the logs of the kinds through which the kind of a feed is seen. */
const maxGuardChanges = 2_000;

/** Returns a function that returns whether the caller sees rows: those of some records, before or after their changes. */
export async function sightOfRows(
  { sight }: Session,
  kind: Kind,
  records: readonly LogRecord[],
): Promise<(row: Row) => Visibility> {
  if (!sight || !ruleOf(kind)) return () => 'seen';
  const rule = membersRuleOf(kind);
  if (rule) {
    const user = await sight.user(kind);
    return (row) => (isSeenBy(rule, row, user) ? 'seen' : 'hidden');
  }
  const { field = '', parent = '' } = guardOf(kind) ?? {};
  const rows = records.flatMap(({ entries }) => entries.flatMap(({ before, after }) => [before, after]));
  const seen = await sight.seesEach(
    parent,
    rows.flatMap((row) => row?.[field] ?? []),
  );
  return (row) => {
    const id = row[field] ?? null;
    return id === null ? 'seen' : (seen.get(id) ?? 'unknown');
  };
}

/** Returns the row before the deletion that a change takes back; `undefined` for another change, and when its record has expired. */
async function rowBeforeDeletion(session: Session, kind: Kind, { id, before, ...entry }: LogEntry) {
  let found = before;
  for (let position = entry.previousPosition; !found && position > 0; ) {
    const earlier = (await findEntry(session, { kind, id }, position))?.entry;
    found = earlier?.before;
    position = earlier?.previousPosition ?? 0;
  }
  return found;
}

/** Returns whether records make an entity visible or hidden that exists after them, and existed before, or before its deletion. */
async function changeSight(session: Session, kind: Kind, records: readonly LogRecord[]): Promise<boolean> {
  const visibilityOf = await sightOfRows(session, kind, records);
  for (const entry of records.flatMap(({ entries }) => entries)) {
    const { version, after } = entry;
    if (!after || version === 1) continue;
    // A restore can leave out members who were deleted meanwhile.
    const before = await rowBeforeDeletion(session, kind, entry);
    if (!before || visibilityOf(before) !== visibilityOf(after)) return true;
  }
  return false;
}

/**
 * Reads the logs of the entities through which a feed is seen, from where a cursor ends.
 * @returns the viewer of the next cursor, and whether the logs have more than one request reads. What changes later is seen by the next request.
 * @throws SightChanged when the cursor is that of another viewer, or when one of them has become visible or hidden since. Their creations and deletions change
 * nothing: these have changes of their own.
 */
export async function followGuards(session: Session, kind: Kind, cursor: ChangesCursor) {
  const number = session.sight && ruleOf(kind) ? await session.sight.number(kind) : undefined;
  if (number !== cursor.viewer?.number) throw new SightChanged();
  if (!cursor.viewer) return { viewer: undefined, isBehind: false };
  const guards = [...cursor.viewer.guards];
  let isBehind = false;
  for (const [place, guard] of guardKinds(kind).entries()) {
    const progress = guards[place];
    if (!progress) throw new SightChanged();
    const page = await readLog(session, guard, progress, {
      limit: maxGuardChanges,
      matchingIds: ({ entries }) => entries.map(({ id }) => id),
      unitsLeft: startBudget(session.database),
    });
    if (await changeSight(session, guard, page.records)) throw new SightChanged();
    guards[place] = page.progress;
    isBehind ||= page.hasMore;
  }
  return { viewer: { ...cursor.viewer, guards }, isBehind };
}
