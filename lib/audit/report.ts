import type { LogDifference } from './compare-logs.ts';
import type { CounterDifference, SequencerDifference } from './sequencers.ts';
import { maxFindings } from './snapshot.ts';
import type { SubjectDifference, SubjectProblem } from './subjects.ts';
import type { TextDifference, TextProblem } from './texts.ts';
import type { Cycle } from './trees.ts';
import type { Unnumbered } from './unnumbered.ts';

export interface Report {
  readonly entities: number;
  /** Number of logs that were compared: one for each kind of each tenant. */
  readonly compared: number;
  readonly orphans: readonly { readonly entity: string; readonly field: string; readonly refersTo: string }[];
  readonly cycles: readonly Cycle[];
  /** Entities whose stored keys differ from the keys that their fields give. */
  readonly malformed: readonly string[];
  readonly texts: readonly TextDifference[];
  readonly subjects: readonly SubjectDifference[];
  readonly sequencers: readonly SequencerDifference[];
  /** Counters of numbers that are behind the numbers of entities. */
  readonly counters: readonly CounterDifference[];
  /** Logs with entities that are older than the numbers of their kind. */
  readonly unnumbered: readonly Unnumbered[];
  /** Logs that the registry does not have. */
  readonly unlisted: readonly string[];
  readonly logs: readonly LogDifference[];
  readonly repaired: number;
}

const findingsOf = (report: Report): readonly unknown[] =>
  Object.values(report).flatMap((value: unknown) => (Array.isArray(value) ? value : []));

export const isClean = (report: Report): boolean => findingsOf(report).length === 0;

const examples = (texts: readonly string[]): string => texts.slice(0, 3).join(', ');

const logLines = ({ log, ids, wrongTotal, unreadable, isIncomplete }: LogDifference): string[] => [
  ...(unreadable ? [`Log: ${log} cannot be read. ${unreadable}`] : []),
  ...(isIncomplete
    ? [`Log: ${log} was not compared completely, because of other differences. Repair them, and audit again.`]
    : []),
  ...(ids.length > 0
    ? [`Rows: ${ids.length} rows of ${log} differ from the entities, among them ${examples(ids)}.`]
    : []),
  ...(wrongTotal === undefined
    ? []
    : [`Total: lists of ${log} count ${wrongTotal} rows, which it does not have.`]),
];

const problemTexts: Readonly<Record<TextProblem, string>> = {
  unused: 'is stored, but no entity has it',
  missing: 'is missing',
  different: 'is not the one that the entity has the digest of',
  expiring: 'does not expire with the entity, or expires without it',
};

const subjectTexts: Readonly<Record<SubjectProblem, string>> = {
  unused: 'is stored, but no user has the subject',
  missing: 'is missing, although a user has the subject',
  shared: 'names one user, but several have the subject, or another one',
};

/** Returns whether there can be more findings than the report has. */
export const isLimited = ({ orphans, malformed, texts, subjects, logs }: Report): boolean =>
  [orphans, malformed, [...texts, ...subjects], ...logs.map(({ ids }) => ids)].some(
    ({ length }) => length >= maxFindings,
  );

/**
 * Returns whether a repair has left nothing wrong that the report names, or can be missing from it. It does not correct keys, nor what a record of another release
 * blocks.
 */
export const isRepaired = (report: Report): boolean =>
  report.repaired > 0 && report.repaired === findingsOf(report).length && !isLimited(report);

export function reportLines(report: Report): string[] {
  const { orphans, cycles, malformed, texts, subjects, sequencers, counters, unnumbered } = report;
  const { unlisted, logs, repaired } = report;
  return [
    ...orphans.map(
      ({ entity, field, refersTo }) => `Orphan: ${field} of ${entity} is ${refersTo}, which does not exist.`,
    ),
    ...cycles.map((cycle) => `Cycle: ${examples(cycle)} are below each other, ${cycle.length} in all.`),
    ...malformed.map((entity) => `Malformed: the keys of ${entity} do not match its fields.`),
    ...texts.map(({ entity, problem }) => `Text: the description of ${entity} ${problemTexts[problem]}.`),
    ...subjects.map(
      ({ item, users, problem }) => `Subject: ${item} ${subjectTexts[problem]}. Users: ${users.join(', ')}.`,
    ),
    ...sequencers.map(
      ({ log, count, position }) =>
        `Sequencer: that of ${log} is at ${count}, and the log has records up to ${position}.`,
    ),
    ...counters.map(
      ({ log, count, number }) =>
        `Counter: that of the numbers of ${log} is at ${count}, and an entity has the number ${number}.`,
    ),
    ...unnumbered.map(({ log, entities }) => `Numbers: ${entities} entities of ${log} have none.`),
    ...unlisted.map((log) => `Registry: it does not have ${log}, so no daily visit looks at it.`),
    ...logs.flatMap(logLines),
    ...(isLimited(report)
      ? [`The audit keeps ${maxFindings} findings of a kind. Repair them, and audit again.`]
      : []),
    `${report.entities} entities in ${report.compared} logs: ${orphans.length} orphans, ${cycles.length} cycles, ${malformed.length} malformed, ${texts.length} wrong texts, ${subjects.length} wrong subjects, ${sequencers.length} wrong sequencers, ${counters.length} wrong counters, ${unnumbered.length} logs without all numbers, ${unlisted.length} logs without an entry, ${logs.length} wrong logs${repaired > 0 ? `; ${repaired} repaired` : ''}.`,
  ];
}
