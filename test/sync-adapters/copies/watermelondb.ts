import assert from 'node:assert/strict';
import { appSchema, Database, Model, tableSchema } from '@nozbe/watermelondb';
import lokijs from '@nozbe/watermelondb/adapters/lokijs';
import { type Client, Replication } from '../../../client/index.ts';
import { syncTasks } from '../adapters/watermelondb.ts';
import type { Copy } from '../program.ts';

/** Node.js loads this CommonJS module with its default export as a property. */
const { default: LokiJSAdapter } = lokijs as unknown as { default: typeof lokijs };

class TaskModel extends Model {
  static override table = 'tasks';
}

/** A table that the adapter does not know. */
class NoteModel extends Model {
  static override table = 'notes';
}

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const columns = ['name', 'status', 'projectId', 'version'].map((name) => ({
    name,
    type: 'string' as const,
    isOptional: true,
  }));
  const schema = appSchema({
    version: 1,
    tables: [tableSchema({ name: 'tasks', columns }), tableSchema({ name: 'notes', columns })],
  });
  const adapter = new LokiJSAdapter({
    schema,
    useWebWorker: false,
    useIncrementalIndexedDB: false,
    dbName: projectId,
  });
  const database = new Database({ adapter, modelClasses: [TaskModel, NoteModel] });
  const tasks = database.get<TaskModel>('tasks');
  const notes = database.get<NoteModel>('notes');
  const note = await database.write(() => notes.create(() => undefined));
  const replication = new Replication(client.tasks, { projectId });
  const set = async (id: string, column: string, value: string | null): Promise<void> => {
    await database.write(async () => {
      const record = await tasks.find(id);
      await record.update((draft) => {
        draft._setRaw(column, value);
      });
    });
  };
  return {
    names: async () => (await tasks.query().fetch()).map((record) => String(record._getRaw('name'))),
    versionOf: async (id) => String((await tasks.find(id))._getRaw('version')),
    create: async (task) => {
      await database.write(() =>
        tasks.create((draft) => {
          Object.assign(draft._raw, { ...task, status: 'active' });
        }),
      );
    },
    rename: (id, name) => set(id, 'name', name),
    leave: (id) => set(id, 'projectId', null),
    delete: async (id) => {
      const record = await tasks.find(id);
      await database.write(() => record.markAsDeleted());
    },
    sync: () => syncTasks(replication, database),
    check: async () => {
      // No sync has taken it for sent.
      assert.equal((await notes.find(note.id)).syncStatus, 'created');
    },
    stop: async () => undefined,
  };
}
