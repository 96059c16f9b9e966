import type { RxCollection } from 'rxdb';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import { type Client, Replica, type Task, type TaskFilters, type Versioned } from '../../../client/index.ts';

/** A task that was created here has no version yet. Its id is from `newId`. */
export type TaskDocument = Versioned<Task>;

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function replicateTasks(client: Client, collection: RxCollection<TaskDocument>, filters: TaskFilters) {
  const replica = new Replica(client.tasks, filters);
  /** The tasks of pages that RxDB can be storing still. */
  const given = new Map<string, TaskDocument>();
  return replicateRxCollection<TaskDocument, { cursor: string }>({
    collection,
    replicationIdentifier: `tasks ${JSON.stringify(filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint) => {
        for (let since = checkpoint?.cursor; ; ) {
          const { data, removed, cursor, hasMore } = await replica.changes(since);
          for (const task of data) given.set(task.id, task);
          // RxDB wants the fields of a task also when it is removed.
          const known = await collection.findByIds([...removed]).exec();
          const gone = removed.flatMap((id) => known.get(id)?.toMutableJSON() ?? given.get(id) ?? []);
          const documents = [...data, ...gone].map((task, position) => ({
            ...task,
            _deleted: position >= data.length,
          }));
          if (documents.length === 0 && !hasMore) given.clear();
          if (documents.length > 0 || !hasMore) return { documents, checkpoint: { cursor } };
          since = cursor;
        }
      },
    },
    push: {
      handler: async (rows) => {
        const changes = rows.map(({ newDocumentState: { _deleted, ...task }, assumedMasterState }) => ({
          before: assumedMasterState,
          after: _deleted ? undefined : task,
        }));
        const conflicts = await replica.write(changes);
        return conflicts.map(({ before, after, current }) => ({
          ...((current ?? after ?? before) as TaskDocument),
          _deleted: !current,
        }));
      },
    },
  });
}
