import type { CollectionConfig, MutationFnParams } from '@tanstack/db';
import {
  type Client,
  Replication,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

/**
 * Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created, changed and deleted in it.
 * @param interval milliseconds between two reads of changes.
 */
export function taskCollection(
  client: Client,
  filters: TaskFilters,
  interval = 5_000,
): CollectionConfig<Versioned<Task>, string> {
  const replication = new Replication(client.tasks, filters);
  let show = (_tasks: readonly Versioned<Task>[], _removed: readonly string[]): void => undefined;
  /** Sends changes and shows their results. TanStack DB takes a change back that fails. */
  const send = async ({ transaction }: MutationFnParams<Versioned<Task>>) => {
    const results = await replication.push(
      transaction.mutations.map(({ type, original, modified }) => ({
        before: type === 'insert' ? undefined : (original as Versioned<Task>),
        after: type === 'delete' ? undefined : modified,
      })),
    );
    show(
      results.flatMap(({ current }) => current ?? []),
      results.flatMap(({ id, current }) => (current ? [] : id)),
    );
    for (const { error } of results) if (error) throw error;
  };
  return {
    id: `tasks ${JSON.stringify(filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ collection, begin, write, commit, markReady }) => {
        show = (tasks, removed) => {
          void begin();
          for (const value of tasks) write({ type: 'update', value });
          for (const key of removed) write({ type: 'delete', key });
          void commit();
        };
        return replication.follow(
          ({ data, removed, hasMore }) => {
            show(data, removed);
            if (!hasMore) markReady();
          },
          {
            interval,
            ids: () => collection.keys(),
            onError: (error) => console.warn('The tasks are not up to date.', error),
          },
        );
      },
    },
    onInsert: send,
    onUpdate: send,
    onDelete: send,
  };
}
