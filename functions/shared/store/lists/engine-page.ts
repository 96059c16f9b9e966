/** Pages of entities that the list engine selects. */
import type { StoredEntity } from '../model/entity.ts';
import { StoreUnavailable } from '../model/errors.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';
import { logCache } from './engine/column-cache.ts';
import { type ListSource, listRows, type RowPage } from './engine/list-rows.ts';
import type { RowQuery } from './engine/row-query.ts';
import { StaleRead } from './engine/stale-read.ts';
import { openLogReader } from './engine/table-log.ts';
import type { Counts } from './engine/value-counts.ts';
import { readRowEntities } from './row-entities.ts';

/** Rows of a page, with entities that were read already. */
export interface FoundPage extends RowPage {
  readonly found?: readonly StoredEntity[];
}

/** A page of entities. */
export interface EntityPage<Stored = StoredEntity> {
  readonly stored: readonly Stored[];
  readonly total: number;
  readonly counts: Counts;
}

/** How a page is read. */
export interface PageReads<Stored> {
  /** Reads the rows. */
  readonly readPage: (source: ListSource) => Promise<FoundPage>;
  /** Reads what is missing of entities. It leaves out those that were deleted meanwhile. */
  readonly complete: (stored: readonly StoredEntity[]) => Promise<readonly Stored[]>;
}

/** Returns what the list engine reads with. */
const sourceOf = ({ tenant, database }: Session, kind: Kind): ListSource => ({
  reader: openLogReader(database, tenant, kind),
  cache: logCache(database, tenant, kind),
  nowMs: Date.now(),
});

function unavailableIfStale(error: unknown): never {
  throw error instanceof StaleRead ? new StoreUnavailable(error) : error;
}

/** Times that a page is read again because its entities changed after its rows were listed. */
const maxAttempts = 3;

/**
 * Returns a page of entities.
 * @throws StoreUnavailable when the log changes so often that it cannot be read.
 */
export async function readEnginePage<Stored extends StoredEntity>(
  session: Session,
  kind: Kind,
  { readPage, complete }: PageReads<Stored>,
): Promise<EntityPage<Stored>> {
  for (let attempt = 1; ; attempt += 1) {
    const page = await readPage(sourceOf(session, kind)).catch(unavailableIfStale);
    const { rows, total, counts, found: known } = page;
    const found = await readRowEntities(session, kind, rows, known);
    const stored = await complete(rows.flatMap(({ id }) => found.get(id) ?? []));
    const versions = new Map(stored.map(({ entity, version }) => [entity.id, version]));
    const isCurrent = rows.every(({ id, version }) => versions.get(id) === version);
    if (isCurrent || attempt === maxAttempts) {
      return { stored, total: total - (rows.length - stored.length), counts };
    }
  }
}

/**
 * Returns a page of entities without their long texts.
 * @throws StoreUnavailable when the log changes so often that it cannot be read.
 */
export const listByEngine = (session: Session, kind: Kind, query: RowQuery): Promise<EntityPage> =>
  readEnginePage(session, kind, {
    readPage: (source) => listRows(source, query),
    complete: async (stored) => stored,
  });
