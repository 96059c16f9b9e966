import type { CollectionConfig, MutationFnParams } from '@tanstack/db';
import type { Replication, SyncOptions, Task, TaskTypes, Versioned } from '../../../client/index.ts';

/** Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function taskCollection(
  replication: Replication<TaskTypes>,
  options: Pick<SyncOptions, 'interval' | 'onError'> = {},
): CollectionConfig<Versioned<Task>, string> {
  /** Puts tasks of the service into the collection. */
  let apply: ((data: readonly Versioned<Task>[], removed: readonly string[]) => void) | undefined;
  /** Sends changes. TanStack DB takes back what fails. */
  const send = async ({ transaction }: MutationFnParams<Versioned<Task>>) => {
    const results = await replication.push(
      transaction.mutations.map(({ type, original, modified }) => ({
        before: type === 'insert' ? undefined : (original as Versioned<Task>),
        after: type === 'delete' ? undefined : modified,
      })),
    );
    const found = results.flatMap(({ current }) => current ?? []);
    const gone = results.flatMap(({ id, current }) => (current ? [] : id));
    // TanStack DB drops the changes of the app when this ends.
    apply?.(found, gone);
    for (const { error } of results) if (error) throw error;
  };
  return {
    id: `tasks ${JSON.stringify(replication.filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ collection, begin, write, commit, markReady }) => {
        const stop = new AbortController();
        apply = (data, removed) => {
          void begin();
          for (const value of data) write({ type: 'update', value });
          for (const key of removed) write({ type: 'delete', key });
          void commit();
        };
        const follow = async () => {
          const pages = replication.sync({ ...options, signal: stop.signal, ids: () => collection.keys() });
          for await (const { data, removed, isComplete } of pages) {
            apply?.(data, removed);
            if (isComplete) markReady();
          }
        };
        follow().catch((error) => options.onError?.(error));
        return () => {
          apply = undefined;
          stop.abort();
        };
      },
    },
    onInsert: send,
    onUpdate: send,
    onDelete: send,
  };
}
