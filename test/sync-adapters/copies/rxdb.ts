import assert from 'node:assert/strict';
import { replicateList } from 'project-management-client/rxdb';
import { createRxDatabase } from 'rxdb/plugins/core';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { wrappedValidateAjvStorage } from 'rxdb/plugins/validate-ajv';
import { type Client, Replication } from '../../../client/index.ts';
import { until } from '../../support/until.ts';
import type { Copy } from '../program.ts';

const nullable = { type: ['string', 'null'] };
const text = { type: 'string' };
// As an app has it: RxDB refuses an entity with another field, or without a required one.
const schema = {
  version: 0,
  primaryKey: 'id',
  type: 'object',
  properties: {
    id: { type: 'string', maxLength: 36 },
    name: text,
    status: text,
    description: text,
    priority: text,
    projectId: nullable,
    userId: nullable,
    dueDate: nullable,
    position: nullable,
    parentId: nullable,
    estimate: { type: ['number', 'null'] },
    tagIds: { type: 'array', items: text },
    createdAt: text,
    updatedAt: text,
    version: text,
  },
  required: ['id', 'name', 'status'],
} as const;

type Storage = ReturnType<typeof getRxStorageMemory>;

async function openDatabase(name: string, storage: Storage = getRxStorageMemory()) {
  const database = await createRxDatabase({
    name,
    storage: wrappedValidateAjvStorage({ storage }),
    multiInstance: false,
  });
  const { tasks } = await database.addCollections({ tasks: { schema: schema as never } });
  return { database, tasks };
}

/** Returns a storage that does not finish what RxDB notes of a replication while `isStopping`. */
function stoppingStorage() {
  const state = { isStopping: false };
  const plain = getRxStorageMemory();
  const storage: Storage = {
    ...plain,
    createStorageInstance: async (parameters) => {
      const instance = await plain.createStorageInstance(parameters);
      if (!parameters.collectionName.includes('rx-replication')) return instance;
      const write = instance.bulkWrite.bind(instance);
      instance.bulkWrite = (...rows) => (state.isStopping ? new Promise(() => {}) : write(...rows));
      return instance;
    },
  };
  return { state, storage };
}

/** The app stops after RxDB has stored a page, and before it has noted that the page is from the service. */
async function checkStop(client: Client): Promise<void> {
  const organization = await client.organizations.create({ name: 'Acme' });
  const [listed, other] = [
    await client.projects.create({ name: 'listed', organizationId: organization.id }),
    await client.projects.create({ name: 'other', organizationId: organization.id }),
  ];
  const { state, storage } = stoppingStorage();
  const { tasks } = await openDatabase(`stopping-${listed.id}`, storage);
  const replicate = () =>
    replicateList(new Replication(client.tasks, { projectId: listed.id }), tasks as never);
  const stopped = replicate();
  await stopped.awaitInSync();
  const kept = await client.tasks.create({ name: 'kept', projectId: listed.id });
  const moved = await client.tasks.create({ name: 'moved', projectId: listed.id });
  await client.tasks.update(moved, { projectId: other.id });
  state.isStopping = true;
  stopped.reSync();
  await until(async () => (await tasks.findOne(kept.id).exec()) !== null);
  // It never ends, as in an app that has stopped.
  void stopped.cancel();
  state.isStopping = false;
  const replication = replicate();
  await replication.awaitInSync();
  assert.equal((await client.tasks.get(moved.id)).projectId, other.id);
  await client.tasks.update(kept.id, { name: 'kept and renamed' });
  while ((await tasks.findOne(kept.id).exec())?.get('name') !== 'kept and renamed') {
    replication.reSync();
    await replication.awaitInSync();
  }
}

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const { database, tasks } = await openDatabase(`tasks-${projectId}`);
  const replication = replicateList(new Replication(client.tasks, { projectId }), tasks as never);
  return {
    names: async () =>
      (await tasks.find().exec()).map((document: { toJSON(): { name: string } }) => document.toJSON().name),
    versionOf: async (id) => (await tasks.findOne(id).exec())?.get('version'),
    create: async (task) => {
      await tasks.insert({ ...task, status: 'active' });
    },
    rename: async (id, name) => {
      await (await tasks.findOne(id).exec()).incrementalPatch({ name });
    },
    leave: async (id) => {
      await (await tasks.findOne(id).exec()).incrementalPatch({ projectId: null });
    },
    delete: async (id) => {
      await (await tasks.findOne(id).exec()).remove();
    },
    sync: async () => {
      replication.reSync();
      await replication.awaitInSync();
    },
    check: () => checkStop(client),
    stop: async () => {
      await replication.cancel();
      await database.close();
    },
  };
}
