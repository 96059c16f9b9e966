import { decodeHistoryCursor, type EntityName } from '../store/entities/history-cursor.ts';
import type { HistoryPlace } from '../store/entities/list-history.ts';
import { defaultLimit, maxLimit, readCursor, wholeNumber } from './parse-list-query.ts';
import { invalidRequest, type ValidationIssue } from './problems.ts';
import { readParameters, unknownParameter } from './query-parameters.ts';

const known = ['limit', 'after'] as const;

/**
 * Returns the place of a page of the history of an entity.
 * @throws Problem 400 that names every parameter that is unknown or invalid.
 */
export function readHistoryPlace(name: EntityName, rawQueryString: string): HistoryPlace {
  const issues: ValidationIssue[] = [];
  const check = (parameter: string) =>
    (known as readonly string[]).includes(parameter) ? undefined : unknownParameter(parameter, known);
  const parameters = readParameters(rawQueryString, { check }, issues);
  const limit = Math.min(wholeNumber('limit', parameters, defaultLimit, issues), maxLimit);
  const decode = (cursor: string) => (cursor === '' ? undefined : decodeHistoryCursor(name, cursor));
  const after = readCursor('after', parameters, decode, issues);
  if (issues.length > 0) throw invalidRequest(issues);
  return { limit, after };
}
