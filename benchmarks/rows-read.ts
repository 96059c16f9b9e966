/** Reads how many rows PostgreSQL reads for a statement: `explain (analyze, format json)`. */

/** A node of a plan. The numbers are averages of its loops. */
export interface PlanNode {
  /** The table that the node reads. Nodes that read only an index for another node have none. */
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the rows of a table that a plan reads, those included that a filter removes. */
export function rowsRead(plan: PlanNode, table: string): number {
  const below = (plan.Plans ?? []).reduce((sum, node) => sum + rowsRead(node, table), 0);
  if (plan['Relation Name'] !== table) return below;
  const removed = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  return below + Math.round((plan['Actual Rows'] + removed) * plan['Actual Loops']);
}
