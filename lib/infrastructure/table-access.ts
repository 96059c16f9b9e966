/**
 * What functions do to the table. The role of a function has these permissions and no others. They follow from the contract of its
 * operation, from how entities are stored, and from the references between kinds.
 */
import type { Contract } from '../../functions/contract/contract.ts';
import { longTextField } from '../../functions/contract/fields.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import type { Kind } from '../../functions/engine/model/schema.ts';
import '../../functions/schema.ts';
import { guardOf, ruleOf } from '../../functions/engine/model/access.ts';
import { dependentsOf, referencesOf, treeOf } from '../../functions/engine/model/relations.ts';
import type { IndexName } from '../../functions/engine/model/table.ts';

type Action = 'GetItem' | 'BatchGetItem' | 'Query' | 'PutItem' | 'UpdateItem' | 'DeleteItem';

export interface Access {
  /** Actions on the table. */
  readonly actions: readonly Action[];
  /** Indexes that it queries besides. */
  readonly indexes?: readonly IndexName[];
  /** Whether it loads columns of the list engine: its function gets the memory and the processor time for them. */
  readonly usesListEngine?: boolean;
  /** Whether it reads the registry of logs, which names all tenants. */
  readonly readsRegistry?: boolean;
}

/** Every write takes a position of the change log from its sequencer, and puts its record, or a filler, there. One that finds no sequencer queries the log. */
const logActions = ['UpdateItem', 'PutItem', 'Query'] as const;

/** Most of them also read a recorded result, or an entity without its long text. */
const writeActions = ['GetItem', ...logActions] as const;

const distinct = (actions: readonly Action[]): Action[] => [...new Set(actions)];

const referenceActions = (kind: Kind): readonly Action[] =>
  referencesOf(kind).length > 0 ? ['BatchGetItem'] : [];

/** What a caller sees who may not see all depends on the user: the item of the subject tells who that is. */
const sightActions = (kind: Kind): readonly Action[] =>
  [kind, ...referencesOf(kind).map(({ parent }) => parent)].some(ruleOf) ? ['GetItem'] : [];

const createActions = (kind: Kind): readonly Action[] => [...writeActions, ...referenceActions(kind)];

/** The result of a request that changed nothing is read again. A long text and a unique value are items of their own, which are deleted when the text becomes short, and when the subject changes. */
const updateActions = ({ fields, unique }: Resource): readonly Action[] => [
  ...writeActions,
  'BatchGetItem',
  ...(longTextField in fields || unique ? (['DeleteItem'] as const) : []),
];

/** What begins a job counts the unfinished ones of its tenant. */
const jobIndexes = ['by-status'] as const;

/**
 * The permissions to delete an entity and its descendants, which the list engine finds, or to begin the job that does. Of a user, the item of the
 * subject is deleted. Descendants are projects and tasks, which have long texts.
 */
function removeAccess(resource: Resource): Access {
  const { kind, unique } = resource;
  const usesListEngine = dependentsOf(kind).length > 0;
  const own: readonly Action[] = [...writeActions, ...(unique ? (['DeleteItem'] as const) : [])];
  // Of an entity that is seen through another one, that is read.
  if (!usesListEngine) return { actions: guardOf(kind) ? [...own, 'BatchGetItem'] : own, usesListEngine };
  return { actions: [...own, 'BatchGetItem'], indexes: jobIndexes, usesListEngine };
}

function batchAccess(resource: Resource): Access {
  const { actions, ...others } = removeAccess(resource);
  const { kind } = resource;
  const update: readonly Action[] = updateActions(resource).filter((action) => action === 'DeleteItem');
  return { ...others, actions: distinct([...createActions(kind), 'BatchGetItem', ...update, ...actions]) };
}

/** The permissions to restore an entity, and what its deletion has removed besides, or to begin the job that does. */
function restoreAccess({ kind }: Resource): Access {
  const isAlone = !dependentsOf(kind).some(({ onDelete }) => onDelete === 'cascade');
  const actions = [...writeActions, 'BatchGetItem'] as const;
  return isAlone ? { actions } : { actions, indexes: jobIndexes, usesListEngine: true };
}

/** No index has the entities of a nested list, nor deleted ones. */
const listAccess = ({ nestedBy, success }: Contract): Access => ({
  actions: ['GetItem', 'BatchGetItem', 'Query'],
  indexes: nestedBy === undefined && success !== 'deletedList' ? ['by-creation', 'by-status'] : [],
  usesListEngine: true,
});

/** An action on an entity finds its children by the list engine. */
const actionAccess: Access = {
  actions: [...writeActions, 'BatchGetItem'],
  indexes: jobIndexes,
  usesListEngine: true,
};

export function accessOf(contract: Contract): Access {
  const { success, method, path, resource } = contract;
  if (!resource) return { actions: success === 'health' ? ['GetItem'] : [] };
  const { kind, plural } = resource;
  // The list engine finds what is below an entity that moves.
  const isInTree = treeOf(kind) !== undefined;
  if (path === `/v1/${plural}` && method === 'POST') return { actions: createActions(kind) };
  if (path.endsWith('/restore')) return restoreAccess(resource);
  switch (`${method} ${success}`) {
    case 'GET list':
    case 'GET changes':
    case 'GET deletedList':
      return listAccess(contract);
    case 'GET entity':
      return { actions: ['Query', ...referenceActions(kind), ...sightActions(kind)] };
    case 'GET history':
      return { actions: ['GetItem', 'BatchGetItem'] };
    case 'GET signedInUser':
      return { actions: ['GetItem', 'Query'] };
    case 'PUT entity':
    case 'PATCH entity':
      return { actions: updateActions(resource), usesListEngine: isInTree };
    case 'DELETE deleted':
      return removeAccess(resource);
    case 'POST batch':
      return batchAccess(resource);
    default:
      return actionAccess;
  }
}

/** The permissions of the function that continues jobs when the table's stream reports them. */
export const jobsAccess: Access = {
  actions: [...writeActions, 'BatchGetItem', 'DeleteItem'],
  usesListEngine: true,
};

/** The permissions of the function that finds what is due, of all tenants, and continues it. The index has it. */
export const scheduleAccess: Access = { ...jobsAccess, indexes: ['by-status'], readsRegistry: true };

/** The permissions of the function that compacts logs: it reads and writes the log, its columns and its reminder, and puts its entry into the registry. */
export const compactionAccess: Access = {
  actions: ['GetItem', 'Query', 'PutItem', 'BatchGetItem', 'DeleteItem'],
  usesListEngine: true,
};
