import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { replicateList, schemas, withFields } from 'project-management-client/rxdb';
import { createRxDatabase, defaultConflictHandler, type RxCollection } from 'rxdb/plugins/core';
import { getRxStorageMemory } from 'rxdb/plugins/storage-memory';
import { wrappedValidateAjvStorage } from 'rxdb/plugins/validate-ajv';
import {
  type Client,
  createClient,
  newId,
  type Project,
  Replication,
  type Task,
  type Versioned,
} from '../../../client/index.ts';
import { until } from '../../support/until.ts';
import type { Copy, ProjectsCopy } from '../program.ts';

// As an app has it: RxDB refuses an entity with another field, or without a required one.
const schema = { ...schemas.tasks, required: ['id', 'name', 'status'] };

type Storage = ReturnType<typeof getRxStorageMemory>;

async function openDatabase(name: string, storage: Storage = getRxStorageMemory(), settings: object = {}) {
  const database = await createRxDatabase({
    name,
    storage: wrappedValidateAjvStorage({ storage }),
    multiInstance: false,
  });
  const { tasks } = await database.addCollections({ tasks: { schema: schema as never, ...settings } });
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

/** Returns the pauses of 1 to 4 seconds that begin from now on. They end when the test says so. */
function stopPauses() {
  const pauses: { readonly milliseconds: number; readonly end: () => void }[] = [];
  const { setTimeout: start } = globalThis;
  const startOrStop = (end: () => void, milliseconds = 0) =>
    milliseconds >= 1_000 && milliseconds <= 4_000
      ? pauses.push({ milliseconds, end })
      : start(end, milliseconds);
  globalThis.setTimeout = startOrStop as unknown as typeof start;
  return pauses;
}

/** The conflict handler of the app insists on a change that the service refuses: it is held back, and nothing else is. */
async function checkInsistence(client: Client): Promise<void> {
  const organization = await client.organizations.create({ name: 'Acme' });
  const { id: projectId } = await client.projects.create({ name: 'p', organizationId: organization.id });
  const { id } = await client.tasks.create({ name: 'insisted', projectId });
  const conflictHandler = {
    ...defaultConflictHandler,
    resolve: ({ newDocumentState }: { newDocumentState: object }) => newDocumentState,
  };
  const { tasks } = await openDatabase(`insisting-${projectId}`, undefined, { conflictHandler });
  const refused: string[] = [];
  const errors: string[] = [];
  const replicate = async () => {
    const options = { onRefused: (result: { id: string }) => refused.push(result.id) };
    const state = replicateList(new Replication(client.tasks, { projectId }, options), tasks as never);
    state.error$.subscribe(({ message }: Error) => errors.push(message));
    await state.awaitInSync();
    return state;
  };
  const first = await replicate();
  const pauses = stopPauses();
  const rename = async (name: string) => (await tasks.findOne(id).exec()).incrementalPatch({ name });
  await rename('');
  await until(() => errors.length > 0 || refused.length > 2);
  assert.deepEqual(refused, [id, id]);
  // Other changes are sent and read.
  const other = newId();
  await tasks.insert({ id: other, name: 'other', status: 'active', projectId });
  await until(async () => (await client.tasks.list({ id: other })).total === 1);
  await client.tasks.update(other, { name: 'foreign' });
  await until(async () => {
    first.reSync();
    await first.awaitInSync();
    return (await tasks.findOne(other).exec())?.get('name') === 'foreign';
  });
  assert.deepEqual(refused, [id, id]);
  pauses[0]?.end();
  await until(() => pauses.length > 1);
  assert.deepEqual(refused, [id, id, id]);
  assert.deepEqual(
    pauses.map(({ milliseconds }) => Math.floor(Math.log2(milliseconds / 1_000))),
    [0, 1],
  );
  assert.match(errors.at(-1) ?? '', new RegExp(`refuses.*${id}`));
  await first.cancel();
  // After a restart of the app, it is sent again. A correction is sent at once.
  const second = await replicate();
  assert.deepEqual(refused, [id, id, id, id, id]);
  await rename('corrected');
  await until(async () => (await client.tasks.get(id)).name === 'corrected');
  await second.cancel();
}

/**
 * The clock of the device is two minutes ahead, and the app stops after it has stored the new id of a task: there is one task, and its sub-task refers
 * to it.
 */
async function checkClock(client: Client): Promise<void> {
  const organization = await client.organizations.create({ name: 'Acme' });
  const { id: projectId } = await client.projects.create({ name: 'ahead', organizationId: organization.id });
  const now = Date.now;
  const { database, tasks } = await openDatabase(`ahead-${projectId}`);
  const [first, second] = [newId(), newId()].map((id) => {
    const time = (now() + 120_000).toString(16).padStart(12, '0');
    return `${time.slice(0, 8)}-${time.slice(8)}${id.slice(13)}`;
  }) as [string, string];
  await database.addCollections({
    notes: { schema: { ...schema, required: ['id'] } as never },
  });
  const note = await database.collections['notes']?.insert({ id: 'note', projectId: first });
  await tasks.insert({ id: first, name: 'first', status: 'active', projectId });
  await tasks.insert({ id: second, name: 'second', status: 'active', projectId, parentId: first });
  // Stored before the app has stopped.
  const renewed = newId().slice(0, 14) + second.slice(14);
  await tasks.insert({ id: renewed, name: 'second', status: 'active', projectId, parentId: first });
  const sent: string[] = [];
  const ofDevice = createClient({
    url: process.argv[3] ?? '',
    fetch: (address, init) => {
      if (init?.method !== 'GET') sent.push(`${init?.method} ${String(address).split('/').at(-1)}`);
      return fetch(address, init);
    },
  });
  const refused: string[] = [];
  const options = { onRefused: ({ id }: { id: string }) => refused.push(id) };
  const state = replicateList(new Replication(ofDevice.tasks, { projectId }, options), tasks as never);
  const idsOf = async () => (await tasks.find().exec()).map(({ id }) => id).sort();
  await until(async () => {
    await state.awaitInSync();
    const { data } = await client.tasks.list({ projectId });
    return data.length === 2 && isDeepStrictEqual(await idsOf(), data.map(({ id }) => id).sort());
  });
  const [parent] = (await client.tasks.list({ projectId, name: 'first' })).data;
  assert.equal((await client.tasks.get(renewed)).parentId, parent?.id);
  assert.equal(note?.getLatest().get('projectId'), parent?.id);
  assert.deepEqual([refused, sent.filter((one) => /^DELETE/.test(one))], [[], []]);
  await state.cancel();
}

/** A copy with two fields: those are read, a thousand entities at once, and a change that is refused leaves no others in it. */
async function checkFields(client: Client): Promise<void> {
  const organization = await client.organizations.create({ name: 'Acme' });
  const { id: projectId } = await client.projects.create({ name: 'p', organizationId: organization.id });
  const { id } = await client.tasks.create({ name: 'short', projectId });
  const fields = ['name', 'status'] as const;
  const { tasks: collection } = await openDatabase(`fields-${projectId}`, undefined, {
    schema: withFields(schemas.tasks, fields),
  });
  const tasks: RxCollection<Pick<Versioned<Task>, 'id' | 'name' | 'status' | 'version'>> = collection;
  const asked: URLSearchParams[] = [];
  const ofCopy = createClient({
    url: process.argv[3] ?? '',
    fetch: (address, init) => {
      const { pathname, searchParams } = new URL(String(address));
      if (pathname.endsWith('/changes')) asked.push(searchParams);
      return fetch(address, init);
    },
  });
  const refused: unknown[] = [];
  const options = { fields, onRefused: ({ current }: { current: unknown }) => refused.push(current) };
  const state = replicateList(new Replication(ofCopy.tasks, { projectId }, options), tasks);
  state.error$.subscribe((error: Error) => assert.fail(error));
  const nameBecomes = async (name: string) => {
    await until(async () => {
      await state.awaitInSync();
      return (await tasks.findOne(id).exec())?.name === name;
    });
    const { version } = await client.tasks.get(id);
    const copied = (await tasks.findOne(id).exec())?.toJSON();
    assert.deepEqual(copied, { id, name, status: 'active', version });
  };
  await nameBecomes('short');
  assert.deepEqual([asked[0]?.get('fields'), asked[0]?.get('limit')], ['name,status', '1000']);
  const rename = async (name: string) => (await tasks.findOne(id).exec(true)).incrementalPatch({ name });
  await client.tasks.update(id, { name: 'theirs' });
  await rename('mine');
  await nameBecomes('theirs');
  assert.deepEqual(refused, [
    { id, name: 'theirs', status: 'active', version: (await client.tasks.get(id)).version },
  ]);
  await rename('sent');
  await until(async () => (await client.tasks.get(id)).name === 'sent');
  await state.cancel();
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
    check: async () => {
      await checkClock(client);
      await checkFields(client);
      await checkStop(client);
      await checkInsistence(client);
    },
    stop: async () => {
      await replication.cancel();
      await database.close();
    },
  };
}

export async function openProjects(client: Client, organizationId: string): Promise<ProjectsCopy> {
  const { tasks: collection } = await openDatabase(`projects-${organizationId}`, undefined, {
    schema: schemas.projects,
  });
  const projects: RxCollection<Versioned<Project>> = collection;
  const state = replicateList(new Replication(client.projects, { organizationId }), projects);
  return {
    nameOf: async (id) => (await projects.findOne(id).exec())?.name,
    rename: async (id, name) => {
      await (await projects.findOne(id).exec(true)).incrementalPatch({ name });
    },
    sync: async () => {
      state.reSync();
      await state.awaitInSync();
    },
  };
}
