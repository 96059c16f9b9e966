import {
  createClient,
  type PushResult,
  Replication,
  type Task,
  type TaskTypes,
  type Versioned,
} from 'project-management-client';
import { replicateList, schemas, withFields } from 'project-management-client/rxdb';
import { addRxPlugin, createRxDatabase, type RxCollection, removeRxDatabase } from 'rxdb/plugins/core';
import { RxDBLeaderElectionPlugin } from 'rxdb/plugins/leader-election';
import { getRxStorageDexie } from 'rxdb/plugins/storage-dexie';
import { accessToken, signIn } from './sign-in.ts';

// Several windows have one copy, and one of them sends and reads.
addRxPlugin(RxDBLeaderElectionPlugin);

const fields = ['name', 'status', 'number'] as const;
export type KnownTask = Pick<Versioned<Task>, 'id' | 'version' | (typeof fields)[number]>;

export const client = createClient({
  url: 'http://localhost:3000',
  token: accessToken,
  fetch: async (address, init) => {
    const response = await fetch(address, init);
    // The session has ended.
    if (response.status === 401) void signIn();
    return response;
  },
});

/** Returns who a token is for. */
const ownerOf = (token: string): string => {
  const payload = token.split('.')[1] ?? '';
  const { iss, sub, tenant, ...claims } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
  return JSON.stringify([iss, sub, tenant, claims['custom:tenant']]);
};

/**
 * Opens the stored copy of the open and completed tasks, which is equal to the list of the service. Changes that are made offline are stored, and sent
 * later. The copy of another user is erased.
 * @param token a JWT; absent without a network: then the user is the one who was signed in before.
 */
export async function openTasks(
  token: string | undefined,
  onRefused: (result: PushResult<TaskTypes>) => void,
) {
  const [name, storage] = ['tasks', getRxStorageDexie()];
  const owner = token === undefined ? localStorage.getItem('owner') : ownerOf(token);
  if (owner !== localStorage.getItem('owner')) {
    await removeRxDatabase(name, storage);
    localStorage.clear();
    localStorage.setItem('owner', owner ?? '');
  }
  const database = await createRxDatabase({ name, storage });
  const collections = await database.addCollections({ tasks: { schema: withFields(schemas.tasks, fields) } });
  const tasks: RxCollection<KnownTask> = collections.tasks;
  const list = { status: { in: ['active', 'completed'] } };
  const state = replicateList(new Replication(client.tasks, list, { fields, onRefused }), tasks, {
    live: true,
    // Where the service announces no changes.
    interval: 1_000,
  });
  return { tasks, sent: () => state.awaitInSync() };
}
