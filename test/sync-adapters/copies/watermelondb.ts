import assert from 'node:assert/strict';
import { appSchema, Database, Model, tableSchema } from '@nozbe/watermelondb';
import lokijs from '@nozbe/watermelondb/adapters/lokijs';
import { syncTable } from 'project-management-client/watermelondb';
import { type Client, createClient, newId, Replication } from '../../../client/index.ts';
import type { Copy, ProjectsCopy } from '../program.ts';

/** Node.js loads this CommonJS module with its default export as a property. */
const { default: LokiJSAdapter } = lokijs as unknown as { default: typeof lokijs };

class TaskModel extends Model {
  static override table = 'tasks';
}

/** A table that the adapter does not know. */
class NoteModel extends Model {
  static override table = 'notes';
}

class ProjectModel extends Model {
  static override table = 'projects';
}

const columnsOf = (...names: string[]) =>
  names.map((name) => ({ name, type: 'string' as const, isOptional: true }));

function openDatabase(dbName: string): Database {
  const columns = columnsOf('name', 'status', 'projectId', 'tagIds', 'version');
  const schema = appSchema({
    version: 1,
    tables: [
      tableSchema({ name: 'tasks', columns }),
      tableSchema({ name: 'notes', columns }),
      tableSchema({ name: 'projects', columns: columnsOf('name', 'organizationId', 'memberIds', 'version') }),
    ],
  });
  const adapter = new LokiJSAdapter({
    schema,
    useWebWorker: false,
    useIncrementalIndexedDB: false,
    dbName,
  });
  return new Database({ adapter, modelClasses: [TaskModel, NoteModel, ProjectModel] });
}

/** Loses the response to a creation: only what the app has changed since is sent. A column with tags is JSON. */
async function checkLostCreation(client: Client, projectId: string, database: Database): Promise<void> {
  const losing = createClient({
    url: process.argv[3] ?? '',
    tries: 1,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (init?.method === 'GET') return response;
      throw new TypeError('The connection was lost.');
    },
  });
  const [id, tag] = [newId(), await client.tags.create({ name: 'tag' })];
  const tasks = database.get<TaskModel>('tasks');
  const record = await database.write(() =>
    tasks.create((draft) => {
      Object.assign(draft._raw, { id, name: 'made', status: 'active', projectId });
      draft._setRaw('tagIds', JSON.stringify([tag.id]));
    }),
  );
  await assert.rejects(syncTable(new Replication(losing.tasks, { projectId }), database, 'tasks'));
  assert.deepEqual((await client.tasks.get(id)).tagIds, [tag.id]);
  await client.tasks.update(id, { name: 'foreign', tagIds: [] });
  await database.write(() => record.update((draft) => draft._setRaw('status', 'planned')));
  await syncTable(new Replication(client.tasks, { projectId }), database, 'tasks');
  const { name, status, tagIds } = await client.tasks.get(id);
  assert.deepEqual({ name, status, tagIds }, { name: 'foreign', status: 'planned', tagIds: [] });
  assert.deepEqual([record._getRaw('name'), record._getRaw('tagIds')], ['foreign', '[]']);
}

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const database = openDatabase(projectId);
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
    sync: () => syncTable(replication, database, 'tasks'),
    check: async () => {
      // No sync has taken it for sent.
      assert.equal((await notes.find(note.id)).syncStatus, 'created');
      const organization = await client.organizations.create({ name: 'Acme' });
      const { id } = await client.projects.create({ name: 'lost', organizationId: organization.id });
      await checkLostCreation(client, id, database);
    },
    stop: async () => undefined,
  };
}

export async function openProjects(client: Client, organizationId: string): Promise<ProjectsCopy> {
  const database = openDatabase(organizationId);
  const projects = database.get<ProjectModel>('projects');
  const replication = new Replication(client.projects, { organizationId });
  return {
    nameOf: async (id) =>
      (await projects.query().fetch()).find((record) => record.id === id)?._getRaw('name') as string,
    rename: async (id, name) => {
      const record = await projects.find(id);
      await database.write(() => record.update((draft) => draft._setRaw('name', name)));
    },
    sync: () => syncTable(replication, database, 'projects'),
  };
}
