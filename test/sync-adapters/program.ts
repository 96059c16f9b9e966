/** Follows a list with one of the adapters: `node --import tsx program.ts <adapter> <url>`. It fails when the copy is not the list. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type Client, createClient, newId, type TaskFilters } from '../../client/index.ts';
import { until, wait } from '../support/until.ts';

/** A copy of the tasks of a project. */
export interface Copy {
  names(): Promise<readonly string[]>;
  versionOf(id: string): Promise<string | undefined>;
  create(task: { id: string; name: string; projectId: string | null }): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Takes a task out of its project, and so out of the list. */
  leave(id: string): Promise<void>;
  delete(id: string): Promise<void>;
  /** Reads and sends changes, if the library does not do so itself. */
  sync(): Promise<void>;
  /** Checks what only this library has. */
  check?(): Promise<void>;
  stop(): Promise<void>;
}

/** A copy of the projects of an organization. */
export interface ProjectsCopy extends Pick<Copy, 'rename' | 'sync'> {
  nameOf(id: string): Promise<string | undefined>;
}

const [adapter = '', url = ''] = process.argv.slice(2);
const { openCopy, openProjects } = (await import(`./copies/${adapter}.ts`)) as {
  openCopy(client: Client, projectId: string): Promise<Copy>;
  openProjects(client: Client, organizationId: string): Promise<ProjectsCopy>;
};
const client = createClient({ url });

/** Whether the response to the next write of the copy is lost: the service has executed it. */
let losesNext = false;
/** Hold requests of the copy for changes, and responses to its writes, until then. */
let heldRead: Promise<unknown> | undefined;
let heldWrite: Promise<unknown> | undefined;
/** The client of the copy: each call is one attempt, so the library sends again what has failed. */
const ofCopy = createClient({
  url,
  tries: 1,
  fetch: async (address, init) => {
    const isWrite = init?.method !== 'GET';
    if (!isWrite) await heldRead;
    const response = await fetch(address, init);
    if (isWrite) await heldWrite;
    const isLost = losesNext && isWrite;
    if (isLost) losesNext = false;
    if (isLost) throw new TypeError('The connection was lost.');
    return response;
  },
});

// The device has made these ids before anybody else knew them.
const [organizationId, projectId] = [newId(), newId()];
await client.organizations.create({ id: organizationId, name: 'Acme' });
await client.projects.create({ id: projectId, name: 'p', organizationId });
const first = await client.tasks.create({ name: 'first', projectId });
await client.tasks.create({ name: 'second', projectId });
const copy = await openCopy(ofCopy, projectId);

/** Reads and sends changes. A library tells the app that a call has failed, and repeats it later. */
const sync = (): Promise<void> => copy.sync().catch(() => undefined);

/** Waits until the copy, or the service, has what is expected, while the copy reads and sends what it has. */
async function expectSynced(find: () => Promise<unknown>, expected: unknown, syncCopy = sync): Promise<void> {
  let attempts = 0;
  await until(async () => {
    await syncCopy();
    const found = await find();
    attempts += 1;
    if (attempts === 6_000) assert.deepEqual(found, expected);
    return isDeepStrictEqual(found, expected);
  });
}

const expectNames = (...names: string[]) =>
  expectSynced(async () => [...(await copy.names())].sort(), names.sort());

const expectStored = (filters: TaskFilters, total: number) =>
  expectSynced(async () => (await client.tasks.list(filters)).total, total);

/** Does what fails when the service refuses a change. The library says so to the app. */
const attempt = (change: Promise<void>): Promise<void> => change.catch(() => undefined);

await expectNames('first', 'second');
await client.tasks.update(first.id, { name: 'foreign' });
const third = await client.tasks.create({ name: 'third', projectId });
await expectNames('foreign', 'second', 'third');
// A task leaves the list, comes back, and leaves it again.
for (const [project, ...expected] of [[null], [projectId, 'third'], [null]]) {
  await client.tasks.update(third.id, { projectId: project });
  await expectNames('foreign', 'second', ...(expected as string[]));
}
await copy.rename(first.id, 'local');
await expectNames('local', 'second');
assert.equal((await client.tasks.get(first.id)).name, 'local');
// The copy reads its own change while the response to its write is on its way: the request for changes is slow, and the response slower.
[heldRead, heldWrite] = [wait(300), wait(900)];
const synced = copy.sync();
await wait(50);
await Promise.all([synced, copy.rename(first.id, 'local again')]);
await expectSynced(() => copy.versionOf(first.id), (await client.tasks.get(first.id)).version);
// Somebody else is faster: the write of the copy is refused with 412.
await client.tasks.update(first.id, { name: 'faster', priority: 'high' });
await attempt(copy.rename(first.id, 'slower'));
await sync();
const { name, priority } = await client.tasks.get(first.id);
await expectNames(name, 'second');
assert.equal(priority, 'high');
// A local write of a task that somebody else has taken out of the list, or deleted: the copy drops it.
const moved = await client.tasks.create({ name: 'moved', projectId });
await expectNames(name, 'moved', 'second');
await client.tasks.update(moved.id, { projectId: null });
await attempt(copy.rename(moved.id, 'late'));
await expectNames(name, 'second');
await client.tasks.delete(first.id);
await attempt(copy.rename(first.id, 'late'));
await expectNames('second');
// Tasks that the device creates: the response to the first attempt is lost, and there is one task.
for (const name of ['made', 'lost']) {
  const id = newId();
  losesNext = name === 'lost';
  await attempt(copy.create({ id, name, projectId }));
  await expectStored({ id, projectId }, 1);
  assert.equal((await client.tasks.list({ projectId, name })).total, 1);
}
assert.equal(losesNext, false);
await expectNames('lost', 'made', 'second');
const [made] = (await client.tasks.list({ projectId, name: 'made' })).data;
await copy.rename(made?.id ?? '', 'renamed');
await expectNames('lost', 'renamed', 'second');
assert.equal((await client.tasks.list({ projectId, name: 'renamed' })).total, 1);
// A task that is created and changed at once, and two changes before the copy has read the first one.
const quick = newId();
await Promise.all([copy.create({ id: quick, name: 'quick', projectId }), copy.rename(quick, 'quicker')]);
await expectStored({ id: quick, name: 'quicker' }, 1);
await Promise.all([copy.rename(quick, 'quickest'), copy.rename(quick, 'quick again')]);
await expectStored({ id: quick, name: 'quick again' }, 1);
await copy.rename(quick, 'quick at last');
await expectStored({ id: quick, name: 'quick at last' }, 1);
await client.tasks.delete(quick);
await expectNames('lost', 'renamed', 'second');
// A change while the response to the creation is on its way.
const typed = newId();
heldWrite = wait(300);
const making = copy.create({ id: typed, name: 'typed', projectId });
const sending = copy.sync();
await wait(100);
await Promise.all([making, sending, copy.rename(typed, 'typed on')]);
await expectStored({ id: typed, name: 'typed on' }, 1);
// Somebody else changes another field: both changes are kept.
await expectNames('lost', 'renamed', 'second', 'typed on');
await client.tasks.update(typed, { priority: 'low' });
await attempt(copy.rename(typed, 'merged'));
await expectStored({ id: typed, name: 'merged', priority: 'low' }, 1);
await client.tasks.delete(typed);
await expectNames('lost', 'renamed', 'second');
// What the service refuses stops nothing else.
const [refused, accepted, elsewhere] = [newId(), newId(), newId()];
await attempt(copy.create({ id: refused, name: '', projectId }));
await copy.create({ id: accepted, name: 'accepted', projectId });
await expectStored({ id: accepted }, 1);
await attempt(copy.delete(refused));
await client.tasks.delete(accepted);
await expectNames('lost', 'renamed', 'second');
// The copy does not keep what does not belong to its list.
await copy.create({ id: elsewhere, name: 'elsewhere', projectId: null });
await expectStored({ id: elsewhere }, 1);
await expectNames('lost', 'renamed', 'second');
// Local writes of other fields, and local deletions, are sent.
await copy.leave(made?.id ?? '');
await expectStored({ id: made?.id, projectId: { isNull: true } }, 1);
await expectNames('lost', 'second');
const [lost] = (await client.tasks.list({ projectId, name: 'lost' })).data;
await copy.delete(lost?.id ?? '');
await expectStored({ id: lost?.id }, 0);
await expectNames('second');
// A local deletion of a task that somebody else has deleted, and one that somebody else has changed.
const [second] = (await client.tasks.list({ projectId, name: 'second' })).data;
await client.tasks.delete(second?.id ?? '');
await attempt(copy.delete(second?.id ?? ''));
await expectNames();
const changed = await client.tasks.create({ name: 'changed', projectId });
await expectNames('changed');
await client.tasks.update(changed.id, { name: 'changed again' });
await attempt(copy.delete(changed.id));
await sync();
await expectNames(...(await client.tasks.list({ projectId })).data.map(({ name }) => name));
// The device creates a task, the response is lost, and somebody else deletes the task: the copy drops it, and sends later writes.
const gone = newId();
losesNext = true;
await attempt(copy.create({ id: gone, name: 'gone', projectId }));
await until(async () => {
  await sync();
  return !losesNext;
});
await client.tasks.delete(gone);
const after = newId();
await copy.create({ id: after, name: 'after', projectId });
await expectStored({ id: after, projectId }, 1);
await expectNames(...(await client.tasks.list({ projectId })).data.map(({ name }) => name).sort());
await client.projects.delete(projectId);
await expectNames();
// What left the list is gone in the copy alone.
assert.equal((await client.tasks.get(third.id)).name, 'third');
assert.ok(await client.tasks.get(moved.id));
await copy.check?.();
// A list of another collection.
const projects = await openProjects(ofCopy, organizationId);
const memberIds = [(await client.users.create({ name: 'member' })).id];
const { id: foreignId } = await client.projects.create({ name: 'foreign', organizationId, memberIds });
const expectProject = (find: () => Promise<string | undefined>, expected: string) =>
  expectSynced(find, expected, () => projects.sync());
await expectProject(() => projects.nameOf(foreignId), 'foreign');
await projects.rename(foreignId, 'local');
await expectProject(async () => (await client.projects.get(foreignId)).name, 'local');
assert.deepEqual((await client.projects.get(foreignId)).memberIds, memberIds);
await copy.stop();
console.log('The copy is the list.');
process.exit(0);
