/** The result of an audit. */
import type { LogDifference } from './logs.ts';
import type { TextDifference, TextProblem } from './texts.ts';

/** A stored total that differs from the actual data. */
export interface Drift {
  /** The listing, and which of its counters. */
  readonly where: string;
  readonly expected: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<string, number>>;
}

/** An entity that refers to an entity that does not exist. */
export interface Orphan {
  readonly entity: string;
  readonly field: string;
  readonly refersTo: string;
}

export interface Report {
  readonly entities: number;
  readonly listings: number;
  readonly drifts: readonly Drift[];
  readonly orphans: readonly Orphan[];
  /** Entities whose stored keys differ from the keys that their fields give. */
  readonly malformed: readonly string[];
  /** Listings that were written to during every comparison, so that no result is certain. */
  readonly unsettled: readonly string[];
  /** Long texts that do not match their entities. */
  readonly texts: readonly TextDifference[];
  /** Logs of the list engine whose rows differ from the entities. */
  readonly logs: readonly LogDifference[];
  /** Number of repaired drifts, orphans, texts and logs. */
  readonly repaired: number;
}

const formatCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, count]) => `${name.replace(/^=/, '')} ${count}`)
    .join(', ') || 'none';

/** Returns whether the audit found nothing. */
export const isClean = ({ drifts, orphans, malformed, texts, logs }: Report): boolean =>
  drifts.length + orphans.length + malformed.length + texts.length + logs.length === 0;

const problemTexts: Readonly<Record<TextProblem, string>> = {
  unused: 'is stored, but no entity has it',
  missing: 'is missing',
  different: 'is not the one that the entity has the digest of',
};

/** Returns the report as text, one line per finding, with a summary as the last line. */
export function reportLines(report: Report): string[] {
  const { entities, listings, drifts, orphans, malformed, unsettled, texts, logs, repaired } = report;
  return [
    ...drifts.map(
      ({ where, expected, counted }) =>
        `Drift: ${where} has the total ${formatCounts(counted)}; the actual number is ${formatCounts(expected)}.`,
    ),
    ...orphans.map(
      ({ entity, field, refersTo }) => `Orphan: ${field} of ${entity} is ${refersTo}, which does not exist.`,
    ),
    ...malformed.map((entity) => `Malformed: the keys of ${entity} do not match its fields.`),
    ...texts.map(({ entity, problem }) => `Text: the description of ${entity} ${problemTexts[problem]}.`),
    ...logs.map(
      ({ log, ids }) =>
        `Rows: ${ids.length} rows of ${log} differ from the entities, among them ${ids.slice(0, 3).join(', ')}.`,
    ),
    ...unsettled.map(
      (listing) => `Unsettled: ${listing} changed during every comparison. Audit again later.`,
    ),
    `${entities} entities in ${listings} listings: ${drifts.length} drifts, ${orphans.length} orphans, ` +
      `${malformed.length} malformed, ${texts.length} wrong texts, ${logs.length} logs with wrong rows${repaired > 0 ? `; ${repaired} repaired` : ''}.`,
  ];
}
