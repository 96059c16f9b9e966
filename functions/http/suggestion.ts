/** Suggestions for names that do not exist. A suggestion that is wrong costs more time than none, so only likely ones are made. */
import { distance } from 'fastest-levenshtein';

/** Longer names are not typing errors, and comparing them takes time. */
const maxNameLength = 64;

/** A typing error changes at most one character in three, and at most three. */
const charactersPerEdit = 3;
const maxEdits = 3;

/** What callers write instead of a name, by the name. Each word is in the form that `simplify` returns. */
export type OtherNames = Readonly<Record<string, readonly string[]>>;

/** Returns a name without case, spaces, brackets and separators: other spellings of a name have the same form. */
export const simplify = (name: string): string => name.replaceAll(/[\s_.[\]-]/g, '').toLowerCase();

const lettersOf = (text: string): string => [...text].sort().join('');

/** Returns the edits between two texts. Characters in another order are one typing error. */
const editsBetween = (one: string, other: string): number =>
  one !== other && one.length === other.length && lettersOf(one) === lettersOf(other)
    ? 1
    : distance(one, other);

/** Returns the known name of which a text is another spelling or another word; `undefined` when there is none. */
export function findSameName(unknown: string, known: readonly string[], otherNames: OtherNames) {
  if (unknown.length > maxNameLength) return undefined;
  const simple = simplify(unknown);
  const found = known.find((name) => simplify(name) === simple);
  const [other] =
    Object.entries(otherNames).find(
      ([name, words]) => words.includes(simple) && known.includes(name.replace(/\[.*/, '')),
    ) ?? [];
  return found ?? other;
}

/** Returns the known name that a caller probably means; `undefined` when none is likely. */
export function findNearestName(unknown: string, known: readonly string[], otherNames: OtherNames = {}) {
  const same = findSameName(unknown, known, otherNames);
  const simple = simplify(unknown.slice(0, maxNameLength + 1));
  // A word with another meaning is no typing error: "tag" does not mean "page".
  const isOtherWord = Object.values(otherNames).some((words) => words.includes(simple));
  if (same !== undefined || isOtherWord || unknown.length > maxNameLength) return same;
  const limit = Math.min(Math.floor(simple.length / charactersPerEdit), maxEdits);
  let nearest: { readonly name: string; readonly edits: number } | undefined;
  for (const name of known) {
    const edits = editsBetween(simple, simplify(name));
    if (edits <= limit && edits < (nearest?.edits ?? Number.POSITIVE_INFINITY)) nearest = { name, edits };
  }
  return nearest?.name;
}

export const didYouMean = (name: string): string => `Did you mean "${name}"?`;

/** Returns a sentence that suggests the name that a caller probably means, or lists the known names when none is likely. */
export function suggestion(unknown: string, known: readonly string[], otherNames: OtherNames = {}): string {
  if (known.length === 0) return 'None is allowed.';
  const nearest = findNearestName(unknown, known, otherNames);
  return nearest === undefined ? `Allowed: ${known.join(', ')}.` : didYouMean(nearest);
}

export const isQuotable = (text: string): boolean => text.length <= maxNameLength && text.isWellFormed();

/** Returns a text of the caller in quotes, short enough to be repeated in a message. */
export const quoted = (text: string): string =>
  JSON.stringify(text.length > maxNameLength ? `${text.slice(0, maxNameLength).toWellFormed()}…` : text);
