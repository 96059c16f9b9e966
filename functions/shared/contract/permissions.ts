/**
 * What operations do to the table. The role of an operation's function has these permissions and no others. They follow from how
 * entities are stored, from the references between kinds, and from the query plans of lists.
 */
import { reachableIndexes } from '../store/lists/query-plan.ts';
import { dependentsOf, type Kind, type Relation, referencesOf, relations } from '../store/model/relations.ts';
import type { IndexFamily, IndexName } from '../store/model/table.ts';

/** The permissions of an operation. */
export interface Access {
  /** Actions on the table. */
  readonly actions: readonly (
    | 'GetItem'
    | 'BatchGetItem'
    | 'Query'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
  )[];
  /** Indexes that it queries besides. */
  readonly indexes?: readonly IndexName[];
}

/** Every write reads the entity or a recorded result, and reads and updates counters. */
const countedWrite = ['GetItem', 'Query', 'UpdateItem'] as const;

/** Returns the permissions to create, replace or update an entity, and to read the entities that it refers to. */
export const writeAccess = (kind: Kind): Access => ({
  actions: [
    ...countedWrite,
    'PutItem',
    ...(referencesOf(kind).length > 0 ? (['BatchGetItem'] as const) : []),
  ],
});

/** Returns the permissions of an action on an entity and on its children, which it finds in an index. */
export const childrenAccess = (family: IndexFamily): Access => ({
  actions: [...countedWrite, 'PutItem'],
  indexes: [family],
});

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** Returns the index by which children are found. */
const childrenIndex = ({ index }: Relation): IndexFamily => index ?? 'all';

/** Returns the indexes by which the descendants of an entity are found that its deletion changes. */
const descendantIndexes = (kind: Kind): IndexName[] =>
  dependentsOf(kind).flatMap((relation) => [
    childrenIndex(relation),
    ...(relation.onDelete === 'cascade' ? descendantIndexes(relation.child) : []),
  ]);

/** Returns the permissions to delete an entity and its descendants, or to begin the job that does. */
export const removeAccess = (kind: Kind): Access => ({
  actions: [...countedWrite, 'DeleteItem', ...(dependentsOf(kind).length > 0 ? (['PutItem'] as const) : [])],
  indexes: distinct(descendantIndexes(kind)),
});

/** Returns the permissions of a list: the indexes of all its query plans. */
export const listAccess = (kind: Kind, nestedBy?: string): Access => ({
  actions: ['BatchGetItem', 'Query'],
  indexes: reachableIndexes(kind, nestedBy),
});

/** The permissions of the functions that continue jobs. */
export const jobsAccess: Access = {
  actions: [...countedWrite, 'BatchGetItem', 'PutItem', 'DeleteItem'],
  indexes: distinct(relations.map(childrenIndex)),
};
