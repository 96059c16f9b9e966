/** A model of lists over HTTP: the fields of entities, and what docs/interface.md says about lists. The plain list filters, sorts and counts. */
import type { Filter, FilterOperator, SortField, ValueCount } from '#functions/engine/model/list-query.ts';
import { listQuery, sortedBy } from '../support/list-queries.ts';
import { plainList, ranks } from '../support/plain-list.ts';

export type Kind = 'organization' | 'project' | 'user' | 'task' | 'tag';

export type Value = string | number | null | readonly string[];

export interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: Value;
}

/** The type of a field decides which operators it takes and how its values compare. */
export type FieldType =
  | 'text'
  | 'description'
  | 'enumeration'
  | 'date'
  | 'timestamp'
  | 'number'
  | 'id'
  | 'ids';

interface Field {
  readonly type: FieldType;
  /** The value when a body leaves the field out. Fields without it are required or read-only. */
  readonly default?: Value;
}

const common = {
  id: { type: 'id' },
  name: { type: 'text' },
  status: { type: 'text', default: 'active' },
  createdAt: { type: 'timestamp' },
  updatedAt: { type: 'timestamp' },
} as const satisfies Record<string, Field>;
const description: Field = { type: 'description', default: '' };
const date: Field = { type: 'date', default: null };
const optionalId: Field = { type: 'id', default: null };
const optionalText: Field = { type: 'text', default: null };

export const fieldsOf: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  organization: { ...common, description },
  project: {
    ...common,
    organizationId: { type: 'id' },
    description,
    startDate: date,
    dueDate: date,
    visibility: { type: 'enumeration', default: 'tenant' },
    memberIds: { type: 'ids', default: [] },
  },
  user: { ...common, email: optionalText, organizationId: optionalId, subject: optionalText },
  task: {
    ...common,
    description,
    priority: { type: 'enumeration', default: 'none' },
    projectId: optionalId,
    parentId: optionalId,
    userId: optionalId,
    dueDate: date,
    tagIds: { type: 'ids', default: [] },
    position: optionalText,
    estimate: { type: 'number', default: null },
    number: { type: 'number', default: null },
  },
  tag: { ...common, color: { type: 'text', default: '#808080' }, description, organizationId: optionalId },
};

/** The fields that lists of deleted entities have besides. */
const ofDeletion: Readonly<Record<string, Field>> = {
  deletedAt: { type: 'timestamp' },
  deletedBy: optionalText,
  deletedWith: optionalId,
};

/** Returns the names of the fields that a list shows. */
export const fieldNames = (kind: Kind, isDeleted = false): string[] => [
  ...Object.keys(fieldsOf[kind]),
  ...(isDeleted ? Object.keys(ofDeletion) : []),
];

export const kinds = Object.keys(fieldsOf) as Kind[];

const orderOperators = ['lt', 'lte', 'gt', 'gte'] as const;
const setOperators = ['ne', 'in', 'notIn'] as const;
const comparedByOrder = [...setOperators, ...orderOperators];

/** The operators of each type. Nullable fields also take `isNull`. */
const operatorsOfType = {
  text: [...comparedByOrder, 'startsWith', 'contains'],
  description: [...setOperators, 'startsWith'],
  enumeration: comparedByOrder,
  date: comparedByOrder,
  timestamp: comparedByOrder,
  number: comparedByOrder,
  id: comparedByOrder,
  ids: ['in', 'all', 'isEmpty'],
} as const satisfies Record<FieldType, readonly FilterOperator[]>;

/** Returns the operators of a field; `eq` is the filter without an operator: `field=value`. */
export function operatorsOf(kind: Kind, name: string): FilterOperator[] {
  const { type, default: byDefault } = field(kind, name);
  return ['eq', ...operatorsOfType[type], ...(byDefault === null ? (['isNull'] as const) : [])];
}

export const listOperators: readonly FilterOperator[] = ['in', 'notIn', 'all'];

/** A list that the model has to answer. */
export interface ListRequest {
  readonly kind: Kind;
  /** Whether it lists deleted entities: without a filter of `deletedWith`, the roots of deletions. */
  readonly isDeleted: boolean;
  /** The parent in the path of a nested list. */
  readonly parent?: { readonly field: string; readonly id: string } | undefined;
  readonly filters: readonly Filter[];
  /** Empty for the default order: newest first. */
  readonly sort: readonly SortField[];
  readonly page: number;
  readonly limit: number;
  readonly countBy: readonly string[];
  readonly sumBy: readonly string[];
}

interface List {
  readonly data: readonly Entity[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
  readonly sums?: Readonly<Record<string, number>>;
  readonly counts?: Readonly<Record<string, readonly ValueCount[]>>;
}

export function field(kind: Kind, name: string): Field {
  const found = fieldsOf[kind][name] ?? ofDeletion[name];
  if (!found) throw new Error(`A ${kind} has no field ${name}.`);
  return found;
}

/** The field of the filter of a search. */
export const searchField = '$words';

/** Returns a filter with times in the form in which entities have them. Without an operator, the text must be the same. */
function toPlainFilter(kind: Kind, filter: Filter): Filter {
  if (filter.field === searchField) return filter;
  if (field(kind, filter.field).type !== 'timestamp' || filter.operator === 'eq') return filter;
  return { ...filter, values: filter.values.map((time) => new Date(time).toISOString()) };
}

/** Fields that `countBy` does not take. */
const uncounted = ['id', 'name', 'description', 'createdAt', 'updatedAt', 'deletedAt'];

export const countableFields = (kind: Kind, isDeleted: boolean): string[] =>
  fieldNames(kind, isDeleted).filter(
    (name) => !uncounted.includes(name) && field(kind, name).type !== 'number',
  );

export const summableFields = (kind: Kind): string[] =>
  fieldNames(kind).filter((name) => name !== 'number' && field(kind, name).type === 'number');

export const sortableFields = (kind: Kind, isDeleted: boolean): string[] =>
  fieldNames(kind, isDeleted).filter((name) => field(kind, name).type !== 'ids');

/** Accepts the roots of deletions. */
const isRoot: Filter = { field: 'deletedWith', operator: 'isNull', values: ['true'] };

export function listOf(entities: readonly Entity[], request: ListRequest): List {
  const { kind, isDeleted, parent, filters, sort, page, limit, countBy, sumBy } = request;
  const ofParent: Filter[] = parent ? [{ field: parent.field, operator: 'eq', values: [parent.id] }] : [];
  const otherwise = isDeleted && !filters.some(({ field: name }) => name === isRoot.field) ? [isRoot] : [];
  const {
    entities: data,
    total,
    counts,
    sums,
  } = plainList(
    entities,
    listQuery({
      filters: [...filters.map((filter) => toPlainFilter(kind, filter)), ...ofParent, ...otherwise],
      sort: sort.length > 0 ? sort : sortedBy(isDeleted ? 'deletedAt' : 'createdAt', 'desc'),
      countBy,
      sumBy: sumBy.map((name) => ({ field: name, decimals: 2 })),
      ranks,
      page,
      limit,
    }),
  );
  const totalPages = Math.ceil(total / limit);
  return {
    data,
    total,
    page,
    totalPages,
    ...(countBy.length > 0 && { counts }),
    ...(sumBy.length > 0 && { sums }),
  };
}
