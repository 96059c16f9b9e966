import { encoded } from './encoding.ts';

/** The types of a resource. `types.ts` has those of each. */
export interface ResourceTypes {
  readonly entity: { readonly id: string };
  readonly new: object;
  readonly changes: object;
  readonly filters: object;
  /** Fields that order a list. */
  readonly sort: string;
  /** By name: what `expand` adds to an entity. */
  readonly expansions: object;
  /** By field: what `countBy` adds to a page. */
  readonly counts: object;
  /** By field: what `sumBy` adds to a page. */
  readonly sums: object;
}

export type Direction = 'asc' | 'desc';

/** How often a value occurs among all entities that match. */
export interface ValueCount<Value> {
  readonly value: Value;
  readonly count: number;
  /** With `sumBy`: by field, the sum over these entities. */
  readonly sums?: Readonly<Record<string, number>>;
}

interface SortOptions<Sort extends string> {
  /** Up to three fields. Default: `createdAt`. */
  readonly sortBy?: Sort | readonly Sort[] | undefined;
  /** One direction for all fields, or one for each. Default: `desc`. */
  readonly sortOrder?: Direction | readonly Direction[] | undefined;
}

interface ViewOptions<Field, Expand> {
  /** The entities have only these fields and `id`. */
  readonly fields?: readonly Field[] | undefined;
  /** Adds the entities that references name. A token needs the read scope of each. */
  readonly expand?: readonly Expand[] | undefined;
  /** Words: each must be the beginning of a word of the name or the description. */
  readonly search?: string | undefined;
  /** Entities of one request, at most 100. Default: 100 in `iterate`, otherwise 20. */
  readonly limit?: number | undefined;
}

/** The query of an iteration: filters on fields, their order, and what its entities have. */
export type IterationQuery<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'] = keyof Types['entity'],
  Expand extends keyof Types['expansions'] = never,
> = Types['filters'] & SortOptions<Types['sort']> & ViewOptions<Field, Expand>;

interface PageOptions<Count, Sum> {
  /** Number of the page. Default: 1. */
  readonly page?: number | undefined;
  /**
   * `''` for the first page, then the `next` of the page before: the page begins behind the last entity of that page, whatever others write
   * meanwhile. Instead of `page`.
   */
  readonly after?: string | undefined;
  /** Counts the values of these fields over all entities that match, at most 100 values for each field. */
  readonly countBy?: readonly Count[] | undefined;
  /** Adds the numbers of these fields over all entities that match, and over those of each counted value. */
  readonly sumBy?: readonly Sum[] | undefined;
}

/** The query of a page: that of an iteration, with the page and what is counted. */
export type ListQuery<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'] = keyof Types['entity'],
  Expand extends keyof Types['expansions'] = never,
  Count extends keyof Types['counts'] = never,
  Sum extends keyof Types['sums'] = never,
> = IterationQuery<Types, Field, Expand> &
  PageOptions<Count, Sum> & {
    /** Adds the `since` of `changes` and `sync` with the same filters and `fields`. Of several pages, keep that of the first one. */
    readonly changesCursor?: boolean | undefined;
  };

/** What `expand` adds to an entity. */
type Expanded<Expansions, Expand extends keyof Expansions> = [Expand] extends [never]
  ? unknown
  : Pick<Expansions, Expand>;

/** An entity of a list: the chosen fields, and what is expanded. */
export type Item<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'],
  Expand extends keyof Types['expansions'],
> = (keyof Types['entity'] extends Field ? Types['entity'] : Pick<Types['entity'], Field | 'id'>) &
  Expanded<Types['expansions'], Expand>;

/** What `countBy` adds to a page: the counts of exactly these fields. */
export type Counted<Counts, Count extends keyof Counts> = [Count] extends [never]
  ? unknown
  : { readonly counts: Pick<Counts, Count> };

/** What `sumBy` adds to a page: the sums of exactly these fields. */
export type Summed<Sums, Sum extends keyof Sums> = [Sum] extends [never]
  ? unknown
  : { readonly sums: Pick<Sums, Sum> };

/** A page of a list. */
export interface Page<Entity> {
  readonly data: readonly Entity[];
  /** Number of entities on all pages. */
  readonly total: number;
  readonly page: number;
  /** Entities on a page, at most: the `limit` in effect. */
  readonly limit: number;
  readonly totalPages: number;
  /** With `after`: the `after` of the next page; `null` on the last page. */
  readonly next?: string | null;
  /** With `changesCursor`: the `since` of `changes` and `sync`, which continue this list. */
  readonly changesCursor?: string;
}

/** The query of a change feed: filters on fields, and what its entities have. Only `limit` may change between two requests of one feed. */
export type ChangesQuery<
  Types extends ResourceTypes,
  Field extends keyof Types['entity'] = keyof Types['entity'],
> = Types['filters'] & {
  /** The entities have only these fields and `id`. */
  readonly fields?: readonly Field[] | undefined;
  /** Changes of one request, at most 100, or 1,000 without descriptions. Default: 100. */
  readonly limit?: number | undefined;
};

/** A page of a change feed. */
export interface ChangesPage<Entity> {
  /** The entities that were created or changed, each of them once. A change can come twice. */
  readonly data: readonly Entity[];
  /** The ids of entities that were deleted, or do not match the filters any more. You may not have them. */
  readonly removed: readonly string[];
  /** The `since` of the next request. Store it together with the data. */
  readonly cursor: string;
  /** What the service announced up to this position is on the pages up to this one, unless there are more. */
  readonly position: number;
  /** Whether to ask again at once. */
  readonly hasMore: boolean;
}

/** What one change did to a field. A created or restored entity has no value before, and a deleted one has none after. */
export interface FieldChange<Value> {
  readonly from?: Value;
  readonly to?: Value;
  /** Whether the values are the first 100 characters of longer texts. */
  readonly isCut?: true;
}

/** One change of an entity. */
export interface HistoryEntry<Entity> {
  /** The version that the change made. */
  readonly version: number;
  readonly time: string;
  readonly operation: 'create' | 'update' | 'delete' | 'restore';
  /** The `subject` of the token of the request; absent where requests need no token. */
  readonly actor?: string;
  /** The fields that changed, except `updatedAt`. An entity that was created, deleted or restored has all fields. */
  readonly changes: {
    readonly [Field in Exclude<keyof Entity, 'id' | 'createdAt' | 'updatedAt'>]?: FieldChange<Entity[Field]>;
  };
}

/** A page of the history of an entity. */
export interface HistoryPage<Entity> {
  /** The newest first. */
  readonly data: readonly HistoryEntry<Entity>[];
  /** The `after` of the next page; null on the last page. */
  readonly cursor: string | null;
  /** Whether the history goes back to the creation. If not, earlier changes have expired. */
  readonly isComplete: boolean;
}

/** What lists of deleted entities show besides. */
export interface Deletion {
  readonly deletedAt: string;
  /** The `subject` of the token of the request; null where requests need no token. */
  readonly deletedBy: string | null;
  /** The id of the entity whose deletion removed it; null if it was deleted itself. */
  readonly deletedWith: string | null;
  /** Number of other entities that come back with it. */
  readonly restores: number;
}

type DeletionField = 'deletedAt' | 'deletedBy' | 'deletedWith';

/** The types of a resource whose entities are deleted. */
export type Deleted<Types extends ResourceTypes> = Types & { readonly entity: Deletion };

/** The query of a list of deleted entities: filters on their fields and on those of their deletions, and their order. Default: what was deleted itself, the last deleted first. */
export type DeletedQuery<
  Types extends ResourceTypes,
  Field extends keyof Deleted<Types>['entity'] = keyof Deleted<Types>['entity'],
  Expand extends keyof Types['expansions'] = never,
  Count extends keyof Types['counts'] = never,
  Sum extends keyof Types['sums'] = never,
> = Types['filters'] & {
  readonly [Filter in DeletionField | `${DeletionField}[${string}]`]?: string | boolean | readonly string[];
} & SortOptions<Types['sort'] | DeletionField> &
  ViewOptions<Field, Expand> &
  PageOptions<Count, Sum>;

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isFilter = (value: unknown): value is object => typeof value === 'object' && !Array.isArray(value);

/**
 * Refuses values that have no meaning in a query. A caller without type checks would get a list of something else.
 * @throws TypeError that names the parameter.
 */
function requireMeaning(name: string, value: unknown): void {
  if (value === null) throw new TypeError(`"${name}" is null. Use { isNull: true } to find null.`);
  if (value instanceof Date)
    throw new TypeError(`"${name}" is a Date. Use its text, for example date.toISOString().`);
}

/** Writes a comma or a backslash within one of several values so that the service does not separate there. */
const escaped = (value: unknown): string => String(value).replaceAll(/[\\,]/g, '\\$&');

type Parameter = [name: string, values: readonly string[]];

const operatorParameters = (field: string, filter: object): Parameter[] =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined && !isEmpty(value))
    .map(([operator, value]) => {
      const name = `${field}[${operator}]`;
      requireMeaning(name, value);
      return [name, Array.isArray(value) ? value.map(escaped) : [String(value)]];
    });

/**
 * Returns the parameters of a query. Options without a value and empty arrays are left out: every entity matches an empty `notIn` or
 * `all`. No entity matches an empty `in`. The service has no such filter, so the query asks for the empty id, which no entity has.
 */
function queryParameters(query: object): Parameter[] {
  const parameters: Parameter[] = [];
  let matchesNothing = false;
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || isEmpty(value)) continue;
    requireMeaning(name, value);
    if (isFilter(value)) {
      parameters.push(...operatorParameters(name, value));
      matchesNothing ||= 'in' in value && isEmpty(value.in);
    } else {
      parameters.push([name, [value].flat().map(String)]);
    }
  }
  if (!matchesNothing) return parameters;
  return [...parameters.filter(([name]) => name !== 'id[in]'), ['id[in]', ['']]];
}

/**
 * Returns the query string of a query; `''` for a query without parameters. Commas between values are not encoded: an encoded one belongs to
 * a value.
 * @throws TypeError for text that is not well-formed.
 */
export const queryString = (query: object): string =>
  queryParameters(query)
    .map(([name, values]) => `${encoded(name)}=${values.map(encoded).join(',')}`)
    .join('&');
