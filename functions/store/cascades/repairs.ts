/** Reports what was wrong with a log, and is repaired: lists had it wrong for some time. An alarm watches the metric. */
import { logMetrics, logWarning } from '../../runtime/logger.ts';
import type { Kind } from '../model/relations.ts';
import type { Session } from '../unit-of-work/session.ts';

/** Names of the metrics, as alarms use them. */
export const repairMetrics = { repairs: 'ListRepairs' } as const;

/** The dimension of the metrics: all functions that compact logs count together. */
export const repairDimension = 'TableName';

export interface Repairs {
  /** Late records, and rows that differed from their entities. */
  readonly rows: number;
  /** Milliseconds by which the watermark was ahead of the time. */
  readonly aheadMs: number;
  /** Missing entities that others referred to. */
  readonly dangling: number;
}

export function reportRepairs({ tenant, database }: Session, kind: Kind, repairs: Repairs): void {
  const count = repairs.rows + repairs.dangling + Number(repairs.aheadMs > 0);
  if (count === 0) return;
  logWarning('Lists were wrong, and are repaired.', { tenant, kind, ...repairs });
  logMetrics([repairDimension, database.tableName], { [repairMetrics.repairs]: count });
}
