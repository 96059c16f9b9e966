/** The ranking of the search. It runs in the browser. */
import { synonyms } from './search-synonyms.ts';

export type SearchEntry = readonly [
  kind: 'Operation' | 'Guide' | 'Error' | 'Field',
  title: string,
  path: string,
  /** What the result shows below its title. */
  line: string,
  /** Prose, of which the result shows the place that matches. */
  text: string,
  /** Words besides title, line and text that find the entry. */
  words: string,
];

/** A word of a query, or a phrase that has synonyms. Its synonyms follow it. */
export type Term = readonly string[];

const maxResults = 12;

/** Words that say nothing about what a reader looks for. */
const emptyWords = new Set(
  'a an and by do for from how i in is my of on or the this to what with'.split(' '),
);

/** Returns a text as words in lower case, with a space before, between and after them. */
const normalized = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, ' ')
    .trim()} `;

/** Synonyms by each of their phrases, the longest phrase first: "sign in" is one term, not two. */
const phrases = synonyms
  .flatMap((group) => group.map((phrase) => [phrase, group.filter((other) => other !== phrase)] as const))
  .toSorted(([one], [other]) => other.length - one.length);

/** Returns the terms of a query. */
export function termsOf(query: string): Term[] {
  let rest = normalized(query);
  const terms: Term[] = [];
  for (const [phrase, others] of phrases) {
    if (!rest.includes(` ${phrase} `)) continue;
    rest = rest.replace(` ${phrase} `, '  ');
    terms.push([phrase, ...others]);
  }
  const words = rest.split(' ').filter(Boolean);
  const telling = words.filter((word) => !emptyWords.has(word));
  return [...terms, ...(terms.length + telling.length > 0 ? telling : words).map((word) => [word])];
}

/** Returns a word without a common ending, so that "deleting" finds "deleted". */
const stemOf = (word: string): string => word.replace(/(?<=\w{3})(?:ing|ed|es|s)$/, '');

/** Returns how well a normalized text has a word, from 0 to 1. */
function closeness(text: string, word: string): number {
  if (text.includes(` ${word} `)) return 1;
  if (text.includes(` ${word}`)) return 0.8;
  if (text.includes(` ${stemOf(word)}`)) return 0.6;
  return word.length > 3 && text.includes(word) ? 0.2 : 0;
}

/** A synonym counts less than the word itself. */
const closenessOf = (text: string, term: Term): number =>
  Math.max(...term.map((word, position) => closeness(text, word) * (position === 0 ? 1 : 0.75)));

interface PreparedEntry {
  readonly entry: SearchEntry;
  /** Normalized texts, each with the points of a word in it. */
  readonly title: string;
  readonly texts: readonly (readonly [text: string, points: number])[];
  /** What a query can be exactly: the title, the line, or the name behind the path. */
  readonly names: readonly string[];
}

/** Normalizes entries once for all queries. */
export const prepareEntries = (entries: readonly SearchEntry[]): PreparedEntry[] =>
  entries.map((entry) => {
    const [, title, path, line, text, words] = entry;
    const normal = normalized(title);
    return {
      entry,
      title: normal,
      texts: [
        [normal, 40],
        [normalized(line), 14],
        [normalized(text), 9],
        [normalized(words), 5],
      ],
      names: [normal, normalized(line), normalized(path.split('#')[1] ?? '')],
    };
  });

/** Points of a kind, for entries that match equally well. */
const pointsOfKind = { Operation: 12, Guide: 6, Error: 4, Field: 0 } as const;

/** Returns the part of a title's words that a query names: "Delete a task" is a better result for "delete task" than "Delete". */
function coverage(title: string, terms: readonly Term[]): number {
  const words = title.split(' ').filter((word) => word && !emptyWords.has(word));
  const matched = words.filter((word) =>
    terms.some((term) =>
      term.some((phrase) => phrase.split(' ').some((part) => word.startsWith(stemOf(part)))),
    ),
  );
  return matched.length / Math.max(1, words.length);
}

/** Returns the points of an entry, and 0 unless it has every term. */
function score({ entry: [kind, , path], title, texts, names }: PreparedEntry, terms: Term[], query: string) {
  const points = terms.map((term) =>
    Math.max(...texts.map(([text, pointsOfText]) => closenessOf(text, term) * pointsOfText)),
  );
  if (points.includes(0)) return 0;
  const hasAllInTitle = terms.every((term) => closenessOf(title, term) > 0.2);
  return (
    points.reduce((sum, one) => sum + one, 0) / terms.length +
    (hasAllInTitle ? 20 + 60 * coverage(title, terms) : 0) +
    (names.includes(query) ? 100 : 0) +
    pointsOfKind[kind] +
    // A whole guide before its sections.
    (kind === 'Guide' && !path.includes('#') ? 4 : 0)
  );
}

/** Returns the entries that have every word of a query or its synonyms, the best one first. */
export function rank(entries: readonly PreparedEntry[], query: string): SearchEntry[] {
  const terms = termsOf(query);
  if (terms.length === 0) return [];
  return entries
    .map((prepared) => ({ entry: prepared.entry, points: score(prepared, terms, normalized(query)) }))
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .slice(0, maxResults)
    .map(({ entry }) => entry);
}

/** Returns an expression for every place where a text has a term, up to the end of the word. */
function expressionOf(terms: readonly Term[]): RegExp {
  const alternatives = terms
    .flat()
    .flatMap((word) => [word, stemOf(word)])
    .toSorted((one, other) => other.length - one.length)
    .map((word) => word.replaceAll(' ', '[^\\p{L}\\d]+'));
  return new RegExp(`(?<![\\p{L}\\d])(?:${alternatives.join('|')})[\\p{L}\\d]*`, 'giu');
}

/** Returns a text in parts: those at even positions as they are, those at odd positions to be marked. */
export function marked(text: string, query: string): string[] {
  const terms = termsOf(query);
  if (terms.length === 0) return [text];
  const parts: string[] = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(expressionOf(terms))) {
    parts.push(text.slice(end, index), match);
    end = index + match.length;
  }
  return [...parts, text.slice(end)];
}

const maxSnippet = 130;

/** Returns the place with the most different words of a query, close to each other; 0 if there is none. */
function bestPlace(text: string, terms: readonly Term[]): number {
  const matches = terms.length === 0 ? [] : [...text.matchAll(expressionOf(terms))];
  const valueFrom = (start: number): number => {
    const firstPlaces = new Map<string, number>();
    for (const { 0: match, index } of matches) {
      const word = match.toLowerCase();
      if (index >= start && index < start + maxSnippet - 40 && !firstPlaces.has(word)) {
        firstPlaces.set(word, index);
      }
    }
    return firstPlaces.size - (Math.max(...firstPlaces.values()) - start) / maxSnippet;
  };
  const [best] = matches.toSorted((one, other) => valueFrom(other.index) - valueFrom(one.index));
  return best?.index ?? 0;
}

/** Returns the part of a text that has the words of a query, or its beginning. */
export function snippet(text: string, query: string): string {
  const place = bestPlace(text, termsOf(query));
  const start = place < 50 ? 0 : text.indexOf(' ', place - 40) + 1;
  const end = text.length - start <= maxSnippet ? text.length : text.lastIndexOf(' ', start + maxSnippet);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
}
