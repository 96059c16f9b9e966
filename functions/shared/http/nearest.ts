import { distance } from 'fastest-levenshtein';

/** Longer names are no slips of the pen, and comparing them takes time. */
const longestName = 64;

/** A sentence that suggests the known name nearest to an unknown one, or what is known when none is near. */
export function suggestion(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'None is known here.';
  const [nearest] =
    unknown.length > longestName
      ? []
      : known.toSorted((one, other) => distance(unknown, one) - distance(unknown, other));
  return nearest !== undefined && distance(unknown, nearest) <= Math.max(2, unknown.length / 2)
    ? `Did you mean "${nearest}"?`
    : `Known are ${known.join(', ')}.`;
}

/** A caller's own words, short enough to be said back. */
export const quoted = (words: string): string =>
  JSON.stringify(words.length > longestName ? `${words.slice(0, longestName)}…` : words);
