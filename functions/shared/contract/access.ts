/**
 * What operations do to the table: the role of an operation's function has this and nothing else. It follows from
 * how entities are stored, and from who refers to whom.
 */
import { dependentsOf, type Kind, type Relation, referencesOf, relations } from '../store/model/relations.ts';
import type { IndexFamily, IndexName } from '../store/model/table.ts';

/** What an operation may do; its function's role follows from it. */
export interface Access {
  /** On the table. */
  readonly actions: readonly (
    | 'GetItem'
    | 'BatchGetItem'
    | 'Query'
    | 'PutItem'
    | 'UpdateItem'
    | 'DeleteItem'
  )[];
  /** From which indexes it reads entities, too. */
  readonly indexes?: readonly IndexName[];
}

/** What any write needs: the entity, or the answer under an idempotency key; the listings' blocks and counters. */
const countedWrite = ['GetItem', 'Query', 'UpdateItem'] as const;

/** What creating, replacing or changing an entity needs: it, and what it refers to. */
export const writeAccess = (kind: Kind): Access => ({
  actions: [
    ...countedWrite,
    'PutItem',
    ...(referencesOf(kind).length > 0 ? (['BatchGetItem'] as const) : []),
  ],
});

/** What an action on an entity and its children, which it finds through this relation's index, needs. */
export const childrenAccess = (family: IndexFamily): Access => ({
  actions: [...countedWrite, 'PutItem'],
  indexes: [family],
});

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

/** The index that children are found by. */
const childrenIndex = ({ listing }: Relation): IndexFamily => listing ?? 'all';

/** The indexes that list what hangs on an entity, and what hangs on that, if it goes along. */
const cascadeIndexes = (kind: Kind): IndexName[] =>
  dependentsOf(kind).flatMap((relation) => [
    childrenIndex(relation),
    ...(relation.whenDeleted === 'delete' ? cascadeIndexes(relation.child) : []),
  ]);

/** What deleting an entity needs: it, and what hangs on it, for which it may leave a job. */
export const removeAccess = (kind: Kind): Access => ({
  actions: [...countedWrite, 'DeleteItem', ...(dependentsOf(kind).length > 0 ? (['PutItem'] as const) : [])],
  indexes: distinct(cascadeIndexes(kind)),
});

const familyIndexes = (family: IndexFamily): IndexName[] => [family, `${family}-by-status`];

/**
 * What listing needs: the indexes of the narrowest listings that filters make of it, and their counters. A list that is nested by one reference is narrowed by it, or by another that comes before it; one
 * that is nested by several at once has no index, and is looked through. An id and a name have the whole kind's.
 */
export function listAccess(kind: Kind, nestedBy?: string): Access {
  const listed = referencesOf(kind).flatMap(({ member, listing }) => (listing ? [{ member, listing }] : []));
  const position = listed.findIndex(({ member }) => member === nestedBy);
  const reachable = position < 0 ? listed : listed.slice(0, position + 1);
  return {
    actions: ['BatchGetItem', 'Query'],
    indexes: distinct([
      'all',
      'all-by-name',
      ...(position < 0 ? familyIndexes('all') : []),
      ...reachable.flatMap(({ listing }) => familyIndexes(listing)),
    ]),
  };
}

/** What jobs need: they find what hangs on an entity, or what is due, and change, copy or delete it. */
export const jobsAccess: Access = {
  actions: [...countedWrite, 'BatchGetItem', 'PutItem', 'DeleteItem'],
  indexes: distinct(relations.map(childrenIndex)),
};
