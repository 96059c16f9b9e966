import { createRxDatabase } from 'rxdb/plugins/core';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import type { Client } from '../../../client/index.ts';
import { replicateTasks, type TaskDocument } from '../adapters/rxdb.ts';
import type { Copy } from '../program.ts';

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const database = await createRxDatabase({
    name: `tasks-${projectId}`,
    storage: getRxStorageMemory(),
    multiInstance: false,
  });
  const schema = {
    version: 0,
    primaryKey: 'id',
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 36 },
      name: { type: 'string' },
      version: { type: 'string' },
    },
    additionalProperties: true,
  } as const;
  const { tasks } = await database.addCollections({ tasks: { schema: schema as never } });
  const replication = replicateTasks(client, tasks as never, { projectId });
  return {
    names: async () =>
      (await tasks.find().exec()).map((document: { toJSON(): TaskDocument }) => document.toJSON().name),
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
