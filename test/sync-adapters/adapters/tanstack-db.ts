import type { CollectionConfig, MutationFnParams } from '@tanstack/db';
import { type Client, Replica, type Task, type TaskFilters, type Versioned } from '../../../client/index.ts';

/**
 * Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created, changed and deleted in it.
 * @param interval milliseconds between two reads of changes.
 */
export function taskCollection(
  client: Client,
  filters: TaskFilters,
  interval = 5_000,
): CollectionConfig<Versioned<Task>, string> {
  const replica = new Replica(client.tasks, filters);
  /** Sends changes, and reads their results. When this fails, TanStack DB takes the changes back. */
  const send = async ({ transaction }: MutationFnParams<Versioned<Task>>) => {
    const changes = transaction.mutations.map(({ type, original, modified }) => ({
      before: type === 'insert' ? undefined : (original as Versioned<Task>),
      after: type === 'delete' ? undefined : modified,
    }));
    const conflicts = await replica.write(changes);
    await replica.refresh();
    if (conflicts.some(({ isDone }) => !isDone)) throw new Error('Somebody else has changed the task.');
  };
  return {
    id: `tasks ${JSON.stringify(filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ begin, write, commit, truncate, markReady }) =>
        replica.follow(
          ({ data, removed, isFirst, hasMore }) => {
            void begin();
            if (isFirst) truncate({ markReady: false });
            for (const value of data) write({ type: 'update', value });
            for (const key of removed) write({ type: 'delete', key });
            void commit();
            if (!hasMore) markReady();
          },
          { interval, onError: (error) => console.warn('The tasks are not up to date.', error) },
        ),
    },
    onInsert: send,
    onUpdate: send,
    onDelete: send,
  };
}
