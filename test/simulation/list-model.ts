/**
 * An in-memory model of the service: its entities, what a deletion does to others, and what docs/interface.md says about lists and
 * expansions. The plain list filters, sorts and counts. It shares no code with the service.
 */
import type { Filter, FilterOperator, SortField, ValueCount } from '#functions/engine/model/list-query.ts';
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

export interface Field {
  readonly type: FieldType;
  /** The value when a body leaves the field out. Fields without it are required or read-only. */
  readonly default?: Value;
  readonly isReadOnly?: boolean;
  readonly refersTo?: Kind;
  /** What happens to the entity when the entity that the field names is deleted. */
  readonly onDelete?: 'cascade' | 'set null';
}

const id: Field = { type: 'id', isReadOnly: true };
const timestamp: Field = { type: 'timestamp', isReadOnly: true };
const common = {
  id,
  name: { type: 'text' },
  status: { type: 'text', default: 'active' },
  createdAt: timestamp,
  updatedAt: timestamp,
} as const satisfies Record<string, Field>;
const description: Field = { type: 'description', default: '' };
const date: Field = { type: 'date', default: null };
const optionalOrganization: Field = {
  type: 'id',
  default: null,
  refersTo: 'organization',
  onDelete: 'set null',
};

export const fieldsOf: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  organization: { ...common, description },
  project: {
    ...common,
    organizationId: { type: 'id', refersTo: 'organization', onDelete: 'cascade' },
    description,
    startDate: date,
    dueDate: date,
  },
  user: {
    ...common,
    email: { type: 'text', default: null },
    organizationId: optionalOrganization,
    subject: { type: 'text', default: null },
  },
  task: {
    ...common,
    description,
    priority: { type: 'enumeration', default: 'none' },
    projectId: { type: 'id', default: null, refersTo: 'project', onDelete: 'cascade' },
    parentId: { type: 'id', default: null, refersTo: 'task', onDelete: 'cascade' },
    userId: { type: 'id', default: null, refersTo: 'user', onDelete: 'set null' },
    dueDate: date,
    tagIds: { type: 'ids', default: [], refersTo: 'tag', onDelete: 'set null' },
    position: { type: 'text', default: null },
    estimate: { type: 'number', default: null },
  },
  tag: {
    ...common,
    color: { type: 'text', default: '#808080' },
    description,
    organizationId: optionalOrganization,
  },
};

export const kinds = Object.keys(fieldsOf) as Kind[];

/** The values of `priority` in the order of their ranks. */
export const priorities: readonly string[] = ranks.priority;

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
  /** The parent in the path of a nested list. */
  readonly parent?: { readonly field: string; readonly id: string } | undefined;
  readonly filters: readonly Filter[];
  /** Empty for the default order: newest first. */
  readonly sort: readonly SortField[];
  readonly page: number;
  readonly limit: number;
  /** All fields when it is missing. */
  readonly fields?: readonly string[] | undefined;
  readonly expand: readonly string[];
  readonly countBy: readonly string[];
  readonly sumBy: readonly string[];
}

interface List {
  readonly data: readonly object[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
  readonly sums?: Readonly<Record<string, number>>;
  readonly counts?: Readonly<Record<string, readonly ValueCount[]>>;
}

function field(kind: Kind, name: string): Field {
  const found = fieldsOf[kind][name];
  if (!found) throw new Error(`A ${kind} has no field ${name}.`);
  return found;
}

/** Returns a filter with times in the form in which entities have them. Without an operator, the text must be the same. */
function toPlainFilter(kind: Kind, filter: Filter): Filter {
  if (field(kind, filter.field).type !== 'timestamp' || filter.operator === 'eq') return filter;
  return { ...filter, values: filter.values.map((time) => new Date(time).toISOString()) };
}

/** Fields that `countBy` does not take. */
const uncounted = ['id', 'name', 'description', 'createdAt', 'updatedAt'];

export const countableFields = (kind: Kind): string[] =>
  Object.entries(fieldsOf[kind]).flatMap(([name, { type }]) =>
    uncounted.includes(name) || type === 'number' ? [] : [name],
  );

export const summableFields = (kind: Kind): string[] =>
  Object.entries(fieldsOf[kind]).flatMap(([name, { type }]) => (type === 'number' ? [name] : []));

export const sortableFields = (kind: Kind): string[] =>
  Object.entries(fieldsOf[kind]).flatMap(([name, { type }]) => (type === 'ids' ? [] : [name]));

type Shown = Readonly<Record<string, unknown>>;

/** Returns what `expand` takes, with the fields that name the entities: `project` for `projectId`, `tags` for `tagIds`. */
export const expansionsOf = (kind: Kind): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf[kind]).flatMap(([name, { refersTo, type }]) =>
      refersTo ? [[type === 'ids' ? `${refersTo}s` : name.replace(/Id$/, ''), name]] : [],
    ),
  );

export class ListModel {
  readonly #entities: Readonly<Record<Kind, Map<string, Entity>>> = {
    organization: new Map(),
    project: new Map(),
    user: new Map(),
    task: new Map(),
    tag: new Map(),
  };

  all(kind: Kind): Entity[] {
    return [...this.#entities[kind].values()];
  }

  put(kind: Kind, entity: Entity): void {
    this.#entities[kind].set(entity.id, entity);
  }

  get(kind: Kind, entityId: string): Entity | undefined {
    return this.#entities[kind].get(entityId);
  }

  /**
   * Deletes an entity and what belongs to it, and removes the references to it.
   * @returns the entities that lost a reference. Only the service knows their new `updatedAt`.
   */
  remove(kind: Kind, entityId: string): { kind: Kind; id: string }[] {
    this.#entities[kind].delete(entityId);
    return kinds.flatMap((childKind) =>
      Object.entries(fieldsOf[childKind]).flatMap(([name, { refersTo, onDelete }]) => {
        if (refersTo !== kind) return [];
        const children = this.all(childKind).filter((child) => [child[name]].flat().includes(entityId));
        if (onDelete === 'cascade') return children.flatMap((child) => this.remove(childKind, child.id));
        for (const child of children) {
          const value = child[name];
          const rest = Array.isArray(value) ? value.filter((one) => one !== entityId) : null;
          this.put(childKind, { ...child, [name]: rest });
        }
        return children.map((child) => ({ kind: childKind, id: child.id }));
      }),
    );
  }

  list(request: ListRequest): List {
    const { kind, parent, filters, sort, page, limit, countBy, sumBy } = request;
    const ofParent: Filter[] = parent ? [{ field: parent.field, operator: 'eq', values: [parent.id] }] : [];
    const { entities, total, counts, sums } = plainList(this.all(kind), {
      filters: [...filters.map((filter) => toPlainFilter(kind, filter)), ...ofParent],
      sort: sort.length > 0 ? sort : [{ field: 'createdAt', direction: 'desc' }],
      countBy,
      sumBy: sumBy.map((name) => ({ field: name, decimals: 2 })),
      ranks,
      page,
      limit,
      withTexts: true,
    });
    return {
      data: entities.map((entity) => this.#shown(request, entity)),
      total,
      page,
      totalPages: Math.ceil(total / limit),
      ...(countBy.length > 0 && { counts }),
      ...(sumBy.length > 0 && { sums }),
    };
  }

  #shown({ kind, fields, expand }: ListRequest, entity: Entity): object {
    const selected = fields && ['id', ...fields];
    const entries = Object.entries(entity).filter(([name]) => !selected || selected.includes(name));
    return { ...Object.fromEntries(entries), ...this.expanded(kind, entity, expand) };
  }

  /** Returns the entities that the references name, without their descriptions: one or null for one id, and all in the order of the ids for several. */
  expanded(kind: Kind, entity: Entity, expand: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(
      expand.map((expansion) => {
        const name = expansionsOf(kind)[expansion] ?? '';
        const { refersTo = kind } = field(kind, name);
        const value = entity[name] ?? null;
        const find = (one: string): Shown | null => {
          const { description: _, ...shown }: Shown = this.get(refersTo, one) ?? {};
          return 'id' in shown ? shown : null;
        };
        if (typeof value === 'string') return [expansion, find(value)];
        return [expansion, Array.isArray(value) ? value.map(find).filter((one) => one !== null) : null];
      }),
    );
  }
}
