import { otherParameterNames } from './other-names.ts';
import { invalidRequest, type ValidationIssue } from './problems.ts';
import { quoted, suggestion } from './suggestion.ts';

const maxParameters = 60;

const spellings: Readonly<Record<string, string>> = { sort_by: 'sortBy', sort_order: 'sortOrder' };

const nameOf = (spelling: string): string =>
  (Object.hasOwn(spellings, spelling) ? spellings[spelling] : undefined) ?? spelling;

export type Parameters = ReadonlyMap<string, readonly string[]>;

interface Reading {
  readonly check: (name: string) => string | undefined;
  readonly mayRepeat: (name: string) => boolean;
  /** Returns what to send instead of one parameter with several values, after a space; '' when there is nothing. */
  readonly severalValuesHint?: (name: string) => string;
}

/** Returns a parameter whose name was split at a `=` within its brackets, such as `status[!=]`, in one piece. */
function rejoinBrackets([name, value]: [string, string]): [string, string] {
  const isSplit = name.lastIndexOf('[') > name.lastIndexOf(']') && /^=*\]/.test(value);
  if (!isSplit) return [name, value];
  const end = value.indexOf(']') + 1;
  return [`${name}=${value.slice(0, end)}`, value.slice(end).replace(/^=/, '')];
}

/**
 * Returns each parameter under its own name. Two spellings of one parameter, or one parameter twice, must have the same value unless
 * the parameter takes several.
 * @param issues gains every parameter that is unknown or ambiguous.
 * @throws Problem 400 when there are more than 60.
 */
export function readParameters(
  rawQueryString: string,
  { check, mayRepeat, severalValuesHint = () => '' }: Reading,
  issues: ValidationIssue[],
): Parameters {
  const all = [...new URLSearchParams(rawQueryString)].map(rejoinBrackets);
  if (all.length > maxParameters) {
    const detail = `The query has ${all.length} parameters; at most ${maxParameters} are allowed.`;
    throw invalidRequest([{ parameter: all[maxParameters]?.[0] ?? '', detail }]);
  }
  const values = new Map<string, string[]>();
  const ambiguous = new Set<string>();
  for (const [spelling, value] of all) {
    const name = nameOf(spelling);
    const known = values.get(name);
    const detail = check(name);
    if (detail !== undefined) {
      issues.push({ parameter: spelling, detail });
    } else if (!known) {
      values.set(name, [value]);
    } else if (mayRepeat(name)) {
      known.push(value);
    } else if (known[0] !== value && !ambiguous.has(name)) {
      ambiguous.add(name);
      const both = `${quoted(known[0] ?? '')} and ${quoted(value)}`;
      const detail = `"${name}" occurs twice with different values: ${both}. Send it once.${severalValuesHint(name)}`;
      issues.push({ parameter: spelling, detail });
    }
  }
  return values;
}

export const unknownParameter = (name: string, known: readonly string[]): string =>
  `${quoted(name)} is not a parameter here. ${suggestion(name, known, otherParameterNames)}`;
