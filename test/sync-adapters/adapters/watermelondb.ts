import type { Database } from '@nozbe/watermelondb';
import { synchronize } from '@nozbe/watermelondb/sync';
import {
  type Client,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

const cursorName = 'tasks.cursor';

const toRecord = ({ id, name, status, projectId, version }: Versioned<Task>) => ({
  id,
  name,
  status,
  projectId,
  version,
});

type Changes = Readonly<Record<'created' | 'updated', readonly ReturnType<typeof toRecord>[]>> & {
  readonly deleted: readonly string[];
};

/** Makes the table `tasks` of a database of WatermelonDB equal to a list, after it has sent what was created, changed and deleted in it. */
export async function syncTasks(client: Client, database: Database, filters: TaskFilters): Promise<void> {
  let cursor = await database.localStorage.get<string>(cursorName);
  const pull = async () => {
    const updated = new Map<string, object>();
    const deleted = new Set<string>();
    for (let hasMore = true; hasMore; ) {
      const page = await client.tasks.changes({ ...filters, since: cursor });
      for (const task of page.data) updated.set(task.id, toRecord(task));
      for (const { id } of page.data) deleted.delete(id);
      for (const id of page.removed) deleted.add(id);
      for (const id of page.removed) updated.delete(id);
      ({ cursor, hasMore } = page);
    }
    return {
      changes: { tasks: { created: [], updated: [...updated.values()], deleted: [...deleted] } },
      timestamp: Date.now(),
    };
  };
  const push = async ({ changes }: { changes: object }) => {
    const { created, updated, deleted } = (changes as { tasks: Changes }).tasks;
    for (const { id, name, status, projectId } of created)
      await client.tasks.create({ id, name, status, projectId }).catch((error: unknown) => {
        // An earlier call has created it, and its response was lost. The next pull has it.
        if (!isProblem(error, 'version-mismatch')) throw error;
      });
    for (const { id, name, status, projectId, version } of updated)
      await client.tasks.update({ id, version }, { name, status, projectId });
    for (const id of deleted)
      await client.tasks.delete(id).catch((error: unknown) => {
        if (!isProblem(error, 'not-found')) throw error;
      });
  };
  try {
    await synchronize({
      database,
      sendCreatedAsUpdated: true,
      pullChanges: pull as never,
      pushChanges: push as never,
    });
  } catch (error) {
    // The next pull has the change of somebody else. WatermelonDB keeps the columns that were changed here, and sends them again.
    if (!isProblem(error, 'version-mismatch') && !isProblem(error, 'not-found')) throw error;
    await database.localStorage.set(cursorName, cursor);
    return syncTasks(client, database, filters);
  }
  await database.localStorage.set(cursorName, cursor);
}
