import type { RxCollection } from 'rxdb';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import {
  type Client,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

/** A task that was created here has no version yet. Its id is from `newId`. */
export type TaskDocument = Versioned<Task>;

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function replicateTasks(client: Client, collection: RxCollection<TaskDocument>, filters: TaskFilters) {
  /** The version that a write from here has made, by the version before; by the id for a task that was created here. */
  const successors = new Map<string, TaskDocument['version']>();
  /** Returns what a write must require: RxDB may not have read the result of the write before it. */
  const targetOf = ({ id, version }: TaskDocument) => {
    let latest: string = version ?? id;
    for (let next = successors.get(latest); next; next = successors.get(latest)) latest = next;
    return { id, version: latest };
  };
  const send = async (task: TaskDocument, isDeleted: boolean, before: TaskDocument | undefined) => {
    const target = before && targetOf(before);
    if (target && isDeleted) await client.tasks.delete(target);
    else if (target) successors.set(target.version, (await client.tasks.update(target, task)).version);
    else if (!isDeleted) successors.set(task.id, (await client.tasks.create(task)).version);
  };
  return replicateRxCollection<TaskDocument, { cursor: string }>({
    collection,
    replicationIdentifier: `tasks ${JSON.stringify(filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint) => {
        let page = await client.tasks.changes({ ...filters, since: checkpoint?.cursor });
        while (page.hasMore && page.data.length + page.removed.length === 0)
          page = await client.tasks.changes({ ...filters, since: page.cursor });
        const removed = page.removed.map((id) => ({ id, _deleted: true }) as never);
        const changed = page.data.map((task) => ({ ...task, _deleted: false }));
        return { documents: [...changed, ...removed], checkpoint: { cursor: page.cursor } };
      },
    },
    push: {
      handler: async (rows) => {
        const conflicts = [];
        for (const { newDocumentState, assumedMasterState } of rows) {
          const { _deleted, ...task } = newDocumentState;
          try {
            await send(task, _deleted, assumedMasterState);
          } catch (error) {
            // Somebody else was faster, or an earlier call has created the task and its response was lost. RxDB resolves the conflict, by
            // default for the service, and sends the result.
            if (!isProblem(error, 'version-mismatch') && !isProblem(error, 'not-found')) throw error;
            const [current] = (await client.tasks.list({ id: task.id })).data;
            conflicts.push({ ...(current ?? task), _deleted: !current });
          }
        }
        return conflicts;
      },
    },
  });
}
