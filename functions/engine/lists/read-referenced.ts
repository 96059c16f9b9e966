import { logMemory } from '../columns/process-memory.ts';
import { rangeOfId, unionRanges } from '../columns/read/id-ranges.ts';
import { isKnownLog } from '../columns/read/read-state.ts';
import { allRows } from '../columns/read/row-query.ts';
import { addKeyReads, keyReads } from '../columns/read/shown-rows.ts';
import type { ItemFields } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import type { References } from '../model/list-query.ts';
import type { Session } from '../table/session.ts';
import { readStored } from '../table/stored-entities.ts';
import { readPage } from './read-page.ts';

/** Read units by key after which a process asks the log of a kind: the first time costs as much. */
const maxKeyReads = 20;

async function readByKey(session: Session, { kind, ids }: References): Promise<Map<string, ItemFields>> {
  const { database, tenant } = session;
  const before = database.consumption.readUnits;
  const stored = await readStored(session, kind, ids.filter(isId));
  addKeyReads(logMemory(database, tenant, kind), database.consumption.readUnits - before);
  return new Map(stored.map(({ entity }) => [entity.id, entity]));
}

/** Reads the entities of one kind: from columns, which costs one unit when they are in memory, or by key while the process knows nothing of the kind. */
async function readOfKind(session: Session, references: References): Promise<Map<string, ItemFields>> {
  const { database, tenant } = session;
  const { kind, fields } = references;
  const memory = logMemory(database, tenant, kind);
  if (!isKnownLog(memory) && keyReads(memory) < maxKeyReads) return readByKey(session, references);
  const ids = unionRanges(references.ids.filter(isId).map(rangeOfId));
  if (ids.length === 0) return new Map();
  const query = { ...allRows, ids, limit: ids.length, shows: fields };
  const { stored } = await readPage(session, kind, query, { mayBeNewer: true });
  return new Map(stored.map(({ entity }) => [entity.id, entity]));
}

/** Reads entities of any kinds, as of now, without their long texts. Returns them by id, without those that do not exist. */
export async function readReferenced(session: Session, references: readonly References[]) {
  const found = await Promise.all(references.map((ofKind) => readOfKind(session, ofKind)));
  return new Map(found.flatMap((entities) => [...entities]));
}
