/** Suggestions for names that do not exist. */
import { distance } from 'fastest-levenshtein';

/** Longer names are not typing errors, and comparing them takes time. */
const maxNameLength = 64;

/** Edits between a name and the suggested one, at least; and as a share of the name. */
const minEdits = 2;
const editShare = 1 / 2;

/** Returns a sentence that suggests the nearest known name, or lists the known names when none is near. */
export function suggestion(unknown: string, known: readonly string[]): string {
  if (known.length === 0) return 'None is allowed.';
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of unknown.length > maxNameLength ? [] : known) {
    const edits = distance(unknown, name);
    if (!nearest || edits < nearest.edits) nearest = { name, edits };
  }
  return nearest && nearest.edits <= Math.max(minEdits, unknown.length * editShare)
    ? `Did you mean "${nearest.name}"?`
    : `Allowed: ${known.join(', ')}.`;
}

/** Returns a text of the caller in quotes, short enough to be repeated in a message. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > maxNameLength ? `${text.slice(0, maxNameLength).toWellFormed()}…` : text);
