import type { Database } from '@nozbe/watermelondb';
import { type SyncPushArgs, synchronize } from '@nozbe/watermelondb/sync';
import { type Client, Replica, type Task, type TaskFilters, type Versioned } from '../../../client/index.ts';

interface Changed {
  readonly created: readonly Versioned<Task>[];
  readonly updated: readonly Versioned<Task>[];
  readonly deleted: readonly string[];
}

const columnsOf = ({ id, name, status, projectId }: Task) => ({ id, name, status, projectId });

/** Makes the table `tasks` of a database of WatermelonDB equal to a list, and sends what was created, changed and deleted in it. */
export async function syncTasks(client: Client, database: Database, filters: TaskFilters): Promise<void> {
  const replica = new Replica(client.tasks, filters);
  for (let hasMore = true; hasMore; ) {
    let cursor = await database.localStorage.get<string>('tasks.cursor');
    await synchronize({
      database,
      sendCreatedAsUpdated: true,
      pullChanges: async () => {
        const page = await replica.changes(cursor);
        ({ cursor, hasMore } = page);
        const updated = page.data.map((task) => ({ ...columnsOf(task), version: task.version }));
        const deleted = [...page.removed];
        return { changes: { tasks: { created: [], updated, deleted } }, timestamp: Date.now() };
      },
      pushChanges: async ({ changes }: SyncPushArgs) => {
        const { created, updated, deleted } = (changes as unknown as { tasks: Changed }).tasks;
        const conflicts = await replica.write([
          ...created.map((task) => ({ after: columnsOf(task) })),
          ...updated.map((task) => ({
            before: { id: task.id, version: task.version },
            after: columnsOf(task),
          })),
          ...deleted.map((id) => ({ before: { id } })),
        ]);
        // WatermelonDB keeps these changes, and sends them again when the next page has brought the task of somebody else.
        const rejected = conflicts.filter(({ isDone }) => !isDone).map(({ id }) => id);
        return { experimentalRejectedIds: { tasks: rejected } };
      },
    });
    await database.localStorage.set('tasks.cursor', cursor);
  }
}
