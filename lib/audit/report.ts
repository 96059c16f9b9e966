/** The result of an audit. */
import type { LogDifference } from './change-logs.ts';
import type { TextDifference, TextProblem } from './texts.ts';

/** A list whose total differs from its pages. */
export interface WrongTotal {
  /** The path of the list. */
  readonly list: string;
  /** Number of entities on its pages. */
  readonly found: number;
  readonly total: number;
}

/** An entity that refers to an entity that does not exist. */
export interface Orphan {
  readonly entity: string;
  readonly field: string;
  readonly refersTo: string;
}

export interface Report {
  readonly entities: number;
  /** Number of lists or logs that were compared. */
  readonly lists: number;
  readonly totals: readonly WrongTotal[];
  readonly orphans: readonly Orphan[];
  /** Entities whose stored keys differ from the keys that their fields give. */
  readonly malformed: readonly string[];
  /** Long texts that do not match their entities. */
  readonly texts: readonly TextDifference[];
  /** Logs of the list engine whose rows differ from the entities, or whose totals differ from the rows. */
  readonly logs: readonly LogDifference[];
  /** Number of repaired orphans, texts and logs. */
  readonly repaired: number;
}

/** Returns whether the audit found nothing. */
export const isClean = ({ totals, orphans, malformed, texts, logs }: Report): boolean =>
  totals.length + orphans.length + malformed.length + texts.length + logs.length === 0;

/** Returns the first texts of some. */
const examples = (texts: readonly string[]): string => texts.slice(0, 3).join(', ');

const logLines = ({ log, ids, wrongTotal, unreadable }: LogDifference): string[] => [
  ...(unreadable ? [`Log: ${log} cannot be read. ${unreadable}`] : []),
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
};

/** Returns the report as text, one line per finding, with a summary as the last line. */
export function reportLines({
  entities,
  lists,
  totals,
  orphans,
  malformed,
  texts,
  logs,
  repaired,
}: Report): string[] {
  return [
    ...totals.map(
      ({ list, found, total }) => `Total: ${list} has the total ${total}; its pages have ${found} entities.`,
    ),
    ...orphans.map(
      ({ entity, field, refersTo }) => `Orphan: ${field} of ${entity} is ${refersTo}, which does not exist.`,
    ),
    ...malformed.map((entity) => `Malformed: the keys of ${entity} do not match its fields.`),
    ...texts.map(({ entity, problem }) => `Text: the description of ${entity} ${problemTexts[problem]}.`),
    ...logs.flatMap(logLines),
    `${entities} entities in ${lists} lists: ${totals.length} wrong totals, ${orphans.length} orphans, ` +
      `${malformed.length} malformed, ${texts.length} wrong texts, ${logs.length} wrong logs${repaired > 0 ? `; ${repaired} repaired` : ''}.`,
  ];
}
