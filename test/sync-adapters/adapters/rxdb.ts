import type { RxCollection, RxReplicationWriteToMasterRow, WithDeleted } from 'rxdb';
import { replicateRxCollection } from 'rxdb/plugins/replication';
import {
  type Client,
  isProblem,
  type Task,
  type TaskFilters,
  type Versioned,
} from '../../../client/index.ts';

/** A task that was created here has no version yet. Its id is from `newId`. */
export type TaskDocument = Versioned<Task>;

/** Keeps a collection of RxDB equal to a list of tasks, and sends what is created, changed and deleted in it. */
export function replicateTasks(client: Client, collection: RxCollection<TaskDocument>, filters: TaskFilters) {
  /** The version that a write from here has made, by the version before; by the id for a task that was created here. */
  const successors = new Map<string, TaskDocument['version']>();
  /** Returns what a write must require: RxDB may not have read the result of the write before it. */
  const targetOf = ({ id, version }: TaskDocument) => {
    let latest: string = version ?? id;
    for (let next = successors.get(latest); next; next = successors.get(latest)) latest = next;
    return { id, version: latest };
  };
  const send = async (task: TaskDocument, isDeleted: boolean, before: TaskDocument | undefined) => {
    const target = before && targetOf(before);
    if (target && isDeleted) await client.tasks.delete(target);
    else if (target) successors.set(target.version, (await client.tasks.update(target, task)).version);
    else if (!isDeleted) successors.set(task.id, (await client.tasks.create(task)).version);
  };
  const sendAll = async (rows: RxReplicationWriteToMasterRow<TaskDocument>[]) => {
    const conflicts: WithDeleted<TaskDocument>[] = [];
    for (const { newDocumentState, assumedMasterState } of rows) {
      const { _deleted, ...task } = newDocumentState;
      try {
        await send(task, _deleted, assumedMasterState);
      } catch (error) {
        // Somebody else was faster, or an earlier call has created the task and its response was lost. RxDB resolves the conflict, by
        // default for the service, and sends the result.
        if (!isProblem(error, 'version-mismatch') && !isProblem(error, 'not-found')) throw error;
        const [current] = (await client.tasks.list({ ...filters, id: task.id })).data;
        conflicts.push({ ...(current ?? task), _deleted: !current });
      }
    }
    return conflicts;
  };
  let sending: Promise<unknown> = Promise.resolve();
  /** Reads changes while no write from here is on its way: RxDB drops those of a task that it sends. */
  const read = async (since: string | undefined) => {
    for (;;) {
      const before = sending;
      await before;
      const page = await client.tasks.changes({ ...filters, since });
      if (before === sending) return page;
    }
  };
  /** The last checkpoint of RxDB, and where the empty pages after it end: RxDB does not store their cursors. */
  let last: { stored?: string; cursor?: string } = {};
  /** The tasks of pages that RxDB can be storing still. */
  const given = new Map<string, TaskDocument>();
  return replicateRxCollection<TaskDocument, { cursor: string }>({
    collection,
    replicationIdentifier: `tasks ${JSON.stringify(filters)}`,
    pull: {
      // RxDB asks again until a page is empty.
      batchSize: 1,
      handler: async (checkpoint) => {
        const stored = checkpoint?.cursor;
        if (stored !== last.stored) last = { stored, cursor: stored };
        for (;;) {
          const { data, removed, cursor, hasMore } = await read(last.cursor);
          for (const task of data) given.set(task.id, task);
          // RxDB wants the fields of a task also when it is removed.
          const known = await collection.findByIds([...removed]).exec();
          const gone = removed.flatMap((id) => known.get(id)?.toJSON() ?? given.get(id) ?? []);
          const documents = [
            ...data.map((task) => ({ ...task, _deleted: false })),
            ...gone.map((task) => ({ ...task, _deleted: true })),
          ];
          if (documents.length > 0) return { documents: documents as never, checkpoint: { cursor } };
          last.cursor = cursor;
          if (hasMore) continue;
          given.clear();
          return { documents: [], checkpoint: { cursor } };
        }
      },
    },
    push: {
      handler: (rows) => {
        const sent = sendAll(rows);
        sending = Promise.allSettled([sending, sent]);
        return sent;
      },
    },
  });
}
