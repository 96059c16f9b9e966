import { isDeepStrictEqual } from 'node:util';
import { otherParameterNames } from './other-names.ts';
import { invalidRequest, type ValidationIssue } from './problems.ts';
import { quoted, suggestion } from './suggestion.ts';

const maxParameters = 60;

const spellings: Readonly<Record<string, string>> = { sort_by: 'sortBy', sort_order: 'sortOrder' };

/** Some libraries add `[]` to the name of a list; `[eq]` is an exact match, as without an operator. */
const withoutSuffix = (spelling: string): string => spelling.replace(/\[\]$/, '').replace(/\[eq\]$/, '');

const nameOf = (spelling: string): string =>
  (Object.hasOwn(spellings, spelling) ? spellings[spelling] : undefined) ?? spelling;

/** By name: the values of a parameter, without the commas that separate them. */
export class Parameters extends Map<string, string[]> {
  readonly issues: ValidationIssue[] = [];

  refuse(parameter: string, detail: string): void {
    this.issues.push({ parameter, detail });
  }

  /** @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid. */
  requireValid(): void {
    if (this.issues.length > 0) throw invalidRequest(this.issues);
  }
}

/**
 * How the values of a parameter are separated. Each may be repeated too. Where a value can have a comma, an encoded one belongs to the
 * value; elsewhere both separate, because libraries encode commas.
 */
export type Separation = 'comma' | 'literal comma';

interface Reading {
  readonly check: (name: string) => string | undefined;
  /** Absent for a parameter that has one value. */
  readonly separationOf?: (name: string) => Separation | undefined;
  /** Returns what to send instead of one parameter with several values, after a space; '' when there is nothing. */
  readonly severalValuesHint?: (name: string) => string;
}

/** Decodes a part of a query. A malformed escape is kept as it is. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return new URLSearchParams(`=${text}`).get('') ?? '';
  }
}

/** Within a value, a backslash keeps a comma from separating, and another backslash from having a meaning. */
const withoutEscapes = (value: string): string => value.replaceAll(/\\([,\\])/g, '$1');

/** An escaped comma or backslash, a comma, or other characters. */
const decodedTokens = /\\[,\\]|,|[^,\\]+|\\/g;
const rawTokens = /(?:\\|%5C)(?:,|%2C|\\|%5C)|,|[^,\\%]+|[\\%]/gi;

function splitAtCommas(text: string, tokens: RegExp): string[] {
  const values = [''];
  for (const [token] of text.matchAll(tokens)) {
    if (token === ',') values.push('');
    else values[values.length - 1] += token;
  }
  return values;
}

/** Returns the values in a parameter, decoded. @param raw as it is sent. */
export function readValues(raw: string, separation: Separation | undefined): string[] {
  if (separation === undefined) return [decode(raw)];
  const values =
    separation === 'comma'
      ? splitAtCommas(decode(raw), decodedTokens)
      : splitAtCommas(raw, rawTokens).map(decode);
  return values.map(withoutEscapes);
}

/** Returns the name and the value of a parameter. A name such as `status[!=]` contains a `=` within its brackets. */
function splitPair(pair: string) {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
  const name = decode(pair.slice(0, end));
  const raw = pair.slice(end + 1);
  const [rest] = (name.lastIndexOf('[') > name.lastIndexOf(']') && /^=*(?:\]|%5D)/i.exec(raw)) || [];
  if (rest === undefined) return { spelling: name, raw };
  return { spelling: `${name}=${decode(rest)}`, raw: raw.slice(rest.length).replace(/^=/, '') };
}

export const nameOfPair = (pair: string): string => nameOf(withoutSuffix(splitPair(pair).spelling));

/**
 * Returns each parameter under its own name. Two spellings of one parameter, or one parameter twice, must have the same value unless
 * the parameter takes several.
 * @returns the parameters, with the issues of those that are unknown or ambiguous.
 * @throws Problem 400 when there are more than 60.
 */
export function readParameters(
  rawQueryString: string,
  { check, separationOf = () => undefined, severalValuesHint = () => '' }: Reading,
): Parameters {
  const all = rawQueryString.split('&').filter(Boolean).map(splitPair);
  if (all.length > maxParameters) {
    const detail = `The query has ${all.length} parameters; at most ${maxParameters} are allowed.`;
    throw invalidRequest([{ parameter: all[maxParameters]?.spelling ?? '', detail }]);
  }
  const parameters = new Parameters();
  const spellingOf = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { spelling, raw } of all) {
    const plain = withoutSuffix(spelling);
    const name = nameOf(plain);
    const detail = check(name);
    if (detail !== undefined) {
      parameters.refuse(spelling, detail);
      continue;
    }
    const known = parameters.get(name);
    const separation = separationOf(name);
    const own = readValues(raw, separation);
    if (!known) {
      parameters.set(name, own);
      spellingOf.set(name, plain);
    } else if (isDeepStrictEqual(known, own)) {
      // A parameter that is sent twice.
    } else if (separation && spellingOf.get(name) === plain) {
      known.push(...own);
    } else if (!ambiguous.has(name)) {
      ambiguous.add(name);
      const both = `${quoted(known.join(','))} and ${quoted(own.join(','))}`;
      const detail = `"${name}" occurs twice with different values: ${both}. Send it once.${severalValuesHint(name)}`;
      parameters.refuse(spelling, detail);
    }
  }
  return parameters;
}

/** Returns the check of parameters without filters: what is wrong with a name that is none of them. */
export const checkName =
  (known: readonly string[]) =>
  (name: string): string | undefined =>
    known.includes(name)
      ? undefined
      : `${quoted(name)} is not a parameter here. ${suggestion(name, known, otherParameterNames)}`;
