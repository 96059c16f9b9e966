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
 * Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created, changed and deleted in it.
 * @param interval milliseconds between two reads of changes. One that fails, for example offline, is repeated after the interval.
 */
export function taskCollection(
  client: Client,
  filters: TaskFilters,
  interval = 5_000,
): CollectionConfig<Versioned<Task>, string> {
  /** Reads changes, after those reads that are in progress: a page is never older than the one before. */
  let pull = async (): Promise<void> => undefined;
  /** The version that a write of this collection has made, by the version before; by the id for a task that was created here. */
  const successors = new Map<string, Versioned<Task>['version']>();
  /** Returns what a write must require: a write before it may have made a new version. */
  const targetOf = ({ id, version }: Versioned<Task>) => {
    let latest: string = version ?? id;
    for (let next = successors.get(latest); next; next = successors.get(latest)) latest = next;
    return { id, version: latest };
  };
  let lastWrite = Promise.resolve();
  /** Sends a write after those before it, and reads its result. When it fails, TanStack DB takes the change back. */
  const send = (write: () => Promise<void>): Promise<void> => {
    const sent = lastWrite.then(write).catch((error: unknown) => {
      // The feed brings the version of the service.
      if (!isProblem(error, 'version-mismatch')) throw error;
      throw new Error('Somebody else has changed the task.', { cause: error });
    });
    lastWrite = sent.catch(() => undefined);
    return sent.then(pull);
  };
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
    onInsert: ({ transaction }) =>
      send(async () => {
        for (const { modified } of transaction.mutations) {
          const { version } = await client.tasks.create(modified).catch((error: unknown) => {
            // An earlier call has created it, and its response was lost.
            if (isProblem(error, 'version-mismatch')) return client.tasks.get(modified.id);
            throw error;
          });
          successors.set(modified.id, version);
        }
      }),
    onUpdate: ({ transaction }) =>
      send(async () => {
        for (const { original, changes } of transaction.mutations) {
          const target = targetOf(original);
          successors.set(target.version, (await client.tasks.update(target, changes)).version);
        }
      }),
    onDelete: ({ transaction }) =>
      send(async () => {
        for (const { original } of transaction.mutations)
          await client.tasks.delete(targetOf(original)).catch((error: unknown) => {
            if (!isProblem(error, 'not-found')) throw error;
          });
      }),
  };
}
