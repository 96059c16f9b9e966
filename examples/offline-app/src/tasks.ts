import {
  type Client,
  isProblem,
  type PushResult,
  Replication,
  type Task,
  type TaskTypes,
  type Versioned,
} from 'project-management-client';
import { replicateList, schemas, withFields } from 'project-management-client/rxdb';
import { addRxPlugin, createRxDatabase, type RxCollection, type RxDatabase } from 'rxdb/plugins/core';
import { RxDBLeaderElectionPlugin } from 'rxdb/plugins/leader-election';
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie';
import { filter, firstValueFrom } from 'rxjs';
import { clientFor } from './user.ts';

// Several windows have one copy, and one of them sends and reads.
addRxPlugin(RxDBLeaderElectionPlugin);

const fields = ['name', 'status', 'number'] as const;
export type KnownTask = Pick<Versioned<Task>, 'id' | 'version' | (typeof fields)[number]>;

/** What the windows know besides the copy. It is stored, because a change can be sent, or refused, by another window or after a restart. */
export interface Note {
  readonly id: string;
  /**
   * - `waiting`: the task has a change that may not be sent yet.
   * - `restoring`: the user takes a deletion back. `name` and `status` are those of the task.
   * - `refused`: the service has not applied a change. `name` is the one that the user can choose again.
   * - `kept`: the service has not deleted a task, which the copy gets back.
   * - `error`: sending or reading fails.
   * - `complete`: the first copy is complete.
   */
  readonly kind: 'waiting' | 'restoring' | 'refused' | 'kept' | 'error' | 'complete';
  readonly task?: string;
  readonly name?: string;
  readonly status?: string;
  readonly text?: string;
}

const text = { type: 'string' } as const;
const maxIdLength = 400;
const noteSchema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { ...text, maxLength: maxIdLength },
    kind: text,
    task: text,
    name: text,
    status: text,
    text,
  },
  required: ['id', 'kind'],
} as const;

/** What users read instead of the code of a problem. */
const reasons: Readonly<Record<string, string>> = {
  'version-mismatch': 'Somebody else has changed the task.',
  'not-found': 'Somebody else has deleted the task.',
};

/** Reads and writes notes. */
class Notes {
  readonly collection: RxCollection<Note>;

  constructor(collection: RxCollection<Note>) {
    this.collection = collection;
  }

  put(id: string, kind: Note['kind'], rest: Partial<Note> = {}): Promise<unknown> {
    return this.collection.incrementalUpsert({ id, kind, ...rest });
  }

  /** Lets the user decide between two names of a task. */
  askForName(task: string, theirs: string, name: string): Promise<unknown> {
    const text = `Somebody else has named the task “${theirs}”.`;
    return this.put(`${task} ${name}`, 'refused', { task, name, text });
  }

  /** Notes why the service has not applied a change. */
  readonly refuse = ({ id, entity, isDeletion, current, error }: PushResult<TaskTypes>): void => {
    const name = entity?.name ?? '';
    const code = error?.problem.code ?? '';
    const isLate = code === 'version-mismatch';
    if (isLate && isDeletion) {
      const text = `The task “${current?.name ?? name}” was changed by somebody else, so it was not deleted.`;
      void this.put(id, current ? 'kept' : 'refused', { task: id, text });
    } else if (isLate && current && current.name !== name) void this.askForName(id, current.name, name);
    else {
      const isName = isProblem(error, 'invalid-request') && error.problem.errors[0]?.pointer === '/name';
      const other = reasons[code] ?? 'The service does not accept it.';
      const reason = isName ? 'A name has 1 to 255 characters.' : other;
      const text = `“${current?.name ?? name}”: your change was not applied. ${reason}`;
      void this.put(`${id} ${name}`.slice(0, maxIdLength), 'refused', { task: id, text });
    }
  };
}

type Sending = ReturnType<typeof replicateList<TaskTypes, KnownTask>>;

/** Restores a deleted task; makes it again if the service has never had it. */
async function restore({ task = '', name = '', status = '' }: Note, client: Client, sending: Sending) {
  try {
    await client.tasks.restore(task);
    sending.reSync();
  } catch (error) {
    if (!isProblem(error, 'not-found')) throw error;
    await sending.collection.insert({ id: task, name, status } as KnownTask);
  }
}

/** Returns what users read about an error. Of an error while it sends or reads, RxDB gives the text alone. */
function explain({ message }: Error): string {
  console.error(message);
  return message.startsWith('403 ')
    ? 'You are not allowed to change tasks, so your changes are not sent.'
    : 'The service does not work at the moment. Your changes are sent later.';
}

/** Removes notes of what has been sent, which only the window knows that sends. */
async function settle(database: RxDatabase, client: Client, notes: Notes, sending: Sending): Promise<never> {
  const fail = (error: Error) => notes.put('error', 'error', { text: explain(error) });
  sending.error$.subscribe((error) => fail((error.parameters?.errors?.[0] ?? error) as Error));
  await database.waitForLeadership();
  await sending.awaitInitialReplication();
  await notes.put('complete', 'complete');
  const selector = { kind: { $in: ['waiting', 'restoring', 'error'] } };
  const found$ = notes.collection.find({ selector }).$.pipe(filter(({ length }) => length > 0));
  for (;;) {
    const found = await firstValueFrom(found$);
    await sending.awaitInSync();
    try {
      for (const note of found) if (note.kind === 'restoring') await restore(note, client, sending);
      // The user does not want a deletion any more that the service has not applied.
      const kept = found.flatMap(({ kind, task = '' }) => (kind === 'restoring' ? [task] : []));
      await notes.collection.bulkRemove([...found.map(({ id }) => id), ...kept]);
    } catch (error) {
      await fail(error as Error);
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  }
}

/**
 * Opens the stored copy of the open and completed tasks, which is equal to the list of the service. Changes that are made offline are stored, and sent
 * later.
 */
export async function openTasks(name: string) {
  const client = clientFor(name);
  const database = await createRxDatabase({ name, storage: getRxStorageDexie() });
  const collections = await database.addCollections({
    tasks: { schema: withFields(schemas.tasks, fields) },
    notes: { schema: noteSchema },
  });
  const tasks: RxCollection<KnownTask> = collections.tasks;
  const notes = new Notes(collections.notes as unknown as RxCollection<Note>);
  const list = { status: { in: ['active', 'completed'] } };
  const replication = new Replication(client.tasks, list, { fields, onRefused: notes.refuse });
  // `interval` is for a service that announces no changes.
  const sending = replicateList(replication, tasks, { live: true, interval: 1_000 });
  void settle(database, client, notes, sending);
  return { tasks, notes, client };
}
