/**
 * An in-memory model of the lists: what docs/interface.md says about filters, order, pages, counts and expansions, written
 * for clarity. It shares no code with the service.
 */

export type Kind = 'organization' | 'project' | 'user' | 'task' | 'tag';

export type Value = string | null | readonly string[];

export interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: Value;
}

/** The type of a field decides which operators it takes and how its values compare. */
export type FieldType = 'text' | 'description' | 'enumeration' | 'date' | 'timestamp' | 'id' | 'ids';

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
  user: { ...common, email: { type: 'text', default: null }, organizationId: optionalOrganization },
  task: {
    ...common,
    description,
    priority: { type: 'enumeration', default: 'none' },
    projectId: { type: 'id', default: null, refersTo: 'project', onDelete: 'cascade' },
    userId: { type: 'id', default: null, refersTo: 'user', onDelete: 'set null' },
    dueDate: date,
    tagIds: { type: 'ids', default: [], refersTo: 'tag', onDelete: 'set null' },
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
export const priorities = ['none', 'low', 'medium', 'high', 'urgent'];

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
  id: comparedByOrder,
  ids: ['in', 'all', 'isEmpty'],
} as const satisfies Record<FieldType, readonly string[]>;

/** `equals` is the filter without an operator: `field=value`. */
export type Operator = 'equals' | 'isNull' | (typeof operatorsOfType)[FieldType][number];

export function operatorsOf(kind: Kind, name: string): Operator[] {
  const { type, default: byDefault } = field(kind, name);
  return ['equals', ...operatorsOfType[type], ...(byDefault === null ? (['isNull'] as const) : [])];
}

export const listOperators: readonly Operator[] = ['in', 'notIn', 'all'];

export interface Filter {
  readonly field: string;
  readonly operator: Operator;
  /** One value, unless the operator takes several. */
  readonly values: readonly string[];
}

export type Direction = 'asc' | 'desc';

interface SortField {
  readonly field: string;
  readonly direction: Direction;
}

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
}

interface Count {
  readonly value: string | null;
  readonly count: number;
}

interface List {
  readonly data: readonly object[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
  readonly counts?: Readonly<Record<string, readonly Count[]>>;
}

function field(kind: Kind, name: string): Field {
  const found = fieldsOf[kind][name];
  if (!found) throw new Error(`A ${kind} has no field ${name}.`);
  return found;
}

/** Compares by Unicode code point, which is the order of UTF-8 bytes. */
const compareText = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

function compareValues(type: FieldType, one: string, other: string): number {
  if (type === 'enumeration') return priorities.indexOf(one) - priorities.indexOf(other);
  if (type === 'timestamp') return Date.parse(one) - Date.parse(other);
  return compareText(one, other);
}

/** Compares two values in the order of lists: null is the lowest. */
function compareNullable(type: FieldType, one: string | null, other: string | null): number {
  if (one === null || other === null) return Number(one !== null) - Number(other !== null);
  return compareValues(type, one, other);
}

const isSame = (type: FieldType, value: string | null, operand: string): boolean =>
  value !== null && (type === 'timestamp' ? Date.parse(value) === Date.parse(operand) : value === operand);

function matchesIds(value: readonly string[], { operator, values }: Filter): boolean {
  switch (operator) {
    case 'equals':
    case 'in':
      return values.some((one) => value.includes(one));
    case 'all':
      return values.every((one) => value.includes(one));
    case 'isEmpty':
      return (value.length === 0) === (values[0] === 'true');
    default:
      throw new Error(`An array of ids does not take ${operator}.`);
  }
}

/** The operators that null never matches. */
function matchesOrderOrText(type: FieldType, value: string, { operator, values }: Filter): boolean {
  const [operand = ''] = values;
  switch (operator) {
    case 'lt':
      return compareValues(type, value, operand) < 0;
    case 'lte':
      return compareValues(type, value, operand) <= 0;
    case 'gt':
      return compareValues(type, value, operand) > 0;
    case 'gte':
      return compareValues(type, value, operand) >= 0;
    case 'startsWith':
      return value.toLowerCase().startsWith(operand.toLowerCase());
    case 'contains':
      return value.toLowerCase().includes(operand.toLowerCase());
    default:
      throw new Error(`A scalar field does not take ${operator}.`);
  }
}

function matchesScalar(type: FieldType, value: string | null, filter: Filter): boolean {
  const { operator, values } = filter;
  switch (operator) {
    case 'equals':
      // Without an operator, the text must be the same, also for times.
      return value === values[0];
    case 'isNull':
      return (value === null) === (values[0] === 'true');
    case 'in':
      return values.some((operand) => isSame(type, value, operand));
    case 'ne':
    case 'notIn':
      return !values.some((operand) => isSame(type, value, operand));
    default:
      return value !== null && matchesOrderOrText(type, value, filter);
  }
}

function matches(kind: Kind, entity: Entity, filter: Filter): boolean {
  const value = entity[filter.field] ?? null;
  return typeof value === 'object' && value !== null
    ? matchesIds(value, filter)
    : matchesScalar(field(kind, filter.field).type, value, filter);
}

/** Descriptions sort by their first 100 characters. */
const maxSortedCharacters = 100;

function sortValue(kind: Kind, entity: Entity, name: string): string | null {
  const value = entity[name] as string | null;
  const isDescription = field(kind, name).type === 'description' && value !== null;
  return isDescription ? [...value].slice(0, maxSortedCharacters).join('') : value;
}

/** Returns the entities in order: by the sort fields up to `createdAt` or `id`, which decide, or else by `id` in the direction of the first one. */
function sorted(kind: Kind, entities: readonly Entity[], sort: readonly SortField[]): Entity[] {
  const end = sort.findIndex(({ field: name }) => name === 'createdAt' || name === 'id');
  const direction = sort[Math.max(0, end)]?.direction ?? 'desc';
  const order: SortField[] = [...sort.slice(0, end < 0 ? sort.length : end), { field: 'id', direction }];
  return entities.toSorted((one, other) => {
    for (const { field: name, direction } of order) {
      const [first, second] = [sortValue(kind, one, name), sortValue(kind, other, name)];
      const difference = compareNullable(field(kind, name).type, first, second);
      if (difference !== 0) return direction === 'asc' ? difference : -difference;
    }
    return 0;
  });
}

/** The values that `countBy` counts for one field, at most. */
const maxCountedValues = 100;

function countsOf(kind: Kind, entities: readonly Entity[], name: string): Count[] {
  const counts = new Map<string | null, number>();
  for (const entity of entities) {
    for (const value of [entity[name] as string | null | readonly string[]].flat()) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort(
      (one, other) =>
        other.count - one.count || compareNullable(field(kind, name).type, one.value, other.value),
    )
    .slice(0, maxCountedValues);
}

/** Fields that `countBy` does not take. */
const uncounted = ['id', 'name', 'description', 'createdAt', 'updatedAt'];

export const countableFields = (kind: Kind): string[] =>
  Object.keys(fieldsOf[kind]).filter((name) => !uncounted.includes(name));

export const sortableFields = (kind: Kind): string[] =>
  Object.entries(fieldsOf[kind]).flatMap(([name, { type }]) => (type === 'ids' ? [] : [name]));

/** Returns what `expand` takes, with the fields that name the entities: `project` for `projectId`, `tags` for `tagIds`. */
export const expansionsOf = (kind: Kind): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fieldsOf[kind]).flatMap(([name, { refersTo, type }]) =>
      refersTo ? [[type === 'ids' ? `${refersTo}s` : refersTo, name]] : [],
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
    const { kind, parent, filters, sort, page, limit, countBy } = request;
    const all: readonly Filter[] = parent
      ? [...filters, { field: parent.field, operator: 'equals', values: [parent.id] }]
      : filters;
    const matching = this.all(kind).filter((entity) => all.every((filter) => matches(kind, entity, filter)));
    const data = sorted(kind, matching, sort).slice((page - 1) * limit, page * limit);
    return {
      data: data.map((entity) => this.#shown(request, entity)),
      total: matching.length,
      page,
      totalPages: Math.ceil(matching.length / limit),
      ...(countBy.length > 0 && {
        counts: Object.fromEntries(countBy.map((name) => [name, countsOf(kind, matching, name)])),
      }),
    };
  }

  #shown({ kind, fields, expand }: ListRequest, entity: Entity): object {
    const selected = fields && ['id', ...fields];
    const entries = Object.entries(entity).filter(([name]) => !selected || selected.includes(name));
    return { ...Object.fromEntries(entries), ...this.expanded(kind, entity, expand) };
  }

  /** Returns the entities that the references name: one or null for one id, and all in the order of the ids for several. */
  expanded(kind: Kind, entity: Entity, expand: readonly string[]): Record<string, unknown> {
    return Object.fromEntries(
      expand.map((expansion) => {
        const name = expansionsOf(kind)[expansion] ?? '';
        const { refersTo = kind } = field(kind, name);
        const value = entity[name] ?? null;
        const find = (one: string): Entity | null => this.get(refersTo, one) ?? null;
        if (typeof value === 'string') return [expansion, find(value)];
        return [expansion, value?.flatMap((one) => find(one) ?? []) ?? null];
      }),
    );
  }
}
