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

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created and changed in it. */
export const replicateTasks = (
  client: Client,
  collection: RxCollection<TaskDocument>,
  filters: TaskFilters,
) =>
  replicateRxCollection<TaskDocument, { cursor: string }>({
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
          const { id, name, status } = task;
          try {
            if (assumedMasterState) await client.tasks.update(assumedMasterState, { name, status });
            else await client.tasks.create(task);
          } catch (error) {
            // Somebody else was faster, or an earlier call has created the task and its response was lost. RxDB resolves the conflict, by
            // default for the service, and sends the result.
            if (isProblem(error, 'version-mismatch'))
              conflicts.push({ ...(await client.tasks.get(id)), _deleted: false });
            else if (isProblem(error, 'not-found')) conflicts.push({ ...newDocumentState, _deleted: true });
            else throw error;
          }
        }
        return conflicts;
      },
    },
  });
