/**
 * Compares what lists have with the entities, by version, a page at a time. Nothing makes them differ but a defect of DynamoDB, of a clock or
 * of this service: what differs is repaired, and reported.
 */
import { logMemory, ProcessMemory } from '../lists/engine/process-memory.ts';
import { allIds, rangeOfId, unionRanges } from '../lists/engine/read/id-ranges.ts';
import type { ListedRow } from '../lists/engine/read/list-rows.ts';
import { listVersions } from '../lists/list-versions.ts';
import type { LogRecord } from '../model/change-log.ts';
import type { StoredEntity } from '../model/entity.ts';
import { decodeEntity } from '../model/item-codec.ts';
import { entityKey, kindPartition } from '../model/keys.ts';
import type { LogEntry } from '../model/log-entry.ts';
import type { Kind } from '../model/relations.ts';
import { toRow } from '../model/row.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Rows of a page, and entities of it in the index, at most: about 30 to 60 read units. */
const maxRows = 500;
const maxEntities = 2 * maxRows;

/** Differences of a page that are confirmed and repaired, at most. The next comparison finds the others. */
const maxSuspects = 100;

/** One page of a comparison. */
export interface ComparedPage {
  /** The id after which the next page begins, if there is one. */
  readonly next: string | undefined;
  /** The entities of the page, as the index has them. */
  readonly entities: readonly StoredEntity[];
  /** A record that stands for what the columns lack. It has no entries when nothing differs. */
  readonly lost: LogRecord;
}

interface Range {
  readonly entities: readonly StoredEntity[];
  readonly rows: readonly ListedRow[];
  readonly next: string | undefined;
}

/** Reads the rows after an id, and the entities of the same range from the index, which may lag. */
async function readRange(session: Session, kind: Kind, after: string): Promise<Range> {
  const { tenant, database } = session;
  const ids = unionRanges([{ from: rangeOfId(after).to, to: allIds.to }]);
  const rows = await listVersions(session, kind, { ids, limit: maxRows }, logMemory(database, tenant, kind));
  const last = rows.length === maxRows ? rows.at(-1)?.id : undefined;
  const { items, next } = await database.query({
    IndexName: 'by-creation',
    KeyConditionExpression: 'ofKind = :kind AND id BETWEEN :first AND :last',
    ExpressionAttributeValues: {
      ':kind': kindPartition(tenant, kind),
      ':first': rangeOfId(after).to,
      ':last': last ?? allIds.to,
    },
    Limit: maxEntities,
  });
  const entities = items.map(decodeEntity);
  const end = next ? entities.at(-1)?.entity.id : last;
  return { entities, rows: rows.filter(({ id }) => end === undefined || id <= end), next: end };
}

/** Returns the ids whose versions differ. */
function differingIds({ entities, rows }: Range): string[] {
  const versions = new Map(entities.map(({ entity, version }) => [entity.id, version]));
  const known = new Map(rows.map(({ id, version }) => [id, version]));
  const ids = new Set([...versions.keys(), ...known.keys()]);
  return [...ids].filter((id) => versions.get(id) !== known.get(id)).slice(0, maxSuspects);
}

async function readEntities(
  { tenant, database }: Session,
  kind: Kind,
  ids: readonly string[],
): Promise<Map<string, StoredEntity>> {
  const items = await database.getMany(ids.map((id) => entityKey(tenant, kind, id)));
  return new Map(items.map(decodeEntity).map((stored) => [stored.entity.id, stored]));
}

/**
 * Returns the entries that lists lack. The entities are read first: their changes are then in the columns or in the log, unless they are lost.
 * They are read once more, because an entity can be deleted meanwhile.
 */
async function confirm(session: Session, kind: Kind, suspects: readonly string[]): Promise<LogEntry[]> {
  if (suspects.length === 0) return [];
  const before = await readEntities(session, kind, suspects);
  // A memory of its own: that of the process may lack a late record that is pending.
  const memory = new ProcessMemory().of(session.tenant, kind);
  const ids = unionRanges(suspects.map(rangeOfId));
  const rows = await listVersions(session, kind, { ids, limit: suspects.length }, memory);
  const known = new Map(rows.map(({ id, version }) => [id, version]));
  const after = await readEntities(session, kind, suspects);
  return suspects.flatMap((id): LogEntry[] => {
    const stored = before.get(id);
    const version = known.get(id);
    if (stored && after.has(id) && (version ?? 0) < stored.version)
      return [{ id, version: stored.version, previousStamp: 0, after: toRow(stored.entity) }];
    if (!stored && !after.has(id) && version !== undefined)
      return [{ id, version: version + 1, previousStamp: 0 }];
    return [];
  });
}

/** Compares one page. @param after the id after which it begins; an empty text begins with the first one. */
export async function comparePage(session: Session, kind: Kind, after: string): Promise<ComparedPage> {
  const range = await readRange(session, kind, after);
  const entries = await confirm(session, kind, differingIds(range));
  return { next: range.next, entities: range.entities, lost: { key: '', stamp: 0, entries } };
}
