/** What an audit finds. */

/** A counter that does not say what there is. */
export interface Drift {
  /** Which listing, and which of its counters. */
  readonly where: string;
  readonly expected: Readonly<Record<string, number>>;
  readonly counted: Readonly<Record<string, number>>;
}

/** An entity that refers to something that does not exist. */
export interface Orphan {
  readonly entity: string;
  readonly member: string;
  readonly refersTo: string;
}

export interface Report {
  readonly entities: number;
  readonly listings: number;
  readonly drifts: readonly Drift[];
  readonly orphans: readonly Orphan[];
  /** Entities whose keys do not follow from their members. */
  readonly malformed: readonly string[];
  /** Listings that were written to all the time, so that they could not be held against their counters. */
  readonly unsettled: readonly string[];
  /** How many of the drifts and orphans were mended. */
  readonly repaired: number;
}

const numbers = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, number]) => `${name.replace(/^=/, '')} ${number}`)
    .join(', ') || 'none';

/** Whether all is as it should be. */
export const isClean = ({ drifts, orphans, malformed }: Report): boolean =>
  drifts.length + orphans.length + malformed.length === 0;

/** The report for people, a finding a line. */
export function reportLines(report: Report): string[] {
  const { entities, listings, drifts, orphans, malformed, unsettled, repaired } = report;
  return [
    ...drifts.map(
      ({ where, expected, counted }) =>
        `Drift: ${where} says ${numbers(counted)}; there are ${numbers(expected)}.`,
    ),
    ...orphans.map(
      ({ entity, member, refersTo }) =>
        `Orphan: ${member} of ${entity} is ${refersTo}, which does not exist.`,
    ),
    ...malformed.map((entity) => `Malformed: the keys of ${entity} do not follow from its members.`),
    ...unsettled.map((listing) => `Unsettled: ${listing} is written to all the time; audit it again later.`),
    `${entities} entities in ${listings} listings: ${drifts.length} drifts, ${orphans.length} orphans, ` +
      `${malformed.length} malformed${repaired > 0 ? `; ${repaired} mended` : ''}.`,
  ];
}
