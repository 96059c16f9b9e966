import { type Database, Q } from '@nozbe/watermelondb';
import { type SyncPushArgs, synchronize } from '@nozbe/watermelondb/sync';
import type { Replication, Task, TaskTypes, Versioned } from '../../../client/index.ts';

type Changed = Record<'created' | 'updated', Versioned<Task>[]> & { deleted: string[] };

const columnsOf = ({ id, name, status, projectId }: Task) => ({ id, name, status, projectId });

const changeOf = (task: Versioned<Task>) => ({
  before: task.version ? { id: task.id, version: task.version } : undefined,
  after: columnsOf(task),
});

/**
 * Returns the function that makes the table `tasks` of a database of WatermelonDB equal to a list, and sends what was created, changed and deleted in
 * it.
 */
export function syncOfTasks(replication: Replication<TaskTypes>, database: Database): () => Promise<void> {
  const cursorName = `tasks ${JSON.stringify(replication.filters)}`;
  const isKnown = Q.where('version', Q.notEq(null));
  const ids = () => database.get('tasks').query(isKnown).fetchIds();
  return async () => {
    let cursor = await database.localStorage.get<string>(cursorName);
    for (let hasMore = true; hasMore; ) {
      await synchronize({
        database,
        sendCreatedAsUpdated: true,
        pullChanges: async () => {
          const page = await replication.pull(cursor, { ids });
          ({ cursor, hasMore } = page);
          const updated = page.data.map((task) => ({ ...columnsOf(task), version: task.version }));
          const tasks = { created: [], updated, deleted: [...page.removed] };
          return { changes: { tasks }, timestamp: Date.now() };
        },
        onDidPullChanges: () => database.localStorage.set(cursorName, cursor),
        // WatermelonDB does not know what was changed in a task since it was created here.
        conflictResolver: (_, local, remote, resolved) =>
          local._status === 'created' ? { ...local, version: remote.version } : resolved,
        pushChanges: async ({ changes }: SyncPushArgs) => {
          const tables = Object.entries(changes as unknown as Record<string, Changed>);
          const rejected: Record<string, string[]> = {};
          for (const [table, { created, updated, deleted }] of tables) {
            const changed = [...created, ...updated];
            rejected[table] = [...changed.map(({ id }) => id), ...deleted];
            if (table !== 'tasks' || hasMore) continue;
            const deletions = deleted.map((id) => ({ before: { id } }));
            const results = await replication.push([...changed.map(changeOf), ...deletions]);
            rejected[table] = results.flatMap(({ id, error }) => (error ? id : []));
          }
          // WatermelonDB takes what is not rejected for sent, also in other tables.
          return { experimentalRejectedIds: rejected };
        },
      });
    }
  };
}
