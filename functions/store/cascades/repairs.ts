/** Reports what was wrong with a log, and is repaired: lists had it wrong for some time. An alarm watches the metric. */
import { environment } from '../../runtime/environment.ts';
import { logMetrics, logWarning } from '../../runtime/logger.ts';
import type { Kind } from '../model/relations.ts';

/** Names of the metrics, as alarms use them. */
export const repairMetrics = { repairs: 'ListRepairs' } as const;

export interface Repairs {
  /** Late records, and rows that differed from their entities. */
  readonly rows: number;
  /** Milliseconds by which the watermark was ahead of the time. */
  readonly aheadMs: number;
  /** Missing entities that others referred to. */
  readonly dangling: number;
}

export function reportRepairs(tenant: string, kind: Kind, repairs: Repairs): void {
  const count = repairs.rows + repairs.dangling + Number(repairs.aheadMs > 0);
  if (count === 0) return;
  logWarning('Lists were wrong, and are repaired.', { tenant, kind, ...repairs });
  logMetrics(environment.functionName(), { [repairMetrics.repairs]: count });
}
