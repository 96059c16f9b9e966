import type { Resource } from '../contract/resource.ts';
import type { ListQuery } from '../store/model/list-query.ts';
import { invalidRequest, type ValidationIssue } from './problems.ts';
import { quoted, suggestion } from './suggestion.ts';

/** Entities on a page: by default, and at most. A higher limit is served as the highest. */
export const defaultLimit = 20;
export const maxLimit = 100;

/** Parameters in one query. */
const maxParameters = 20;

/** Other spellings of parameters. */
const spellings: Readonly<Record<string, string>> = { sort_by: 'sortBy', sort_order: 'sortOrder' };

const paging = ['page', 'limit', 'sortBy', 'sortOrder'] as const;

/** Returns each parameter once, under its own name, and the parameters that are unknown or ambiguous. */
function parameters(
  rawQueryString: string,
  known: readonly string[],
): { values: Map<string, string>; issues: ValidationIssue[] } {
  const values = new Map<string, string>();
  const issues: ValidationIssue[] = [];
  const all = [...new URLSearchParams(rawQueryString)];
  if (all.length > maxParameters) {
    throw invalidRequest([
      {
        parameter: '',
        detail: `The query has ${all.length} parameters; at most ${maxParameters} are allowed.`,
      },
    ]);
  }
  for (const [spelling, value] of all) {
    const name = Object.hasOwn(spellings, spelling) ? (spellings[spelling] ?? spelling) : spelling;
    if (!known.includes(name)) {
      const detail = `${quoted(spelling)} is not a parameter here. ${suggestion(spelling, known)}`;
      issues.push({ parameter: spelling, detail });
    } else if (values.has(name) && values.get(name) !== value) {
      issues.push({ parameter: spelling, detail: `"${name}" occurs twice with different values.` });
    } else {
      values.set(name, value);
    }
  }
  return { values, issues };
}

/** @throws Problem 400 when there is any parameter. */
export function noParameters(rawQueryString: string): void {
  const { issues } = parameters(rawQueryString, []);
  if (issues.length > 0) throw invalidRequest(issues);
}

function wholeNumber(
  name: string,
  value: string | undefined,
  fallback: number,
  issues: ValidationIssue[],
): number {
  if (value === undefined) return fallback;
  const number = /^\d+$/.test(value) ? Number(value) : 0;
  const isTooLarge = number > Number.MAX_SAFE_INTEGER && name !== 'limit';
  if (number >= 1 && !isTooLarge) return number;
  const expected = isTooLarge ? `at most ${Number.MAX_SAFE_INTEGER}` : 'a whole number, 1 or more';
  issues.push({ parameter: name, detail: `"${name}" must be ${expected}.` });
  return fallback;
}

function oneOf<Value extends string>(
  name: string,
  value: string | undefined,
  known: readonly Value[],
  fallback: Value,
  issues: ValidationIssue[],
): Value {
  if (value === undefined) return fallback;
  const found = known.find((candidate) => candidate === value);
  if (found !== undefined) return found;
  issues.push({
    parameter: name,
    detail: `${quoted(value)} is not a value of "${name}". ${suggestion(value, known)}`,
  });
  return fallback;
}

/**
 * Returns the query of a list. An unknown parameter is a mistake: a misspelled filter that is ignored would return more than the
 * caller asked for.
 * @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid.
 */
export function listQuery(resource: Resource, rawQueryString: string): ListQuery {
  const { values, issues } = parameters(rawQueryString, [...paging, ...resource.filters]);
  const page = wholeNumber('page', values.get('page'), 1, issues);
  const limit = wholeNumber('limit', values.get('limit'), defaultLimit, issues);
  const sortBy = oneOf('sortBy', values.get('sortBy'), resource.sorts, 'createdAt', issues);
  const sortOrder = oneOf('sortOrder', values.get('sortOrder'), ['asc', 'desc'] as const, 'desc', issues);
  if (issues.length > 0) throw invalidRequest(issues);
  const filters = resource.filters.flatMap((field): [string, string][] => {
    const value = values.get(field);
    return value === undefined ? [] : [[field, value]];
  });
  return {
    filters,
    page,
    limit: Math.min(limit, maxLimit),
    sortBy,
    sortOrder,
    ranks: resource.ranks,
    defaults: resource.defaults,
  };
}

/** Bytes of a query that links repeat. Four links stay below the 10,240 bytes that API Gateway allows for headers. */
const maxLinkQueryBytes = 2_048;

/** Bytes of a path that links repeat. Paths with the id of an entity are much shorter. */
const maxLinkPathBytes = 256;

/**
 * Returns the `Link` header of a page (RFC 8288) with the list's first, last and neighbouring pages; `undefined` when
 * the query is longer than 2,048 bytes, as it was sent or as a link encodes it, or the path than 256.
 * @param path the list's own path, encoded.
 */
export function pageLinks(
  path: string,
  rawQueryString: string,
  { page, limit }: ListQuery,
  totalPages: number,
): string | undefined {
  const query = new URLSearchParams(rawQueryString);
  const pageQuery = (number: number): string => {
    query.set('page', String(number));
    query.set('limit', String(limit));
    return query.toString();
  };
  const queryBytes = Math.max(rawQueryString.length, pageQuery(Number.MAX_SAFE_INTEGER).length);
  if (queryBytes > maxLinkQueryBytes || path.length > maxLinkPathBytes) return undefined;
  const last = Math.max(1, totalPages);
  const pages: [string, number][] = [['first', 1]];
  if (page > 1) pages.push(['prev', Math.min(page - 1, last)]);
  if (page < totalPages) pages.push(['next', page + 1]);
  pages.push(['last', last]);
  return pages.map(([relation, number]) => `<${path}?${pageQuery(number)}>; rel="${relation}"`).join(', ');
}
