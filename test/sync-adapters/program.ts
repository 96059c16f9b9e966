/** Follows a list with one of the adapters: `node --import tsx program.ts <adapter> <url>`. It fails when the copy is not the list. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient, newId } from '../../client/index.ts';

/** A copy of the tasks of a project. */
export interface Copy {
  names(): Promise<readonly string[]>;
  create(task: { readonly id: string; readonly name: string; readonly projectId: string }): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Reads and sends changes, if the library does not do so itself. */
  sync(): Promise<void>;
  stop(): Promise<void>;
}

const [adapter = '', url = ''] = process.argv.slice(2);
const { openCopy } = (await import(`./copies/${adapter}.ts`)) as {
  openCopy(client: Client, projectId: string): Promise<Copy>;
};
const client = createClient({ url });

/** Whether the response to the next write of the copy is lost: the service has executed it. */
let losesNext = false;
/** The client of the copy: each call is one attempt, so the library sends again what has failed. */
const ofCopy = createClient({
  url,
  tries: 1,
  fetch: async (address, init) => {
    const response = await fetch(address, init);
    const isLost = losesNext && init?.method !== 'GET';
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

/** Waits until the copy has these names. */
async function expectNames(...names: string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    // A library tells the app that a call has failed, and repeats it later.
    await copy.sync().catch(() => undefined);
    const found = [...(await copy.names())].sort();
    if (found.join() === names.join()) return;
    if (attempt === 400) assert.deepEqual(found, names);
    await delay(20);
  }
}

const isStored = async (id: string): Promise<boolean> =>
  (await client.tasks.list({ id, projectId })).total === 1;

await expectNames('first', 'second');
await client.tasks.update(first.id, { name: 'foreign' });
const third = await client.tasks.create({ name: 'third', projectId });
await expectNames('foreign', 'second', 'third');
await client.tasks.update(third.id, { projectId: null });
await expectNames('foreign', 'second');
await copy.rename(first.id, 'local');
await expectNames('local', 'second');
assert.equal((await client.tasks.get(first.id)).name, 'local');
// Somebody else is faster: the write of the copy is refused with 412.
await client.tasks.update(first.id, { name: 'faster', priority: 'high' });
await copy.rename(first.id, 'slower').catch(() => undefined);
const names = async (): Promise<string> => (await client.tasks.get(first.id)).name;
await copy.sync().catch(() => undefined);
await expectNames(...[await names(), 'second'].sort());
assert.equal((await client.tasks.get(first.id)).priority, 'high');
// A local write of a task that somebody else has deleted: the copy drops it.
await client.tasks.delete(first.id);
await copy.rename(first.id, 'late').catch(() => undefined);
await expectNames('second');
// Tasks that the device creates: the response to the first attempt is lost, and there is one task.
for (const name of ['made', 'lost']) {
  const id = newId();
  losesNext = name === 'lost';
  await copy.create({ id, name, projectId }).catch(() => undefined);
  for (let attempt = 1; !(await isStored(id)); attempt += 1) {
    assert.ok(attempt < 400, `The task ${name} was not sent.`);
    await copy.sync().catch(() => undefined);
    await delay(20);
  }
  assert.equal((await client.tasks.list({ projectId, name })).total, 1);
}
assert.equal(losesNext, false);
await expectNames('lost', 'made', 'second');
const [made] = (await client.tasks.list({ projectId, name: 'made' })).data;
await copy.rename(made?.id ?? '', 'renamed');
await expectNames('lost', 'renamed', 'second');
assert.equal((await client.tasks.list({ projectId, name: 'renamed' })).total, 1);
await client.projects.delete(projectId);
await expectNames();
await copy.stop();
console.log('The copy is the list.');
process.exit(0);
