import type { RxCollection, WithDeleted } from 'rxdb';
import { type RxReplicationState, replicateRxCollection } from 'rxdb/plugins/replication';
import type { Replication, Task, TaskTypes, Versioned } from '../../../client/index.ts';

/** A task that was created here has no version yet. Its id is from `newId`. */
export type TaskDocument = Versioned<Task>;

/** The version of a task that the service has removed from the list. */
const removedVersion = 'removed';

/** What has a version is from the service, also if RxDB does not know it because the app has stopped while it stored a page. */
const pulled = ({ id, version }: TaskDocument) =>
  version ? { id, version, _deleted: version === removedVersion } : undefined;

type Tasks = RxReplicationState<TaskDocument, { cursor: string }>;

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function replicateTasks(replication: Replication<TaskTypes>, collection: RxCollection<TaskDocument>) {
  const ids = async () => (await collection.find().exec()).flatMap(({ id, version }) => (version ? id : []));
  const state: Tasks = replicateRxCollection<TaskDocument, { cursor: string }>({
    collection,
    replicationIdentifier: `tasks ${JSON.stringify(replication.filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint) => {
        // RxDB drops what a page has of a task that it is sending.
        await state.internalReplicationState?.streamQueue.up;
        const { data, removed, cursor } = await replication.pull(checkpoint?.cursor, { ids });
        const changed = data.map((task) => ({ ...task, _deleted: false }));
        // RxDB wants the required fields of a task also when it is removed.
        const gone = { name: '', status: 'archived', version: removedVersion, _deleted: true };
        const documents = [...changed, ...removed.map((id) => ({ ...gone, id }))];
        return { documents: documents as WithDeleted<TaskDocument>[], checkpoint: { cursor } };
      },
    },
    push: {
      handler: async (rows) => {
        const results = await replication.push(
          rows.map(({ assumedMasterState, newDocumentState: after }) => ({
            before: assumedMasterState ?? pulled(after),
            after,
          })),
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
