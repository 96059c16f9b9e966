import type { CollectionConfig } from '@tanstack/db';
import {
  type ChangesPage,
  type Client,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

/**
 * Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created and changed in it.
 * @param interval milliseconds between two reads of changes. One that fails, for example offline, is repeated after the interval.
 */
export function taskCollection(
  client: Client,
  filters: TaskFilters,
  interval = 5_000,
): CollectionConfig<Versioned<Task>, string> {
  /** Reads changes, after those reads that are in progress: a page is never older than the one before. */
  let pull = async (): Promise<void> => undefined;
  return {
    id: `tasks ${JSON.stringify(filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ begin, write, commit, truncate, markReady }) => {
        const stop = new AbortController();
        const { signal } = stop;
        const known = new Set<string>();
        let since: string | undefined;
        const put = (value: Versioned<Task>): void => {
          write({ type: known.has(value.id) ? 'update' : 'insert', value });
          known.add(value.id);
        };
        const remove = (key: string): void => {
          if (known.delete(key)) write({ type: 'delete', key });
        };
        const apply = ({ data, removed, cursor }: ChangesPage<Versioned<Task>>): void => {
          void begin();
          for (const task of data) put(task);
          for (const id of removed) remove(id);
          void commit();
          since = cursor;
        };
        /** Begins again when the cursor is too old. */
        const reset = (): void => {
          void begin();
          truncate();
          void commit();
          known.clear();
          since = undefined;
        };
        const read = async (): Promise<void> => {
          try {
            for (let hasMore = true; hasMore; ) {
              const page = await client.tasks.changes({ ...filters, since }, { signal });
              apply(page);
              ({ hasMore } = page);
            }
            markReady();
          } catch (error) {
            if (isProblem(error, 'cursor-expired')) reset();
            else if (!signal.aborted) console.warn('The tasks are not up to date.', error);
          }
        };
        let last = Promise.resolve();
        pull = () => {
          last = last.then(read);
          return last;
        };
        let timer: ReturnType<typeof setTimeout>;
        const poll = async (): Promise<void> => {
          await pull();
          if (!signal.aborted) timer = setTimeout(poll, interval);
        };
        void poll();
        return () => {
          clearTimeout(timer);
          stop.abort();
        };
      },
    },
    onInsert: async ({ transaction }) => {
      for (const { modified } of transaction.mutations)
        await client.tasks.create(modified).catch((error: unknown) => {
          // An earlier call has created it, and its response was lost.
          if (!isProblem(error, 'version-mismatch')) throw error;
        });
      await pull();
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
      await pull();
    },
  };
}
