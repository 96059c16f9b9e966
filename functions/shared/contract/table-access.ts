/**
 * What operations do to the table. The role of an operation's function has these permissions and no others. They follow from how
 * entities are stored, from the references between kinds, and from the query plans of lists.
 */
import { reachableIndexes } from '../store/lists/query-plan.ts';
import { longTextField } from '../store/model/long-text.ts';
import { dependentsOf, type Kind, type Relation, referencesOf, relations } from '../store/model/relations.ts';
import type { IndexName } from '../store/model/table.ts';

/** The permissions of an operation. */
export interface Access {
  /** Actions on the table. */
  readonly actions: readonly ('GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'DeleteItem')[];
  /** Indexes that it queries besides. */
  readonly indexes?: readonly IndexName[];
  /** Whether it loads columns of the list engine: its function gets the memory and the processor time for them. */
  readonly usesListEngine?: boolean;
}

/** Every write reads a recorded result, and puts a record of the change log and, at times, the job that compacts the log. */
const writeActions = ['GetItem', 'PutItem'] as const;

/** Returns the permission to read the entities that a kind refers to. */
const referenceActions = (kind: Kind) =>
  referencesOf(kind).length > 0 ? (['BatchGetItem'] as const) : ([] as const);

/** Returns the permissions to read an entity and its long text, one query of its partition, and the entities that it refers to. */
export const readAccess = (kind: Kind): Access => ({ actions: ['Query', ...referenceActions(kind)] });

/** Returns the permissions to create an entity, and to read the entities that it refers to. */
export const createAccess = (kind: Kind): Access => ({
  actions: [...writeActions, ...referenceActions(kind)],
});

/**
 * Returns the permissions to replace or update an entity, and to read the entities that it refers to.
 * A long text is an item of its own, which is deleted when the text becomes short.
 */
export const updateAccess = ({ kind, fields }: { readonly kind: Kind; readonly fields: object }): Access => ({
  actions: [
    ...createAccess(kind).actions,
    'Query',
    ...(longTextField in fields ? (['DeleteItem'] as const) : []),
  ],
});

/** The permissions of an action on an entity and on its children, which the list engine finds. */
export const childrenAccess: Access = {
  actions: [...writeActions, 'Query', 'BatchGetItem'],
  usesListEngine: true,
};

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** Returns the index by which the children of a cascade are found. The list engine finds the other children. */
const childrenIndexes = ({ index, onDelete }: Relation): IndexName[] =>
  index && onDelete === 'cascade' ? [index] : [];

/** Returns the relations of an entity that its deletion follows. */
const descendantRelations = (kind: Kind): Relation[] =>
  dependentsOf(kind).flatMap((relation) => [
    relation,
    ...(relation.onDelete === 'cascade' ? descendantRelations(relation.child) : []),
  ]);

/** Returns the permissions to delete an entity and its descendants, or to begin the job that does. */
export function removeAccess(kind: Kind): Access {
  const descendants = descendantRelations(kind);
  const usesEngine = descendants.some((relation) => childrenIndexes(relation).length === 0);
  return {
    actions: [...writeActions, 'DeleteItem', ...(usesEngine ? (['BatchGetItem', 'Query'] as const) : [])],
    indexes: distinct(descendants.flatMap(childrenIndexes)),
    usesListEngine: usesEngine,
  };
}

/** Returns the permissions to create, update and delete several entities. They are read in batches. */
export function batchAccess({ kind }: { readonly kind: Kind }): Access {
  const { actions, ...others } = removeAccess(kind);
  return { ...others, actions: distinct([...createAccess(kind).actions, 'BatchGetItem', ...actions]) };
}

/** Returns the permissions of a list: the indexes of all its query plans, and the log and the columns of the list engine. */
export const listAccess = (kind: Kind, nestedBy?: string): Access => ({
  actions: ['BatchGetItem', 'Query'],
  indexes: reachableIndexes(kind, nestedBy),
  usesListEngine: true,
});

/** The permissions of the function that continues jobs when the stream reports them. */
export const jobsAccess: Access = {
  actions: [...writeActions, 'BatchGetItem', 'Query', 'DeleteItem'],
  indexes: distinct(relations.flatMap(childrenIndexes)),
  usesListEngine: true,
};

/** The permissions of the function that finds due jobs of all tenants, in the index `all`, and continues them. */
export const scheduleAccess: Access = {
  ...jobsAccess,
  indexes: distinct(['all' as const, ...relations.flatMap(childrenIndexes)]),
};

/** The permissions of the function that compacts logs: it reads and writes the log, its columns and its job. */
export const compactionAccess: Access = {
  actions: ['GetItem', 'Query', 'PutItem', 'BatchGetItem', 'DeleteItem'],
  usesListEngine: true,
};
