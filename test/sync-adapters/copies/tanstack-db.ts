import assert from 'node:assert/strict';
import { createCollection } from '@tanstack/db';
import { listCollection } from 'project-management-client/tanstack-db';
import { type Client, newId, Replication } from '../../../client/index.ts';
import type { Copy, ProjectsCopy } from '../program.ts';

/** A copy with two fields: the compiler knows them, and what a new entity lacks. */
async function checkFields(client: Client, projectId: string): Promise<void> {
  const list = new Replication(client.tasks, { projectId }, { fields: ['name', 'status', 'number'] });
  const tasks = createCollection(listCollection(list, { interval: 20 }));
  await tasks.preload();
  const id = newId();
  const insertion = tasks.insert({ id, name: 'typed', status: 'active' });
  const row = tasks.get(id);
  // @ts-expect-error The copy has no descriptions.
  assert.equal(row?.description, undefined);
  assert.equal(row?.version, undefined);
  const error = (await insertion.isPersisted.promise.catch((reason: unknown) => reason)) as unknown;
  assert.equal(error instanceof Error, false);
  assert.equal((await client.tasks.get(id)).name, 'typed');
  await tasks.cleanup();
}

export async function openCopy(client: Client, projectId: string): Promise<Copy> {
  const replication = new Replication(client.tasks, { projectId });
  const collection = createCollection(listCollection(replication, { interval: 20 }));
  await collection.preload();
  return {
    names: async () => collection.toArray.map(({ name }) => name),
    versionOf: async (id) => collection.get(id)?.version,
    create: async (task) => {
      await collection.insert({ ...task, status: 'active' } as never).isPersisted.promise;
    },
    rename: async (id, name) => {
      await collection.update(id, (draft) => {
        (draft as { name: string }).name = name;
      }).isPersisted.promise;
    },
    leave: async (id) => {
      await collection.update(id, (draft) => {
        (draft as { projectId: string | null }).projectId = null;
      }).isPersisted.promise;
    },
    delete: async (id) => {
      await collection.delete(id).isPersisted.promise;
    },
    sync: async () => undefined,
    // The clock of the device is two minutes ahead.
    check: async () => {
      const organization = await client.organizations.create({ name: 'Acme' });
      const own = await client.projects.create({ name: 'ahead', organizationId: organization.id });
      const list = new Replication(client.tasks, { projectId: own.id });
      const tasks = createCollection(listCollection(list, { interval: 20 }));
      await tasks.preload();
      const time = (Date.now() + 120_000).toString(16).padStart(12, '0');
      const id = `${time.slice(0, 8)}-${time.slice(8)}${newId().slice(13)}`;
      await tasks.insert({ id, name: 'ahead', projectId: own.id } as never).isPersisted.promise;
      const { data } = await client.tasks.list({ projectId: own.id });
      assert.deepEqual([data.map(({ name }) => name), tasks.has(id)], [['ahead'], false]);
      assert.equal(tasks.get(data[0]?.id ?? '')?.name, 'ahead');
      await tasks.cleanup();
      await checkFields(client, own.id);
    },
    stop: () => collection.cleanup(),
  };
}

export async function openProjects(client: Client, organizationId: string): Promise<ProjectsCopy> {
  const replication = new Replication(client.projects, { organizationId });
  const projects = createCollection(listCollection(replication, { interval: 20 }));
  await projects.preload();
  return {
    nameOf: async (id) => projects.get(id)?.name,
    rename: async (id, name) => {
      await projects.update(id, (draft) => Object.assign(draft, { name })).isPersisted.promise;
    },
    sync: async () => undefined,
  };
}
