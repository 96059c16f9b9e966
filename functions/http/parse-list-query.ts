import { longTextField } from '../contract/fields.ts';
import { changesOptions, listOptions } from '../contract/list-fields.ts';
import type { Expansion, Resource } from '../contract/resource.ts';
import { type ChangesCursor, decodeCursor } from '../engine/feed/cursor.ts';
import { decodePlace, queryHash } from '../engine/lists/place-cursor.ts';
import { InvalidCursor } from '../engine/model/errors.ts';
import type { Direction, Filter, ListQuery, SortField } from '../engine/model/list-query.ts';
import { maxWordLength, wordsField, wordsOf } from '../engine/model/words.ts';
import type { EntityView } from './entity-view.ts';
import { otherDirectionNames, otherFieldNames } from './other-names.ts';
import { checkFilterName, filterSeparation, readFilters, severalValuesHint } from './parse-filters.ts';
import { checkName, type Parameters, readParameters } from './query-parameters.ts';
import { explainFields, explainSort } from './suggest-option.ts';
import { quoted, suggestion } from './suggestion.ts';

/** Entities on a page: by default, and at most. A higher limit is served as the highest. */
export const defaultLimit = 20;
export const maxLimit = 100;

export const maxSortFields = 3;

export const maxSearchWords = 8;

/** Entities on a page of a change feed, by default, and at most without descriptions. */
export const defaultChangesLimit = maxLimit;
export const maxChangesLimit = 1_000;

const nameLists: ReadonlySet<string> = new Set([
  ...['sortBy', 'sortOrder', 'fields', 'expand', 'countBy', 'sumBy'],
]);

const directions = ['asc', 'desc'] as const;

/** The `since` of a feed that begins with the next change. */
const now = 'now';

interface ReadListQuery {
  readonly query: ListQuery;
  readonly view: EntityView;
  /** The hash of the change feed with the same filters and fields, which is part of its cursors; absent when no cursor is asked for. */
  readonly cursorHash?: Buffer | undefined;
}

const feedHash = ({ kind }: Resource, filters: readonly Filter[], { fields }: EntityView): Buffer =>
  queryHash(kind, filters, fields ? [...fields].sort() : 'all');

function wholeNumber(name: string, parameters: Parameters, fallback: number): number {
  const value = parameters.get(name)?.[0];
  if (value === undefined) return fallback;
  const number = /^\d+$/.test(value) ? Number(value) : 0;
  const isTooLarge = number > Number.MAX_SAFE_INTEGER && name !== 'limit';
  if (number >= 1 && !isTooLarge) return number;
  const expected = isTooLarge ? `at most ${Number.MAX_SAFE_INTEGER}` : 'a whole number, 1 or more';
  parameters.refuse(name, `"${name}" must be ${expected}.`);
  return fallback;
}

const readLimit = (parameters: Parameters, fallback: number, most = maxLimit): number =>
  Math.min(wholeNumber('limit', parameters, fallback), most);

/** Returns the names in a parameter. @param explain says what is wrong with unknown ones, if it is known better than for any name. */
function readNames<Name extends string>(
  parameter: string,
  parameters: Parameters,
  known: readonly Name[],
  explain: (value: string) => string | undefined = () => undefined,
): Name[] | undefined {
  const names = parameters.get(parameter);
  if (names === undefined) return undefined;
  const unknown = names.find((name) => !(known as readonly string[]).includes(name));
  if (unknown === undefined) return [...names] as Name[];
  const hint = suggestion(unknown, known, { ...otherDirectionNames, ...otherFieldNames });
  const detail = `${quoted(unknown)} is not a value of "${parameter}". ${hint}`;
  parameters.refuse(parameter, explain(names.join(',')) ?? detail);
  return undefined;
}

function readBoolean(parameter: string, parameters: Parameters): boolean {
  const [text = 'false'] = parameters.get(parameter) ?? [];
  // Clients in Python send `True`.
  const value = text.toLowerCase();
  if (value === 'true' || value === 'false') return value === 'true';
  parameters.refuse(parameter, `"${parameter}" must be true or false: ${quoted(text)} is not.`);
  return false;
}

/** Returns what a cursor says, and `undefined` if there is none or it is wrong. @param decode throws `InvalidCursor`. */
function readCursor<Content>(
  parameter: 'after' | 'since',
  parameters: Parameters,
  decode: (cursor: string) => Content,
): Content | undefined {
  const [cursor] = parameters.get(parameter) ?? [];
  if (cursor === undefined) return undefined;
  try {
    return decode(cursor);
  } catch (error) {
    if (!(error instanceof InvalidCursor)) throw error;
    const remedy = parameter === 'since' ? 'without it' : 'with an empty one';
    parameters.refuse(parameter, `"${parameter}" ${error.message}. Begin again ${remedy}.`);
    return undefined;
  }
}

/** Returns the place behind which a list begins. The filters and the order of the query must be valid. */
function readPlace(
  { kind }: Resource,
  parameters: Parameters,
  query: Pick<ListQuery, 'filters' | 'sort'>,
): ListQuery['after'] {
  if (parameters.has('after') && parameters.has('page')) {
    parameters.refuse('after', '"after" and "page" are two ways to name a page: send one of them.');
  }
  if (parameters.issues.length > 0) return undefined;
  const decode = (cursor: string) => (cursor === '' ? 'start' : decodePlace(kind, query, cursor));
  return readCursor('after', parameters, decode);
}

/** Returns the filter of a search; none when it has no word. */
function readSearch(parameters: Parameters): Filter[] {
  const values = wordsOf(parameters.get('search')?.[0] ?? '');
  const refuse = (detail: string) => parameters.refuse('search', `"search" has ${detail}.`);
  if (values.length > maxSearchWords) refuse(`${values.length} words; at most ${maxSearchWords} are allowed`);
  if (values.some((word) => [...word].length > maxWordLength))
    refuse(`a word of more than ${maxWordLength} characters`);
  return values.length > 0 ? [{ field: wordsField, operator: 'search', values }] : [];
}

/** Returns the order of a list. One direction holds for all fields. */
function readSort({ listFields }: Resource, parameters: Parameters, byDefault: string): readonly SortField[] {
  const sortable = Object.values(listFields).flatMap(({ name, isSortable }) => (isSortable ? [name] : []));
  const explain = (value: string) => explainSort(value, sortable);
  const fields = readNames('sortBy', parameters, sortable, explain) ?? [byDefault];
  const order = readNames<Direction>('sortOrder', parameters, directions) ?? ['desc'];
  if (fields.length > maxSortFields) {
    const detail = `"sortBy" has ${fields.length} fields; at most ${maxSortFields} are allowed.`;
    parameters.refuse('sortBy', detail);
  }
  if (order.length > 1 && order.length !== fields.length) {
    const detail = `"sortOrder" must be one direction for all fields, or one for each: it has ${order.length}, and "sortBy" ${fields.length}.`;
    parameters.refuse('sortOrder', detail);
  }
  return fields.map((field, position) => ({
    field,
    direction: (order[position] ?? order[0]) as Direction,
  }));
}

function readExpansions({ expansions }: Resource, parameters: Parameters): Expansion[] {
  const names = readNames('expand', parameters, Object.keys(expansions)) ?? [];
  return [...new Set(names)].map((name) => expansions[name] as Expansion);
}

function readView(resource: Resource, parameters: Parameters): EntityView {
  const { fieldNames, expansions } = resource;
  const explain = (value: string) => explainFields(value, fieldNames, Object.keys(expansions));
  const fields = readNames('fields', parameters, fieldNames, explain);
  return {
    fields: fields && new Set(['id', ...fields]),
    expansions: readExpansions(resource, parameters),
    withEtags: readBoolean('etags', parameters),
  };
}

function readKnownParameters({ listFields }: Resource, rawQueryString: string, known: readonly string[]) {
  return readParameters(rawQueryString, {
    check: (name: string) => (known.includes(name) ? undefined : checkFilterName(name, listFields, known)),
    separationOf: (name: string) =>
      nameLists.has(name) ? ('comma' as const) : filterSeparation(name, listFields),
    severalValuesHint: (name: string) => severalValuesHint(name, listFields),
  });
}

const needsTexts = ({ listFields }: Resource, { fields }: EntityView): boolean =>
  longTextField in listFields && (fields?.has(longTextField) ?? true);

const summedFields = ({ listFields }: Resource): string[] =>
  Object.values(listFields).flatMap(({ name, isSummable }) => (isSummable ? [name] : []));

function listParameters(resource: Resource, options: readonly string[]): readonly string[] {
  const unused = [
    ...(Object.keys(resource.expansions).length === 0 ? ['expand'] : []),
    ...(summedFields(resource).length === 0 ? ['sumBy'] : []),
  ];
  return [...options.filter((name) => !unused.includes(name)), ...Object.keys(resource.listFields)];
}

/**
 * Returns the query of a list, and how its entities are shown. An unknown parameter is a mistake: a misspelled filter that is ignored
 * would return more than the caller asked for.
 * @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid.
 */
export const readListQuery = (resource: Resource, rawQueryString: string, more: readonly Filter[] = []) =>
  readQuery(resource, rawQueryString, { more, sortBy: 'createdAt', options: listOptions });

/** Accepts the roots of deletions: what a caller has deleted itself. */
const isRoot: Filter = { field: 'deletedWith', operator: 'isNull', values: ['true'] };

/**
 * Returns the query of a list of deleted entities. It has the roots of deletions, unless a filter says which others.
 * @param resource as such lists show it.
 * @throws Problem 400, as `readListQuery`.
 */
export const readDeletedQuery = (resource: Resource, rawQueryString: string): ReadListQuery =>
  readQuery(resource, rawQueryString, {
    more: [],
    otherwise: isRoot,
    sortBy: 'deletedAt',
    options: listOptions.filter((name) => name !== 'changesCursor'),
  });

interface ListKind {
  /** Filters that the path has. */
  readonly more: readonly Filter[];
  /** A filter that holds unless the caller filters by its field. */
  readonly otherwise?: Filter;
  readonly sortBy: string;
  readonly options: readonly string[];
}

function readQuery(
  resource: Resource,
  rawQueryString: string,
  { more, otherwise, sortBy, options }: ListKind,
): ReadListQuery {
  const { listFields, ranks, defaults } = resource;
  const parameters = readKnownParameters(resource, rawQueryString, listParameters(resource, options));
  const countable = Object.values(listFields).flatMap(({ name, isCountable }) => (isCountable ? [name] : []));
  const view = readView(resource, parameters);
  const search = readSearch(parameters);
  const own = readFilters(parameters, listFields);
  const isOwn = own.some(({ field }) => field === otherwise?.field);
  const filters = [...own, ...search, ...more, ...(otherwise && !isOwn ? [otherwise] : [])];
  const sort = readSort(resource, parameters, sortBy);
  const withCursor = readBoolean('changesCursor', parameters);
  if (withCursor && parameters.has('search')) {
    const detail = 'A feed has no search, so a list with one has no "changesCursor".';
    parameters.refuse('changesCursor', detail);
  }
  const query: ListQuery = {
    filters,
    sort,
    after: readPlace(resource, parameters, { filters, sort }),
    countBy: [...new Set(readNames('countBy', parameters, countable))],
    sumBy: [...new Set(readNames('sumBy', parameters, summedFields(resource)))].map((field) => ({
      field,
      decimals: listFields[field]?.decimals ?? 0,
    })),
    page: wholeNumber('page', parameters, 1),
    limit: readLimit(parameters, defaultLimit),
    withTexts: needsTexts(resource, view),
    fields: view.fields && new Set([...view.fields, ...view.expansions.map(({ field }) => field)]),
    ranks,
    defaults,
  };
  parameters.requireValid();
  return { query, view, cursorHash: withCursor ? feedHash(resource, filters, view) : undefined };
}

export interface ReadChangesQuery extends ReadListQuery {
  /** The cursor; `undefined` for the first page. */
  readonly since: ChangesCursor | typeof now | undefined;
  readonly cursorHash: Buffer;
}

/**
 * Returns the query of a change feed, and how its entities are shown.
 * @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid.
 */
export function readChangesQuery(resource: Resource, rawQueryString: string): ReadChangesQuery {
  const { fieldNames, listFields, ranks, defaults } = resource;
  const known = [...changesOptions, ...fieldNames];
  const parameters = readKnownParameters(resource, rawQueryString, known);
  const view = readView(resource, parameters);
  const filters = readFilters(parameters, listFields);
  const withTexts = needsTexts(resource, view);
  const limit = readLimit(parameters, defaultChangesLimit, withTexts ? maxLimit : maxChangesLimit);
  const cursorHash = feedHash(resource, filters, view);
  const decode = (cursor: string) => (cursor === now ? now : decodeCursor(cursorHash, cursor));
  const since = readCursor('since', parameters, decode);
  parameters.requireValid();
  const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
  const page = { countBy: [], sumBy: [], page: 1, limit } as const;
  const query: ListQuery = { filters, sort, ...page, withTexts, ranks, defaults };
  return { query, since, cursorHash, view };
}

/** @throws Problem 400 that names every parameter that is unknown or invalid. */
export function readEntityView(resource: Resource, rawQueryString: string): EntityView {
  const known = Object.keys(resource.expansions).length > 0 ? ['expand'] : [];
  const reading = { check: checkName(known), separationOf: () => 'comma' as const };
  const parameters = readParameters(rawQueryString, reading);
  const expansions = readExpansions(resource, parameters);
  parameters.requireValid();
  return { expansions };
}

/** @throws Problem 400 when there is any parameter. */
export function requireNoParameters(rawQueryString: string): void {
  readParameters(rawQueryString, { check: checkName([]) }).requireValid();
}

/**
 * Returns the query of a list that has no other parameters than `limit` and `after`.
 * @throws Problem 400 that names every parameter that is unknown, ambiguous or invalid.
 */
export function readPageQuery<Place>(rawQueryString: string, decode: (cursor: string) => Place) {
  const parameters = readParameters(rawQueryString, { check: checkName(['limit', 'after']) });
  const decodeOrBegin = (cursor: string) => (cursor === '' ? undefined : decode(cursor));
  const after = readCursor('after', parameters, decodeOrBegin);
  const limit = readLimit(parameters, defaultLimit);
  parameters.requireValid();
  return { limit, after };
}
