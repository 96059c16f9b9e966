import { defaultLimit, maxLimit, readCursor, wholeNumber } from './parse-list-query.ts';
import { invalidRequest, type ValidationIssue } from './problems.ts';
import { checkName, readParameters } from './query-parameters.ts';

/** A page of a list without filters and orders. */
interface PageQuery<Place> {
  readonly limit: number;
  /** Where the page begins; `undefined` for the first page. */
  readonly after: Place | undefined;
}

/**
 * Returns the query of a list that has no other parameters than `limit` and `after`.
 * @param decode returns the place of a cursor. It throws `InvalidCursor`.
 * @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid.
 */
export function readPageQuery<Place>(
  rawQueryString: string,
  decode: (cursor: string) => Place,
): PageQuery<Place> {
  const issues: ValidationIssue[] = [];
  const parameters = readParameters(rawQueryString, { check: checkName(['limit', 'after']) }, issues);
  const decodeOrBegin = (cursor: string) => (cursor === '' ? undefined : decode(cursor));
  const after = readCursor('after', parameters, decodeOrBegin, issues);
  const limit = Math.min(wholeNumber('limit', parameters, defaultLimit, issues), maxLimit);
  if (issues.length > 0) throw invalidRequest(issues);
  return { limit, after };
}
