import type { LogDifference } from './change-logs.ts';
import type { TextDifference, TextProblem } from './texts.ts';

interface Orphan {
  readonly entity: string;
  readonly field: string;
  readonly refersTo: string;
}

export interface Report {
  readonly entities: number;
  /** Number of logs that were compared: one for each kind of each tenant. */
  readonly compared: number;
  readonly orphans: readonly Orphan[];
  /** Entities whose stored keys differ from the keys that their fields give. */
  readonly malformed: readonly string[];
  readonly texts: readonly TextDifference[];
  readonly logs: readonly LogDifference[];
  readonly repaired: number;
}

export const isClean = ({ orphans, malformed, texts, logs }: Report): boolean =>
  orphans.length + malformed.length + texts.length + logs.length === 0;

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

export function reportLines({
  entities,
  compared,
  orphans,
  malformed,
  texts,
  logs,
  repaired,
}: Report): string[] {
  return [
    ...orphans.map(
      ({ entity, field, refersTo }) => `Orphan: ${field} of ${entity} is ${refersTo}, which does not exist.`,
    ),
    ...malformed.map((entity) => `Malformed: the keys of ${entity} do not match its fields.`),
    ...texts.map(({ entity, problem }) => `Text: the description of ${entity} ${problemTexts[problem]}.`),
    ...logs.flatMap(logLines),
    `${entities} entities in ${compared} logs: ${orphans.length} orphans, ${malformed.length} malformed, ${texts.length} wrong texts, ${logs.length} wrong logs${repaired > 0 ? `; ${repaired} repaired` : ''}.`,
  ];
}
