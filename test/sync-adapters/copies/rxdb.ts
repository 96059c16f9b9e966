import { createRxDatabase } from 'rxdb/plugins/core';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { wrappedValidateAjvStorage } from 'rxdb/plugins/validate-ajv';
import { type Client, Replication } from '../../../client/index.ts';
import { replicateTasks, type TaskDocument } from '../adapters/rxdb.ts';
import type { Copy } from '../program.ts';

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const database = await createRxDatabase({
    name: `tasks-${projectId}`,
    storage: wrappedValidateAjvStorage({ storage: getRxStorageMemory() }),
    multiInstance: false,
  });
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
      tagIds: { type: 'array', items: text },
      createdAt: text,
      updatedAt: text,
      version: text,
    },
    required: ['id', 'name', 'status'],
  } as const;
  const { tasks } = await database.addCollections({ tasks: { schema: schema as never } });
  const replication = replicateTasks(new Replication(client.tasks, { projectId }), tasks as never);
  return {
    names: async () =>
      (await tasks.find().exec()).map((document: { toJSON(): TaskDocument }) => document.toJSON().name),
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
    stop: async () => {
      await replication.cancel();
      await database.close();
    },
  };
}
