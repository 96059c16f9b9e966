import type { RxCollection } from 'rxdb';
import { type RxReplicationState, replicateRxCollection } from 'rxdb/plugins/replication';
import type { Replication, Task, TaskTypes, Versioned } from '../../../client/index.ts';

/** A task that was created here has no version yet. Its id is from `newId`. */
export type TaskDocument = Versioned<Task>;

type Tasks = RxReplicationState<TaskDocument, { cursor: string }>;

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function replicateTasks(replication: Replication<TaskTypes>, collection: RxCollection<TaskDocument>) {
  const ids = async () => (await collection.find().exec()).flatMap(({ id, version }) => (version ? id : []));
  /** The tasks of pages that RxDB is storing still. */
  const given = new Map<string, TaskDocument>();
  const state: Tasks = replicateRxCollection<TaskDocument, { cursor: string }>({
    collection,
    replicationIdentifier: `tasks ${JSON.stringify(replication.filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint) => {
        for (let since = checkpoint?.cursor; ; ) {
          // RxDB drops what a page has of a task that it is sending.
          await state.internalReplicationState?.streamQueue.up;
          const { data, removed, cursor, hasMore } = await replication.pull(since, { ids });
          // RxDB wants the fields of a task also when it is removed.
          const known = await collection.findByIds([...given.keys(), ...removed]).exec();
          for (const id of known.keys()) given.delete(id);
          const gone = removed.flatMap((id) => known.get(id)?.toMutableJSON() ?? given.get(id) ?? []);
          for (const task of data) given.set(task.id, task);
          const documents = [...data, ...gone].map((task, position) => ({
            ...task,
            _deleted: position >= data.length,
          }));
          if (documents.length > 0 || !hasMore) return { documents, checkpoint: { cursor } };
          since = cursor;
        }
      },
    },
    push: {
      handler: async (rows) => {
        const results = await replication.push(
          rows.map(({ assumedMasterState: before, newDocumentState: after }) => ({ before, after })),
        );
        return rows.flatMap(({ newDocumentState }, position) => {
          const { current, isUnchanged } = results[position] ?? {};
          return isUnchanged ? { ...(current ?? newDocumentState), _deleted: !current } : [];
        });
      },
    },
  });
  return state;
}
