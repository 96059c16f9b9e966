import { type Database, Q } from '@nozbe/watermelondb';
import { type SyncTableChangeSet, synchronize } from '@nozbe/watermelondb/sync';
import type { Replication, Task, TaskTypes, Versioned } from '../../../client/index.ts';

/** Makes the table `tasks` of a database of WatermelonDB equal to a list, and sends what was created, changed and deleted in it. */
export async function syncTasks(replication: Replication<TaskTypes>, database: Database): Promise<void> {
  const cursorName = `tasks ${JSON.stringify(replication.filters)}`;
  const isKnown = Q.where('version', Q.notEq(null));
  const ids = () => database.get('tasks').query(isKnown).fetchIds();
  let cursor = await database.localStorage.get<string>(cursorName);
  for (let hasMore = true; hasMore; ) {
    await synchronize({
      database,
      sendCreatedAsUpdated: true,
      pullChanges: async () => {
        const { data, removed, ...page } = await replication.pull(cursor, { ids });
        ({ cursor, hasMore } = page);
        const tasks = { created: [], updated: [...data], deleted: [...removed] };
        return { changes: { tasks }, timestamp: Date.now() };
      },
      onDidPullChanges: () => database.localStorage.set(cursorName, cursor),
      // WatermelonDB does not know what was changed in a task since it was created here.
      conflictResolver: (_, local, remote, resolved) =>
        local['_status'] === 'created' ? { ...local, version: remote['version'] } : resolved,
      pushChanges: async ({ changes }) => {
        const rejected: Record<string, string[]> = {};
        for (const [table, { created, updated, deleted }] of Object.entries<SyncTableChangeSet>(changes)) {
          const gone = deleted.map((id) => ({ id, _deleted: true }));
          const changed = [...created, ...updated, ...gone] as Versioned<Task>[];
          // WatermelonDB takes what is not rejected for sent, also in other tables.
          rejected[table] = changed.map(({ id }) => id);
          if (table !== 'tasks' || hasMore) continue;
          const results = await replication.push(
            changed.map((after) => ({ before: { id: after.id, version: after.version }, after })),
          );
          rejected[table] = results.flatMap(({ id, error }) => (error ? id : []));
        }
        return { experimentalRejectedIds: rejected };
      },
    });
  }
}
