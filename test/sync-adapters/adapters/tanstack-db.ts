import type { CollectionConfig, MutationFnParams } from '@tanstack/db';
import type { Replication, Task, TaskTypes, Versioned } from '../../../client/index.ts';

/** Returns the options of a collection of TanStack DB that is equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function taskCollection(
  replication: Replication<TaskTypes>,
): CollectionConfig<Versioned<Task>, string> {
  /** Sends changes. TanStack DB takes back what fails. */
  const send = async ({ transaction }: MutationFnParams<Versioned<Task>>) => {
    const results = await replication.push(
      transaction.mutations.map(({ type, original, modified }) => ({
        before: type === 'insert' ? undefined : (original as Versioned<Task>),
        after: type === 'delete' ? undefined : modified,
      })),
    );
    for (const { error } of results) if (error) throw error;
  };
  return {
    id: `tasks ${JSON.stringify(replication.filters)}`,
    getKey: ({ id }) => id,
    sync: {
      rowUpdateMode: 'full',
      sync: ({ collection, begin, write, commit, markReady }) =>
        replication.follow(
          ({ data, removed, hasMore }) => {
            void begin();
            for (const value of data) write({ type: 'update', value });
            for (const key of removed) write({ type: 'delete', key });
            void commit();
            if (!hasMore) markReady();
          },
          { ids: () => collection.keys() },
        ),
    },
    onInsert: send,
    onUpdate: send,
    onDelete: send,
  };
}
