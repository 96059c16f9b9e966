/**
 * Gives numbers to the entities that are older than the numbers of their kind, in the order of their creation. These are changes as others are, with a new
 * version, but with the same `updatedAt`. A run that ends early leaves the later entities without a number, and the next run continues with them.
 */

import { numberOf, takeNumbers } from '../../functions/engine/entities/numbers.ts';
import { listEntities } from '../../functions/engine/lists/list-entities.ts';
import { parseLogPartition } from '../../functions/engine/model/change-log.ts';
import { buildUpdate } from '../../functions/engine/model/changes.ts';
import { numberField, type StoredEntity } from '../../functions/engine/model/entity.ts';
import { ConditionFailed } from '../../functions/engine/model/errors.ts';
import type { ListQuery } from '../../functions/engine/model/list-query.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import type { Database } from '../../functions/engine/table/database.ts';
import type { Session } from '../../functions/engine/table/session.ts';
import { applyInBatches } from '../../functions/engine/write/commit.ts';
import { delay } from '../../functions/runtime/time-and-chance.ts';
import { readStored } from './rebuild-logs.ts';
import type { AuditedLog } from './snapshot.ts';

export interface Unnumbered {
  /** The partition of the log. */
  readonly log: string;
  readonly entities: number;
}

/** Entities that get numbers together, and each second, as many as a job changes by default. */
const batchSize = 25;
const entitiesPerSecond = 100;

const oldestFirst: ListQuery = {
  ...{ countBy: [], sumBy: [], page: 1, limit: batchSize, withTexts: false },
  filters: [{ field: numberField, operator: 'isNull', values: ['true'] }],
  sort: [{ field: 'createdAt', direction: 'asc' }],
  fields: new Set(['id']),
};

/** Returns the logs that have entities without a number. */
export const findUnnumbered = (logs: ReadonlyMap<string, AuditedLog>): Unnumbered[] =>
  [...logs].flatMap(([log, { unnumbered: entities }]) => (entities > 0 ? [{ log, entities }] : []));

/** Gives numbers to those of some entities that have none. */
async function numberSome(session: Session, kind: Kind, ids: readonly string[]): Promise<void> {
  const stored = await readStored(session.database, { tenant: session.tenant, kind }, ids);
  const without = stored
    .filter((one): one is StoredEntity => !one.deletion && numberOf(one.entity) === 0)
    .sort((one, other) => (one.entity.id < other.entity.id ? -1 : 1));
  const numbers = await takeNumbers(session, kind, without.length);
  const changes = without.map((one, place) => buildUpdate(one, { [numberField]: numbers[place] }, 0));
  await applyInBatches(session, [{ changes }], 1);
}

/** @param open returns a database with a deadline of its own. */
export async function numberEntities(open: () => Database, log: string): Promise<void> {
  const { tenant, kind } = parseLogPartition(log) ?? {};
  if (!tenant || !kind) return;
  for (let after: ListQuery['after'] = 'start'; after; ) {
    const session = { tenant, database: open() };
    const page = await listEntities(session, kind, { ...oldestFirst, after });
    try {
      await numberSome(
        session,
        kind,
        page.entities.map(({ id }) => id),
      );
      after = page.end;
    } catch (error) {
      // Another writer has changed one of them: they are read again.
      if (!(error instanceof ConditionFailed)) throw error;
    }
    await delay((1_000 * page.entities.length) / entitiesPerSecond);
  }
}
