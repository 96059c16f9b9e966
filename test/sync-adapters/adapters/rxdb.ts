import type { RxCollection } from 'rxdb';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import {
  type Client,
  etagOf,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

export type TaskDocument = Task & { readonly etag: string };

const toDocument = (task: Versioned<Task>): TaskDocument => ({ ...task, etag: etagOf(task) });

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is changed in it. */
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
        const changed = page.data.map((task) => ({ ...toDocument(task), _deleted: false }));
        return { documents: [...changed, ...removed], checkpoint: { cursor: page.cursor } };
      },
    },
    push: {
      handler: async (rows) => {
        const conflicts = [];
        for (const {
          newDocumentState: { id, name, status },
          assumedMasterState,
        } of rows) {
          const operation = {
            operation: 'update',
            id,
            ifMatch: assumedMasterState?.etag,
            body: { name, status },
          } as const;
          try {
            await client.tasks.batch([operation]);
          } catch (error) {
            if (!isProblem(error, 'version-mismatch')) throw error;
            // RxDB resolves the conflict, by default for the service, and sends the result.
            conflicts.push({ ...toDocument(await client.tasks.get(id)), _deleted: false });
          }
        }
        return conflicts;
      },
    },
  });
