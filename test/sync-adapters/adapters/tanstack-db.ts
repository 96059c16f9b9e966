import type { CollectionConfig } from '@tanstack/db';
import {
  type ChangesPage,
  type Client,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

/** Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is changed in it. */
export function taskCollection(
  client: Client,
  filters: TaskFilters,
  interval?: number,
): CollectionConfig<Versioned<Task>, string> {
  return {
    id: `tasks ${JSON.stringify(filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ begin, write, commit, truncate, markReady }) => {
        const stop = new AbortController();
        const known = new Set<string>();
        const put = (value: Versioned<Task>): void => {
          write({ type: known.has(value.id) ? 'update' : 'insert', value });
          known.add(value.id);
        };
        const remove = (key: string): void => {
          if (known.delete(key)) write({ type: 'delete', key });
        };
        const apply = ({ data, removed }: ChangesPage<Versioned<Task>>): void => {
          void begin();
          for (const task of data) put(task);
          for (const id of removed) remove(id);
          void commit();
        };
        const follow = async (): Promise<void> => {
          for await (const page of client.tasks.sync(filters, { signal: stop.signal, interval })) {
            apply(page);
            if (!page.hasMore) markReady();
          }
        };
        /** Begins again when the cursor is too old. */
        const restart = (error: unknown): Promise<void> => {
          if (!isProblem(error, 'cursor-expired')) throw error;
          void begin();
          truncate();
          void commit();
          known.clear();
          return follow().catch(restart);
        };
        void follow().catch(restart);
        return () => stop.abort();
      },
    },
    onUpdate: async ({ transaction }) => {
      for (const { original, changes } of transaction.mutations) {
        const { name, status } = changes;
        try {
          await client.tasks.update(original, { name, status });
        } catch (error) {
          // TanStack DB takes the change back. The feed brings the version of the service.
          if (isProblem(error, 'version-mismatch'))
            throw new Error('Somebody else has changed the task.', { cause: error });
          throw error;
        }
      }
    },
  };
}
