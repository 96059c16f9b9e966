/** Follows a list with one of the adapters: `node --import tsx program.ts <adapter> <url>`. It fails when the copy is not the list. */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../../client/index.ts';

/** A copy of the tasks of a project. */
export interface Copy {
  names(): Promise<readonly string[]>;
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

const organization = await client.organizations.create({ name: 'Acme' });
const { id: projectId } = await client.projects.create({ name: 'p', organizationId: organization.id });
const first = await client.tasks.create({ name: 'first', projectId });
await client.tasks.create({ name: 'second', projectId });
const copy = await openCopy(client, projectId);

/** Waits until the copy has these names. */
async function expectNames(...names: string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await copy.sync();
    const found = [...(await copy.names())].sort();
    if (found.join() === names.join()) return;
    if (attempt === 200) assert.deepEqual(found, names);
    await delay(20);
  }
}

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
await copy.sync();
await expectNames(...[await names(), 'second'].sort());
assert.equal((await client.tasks.get(first.id)).priority, 'high');
// A local write of a task that somebody else has deleted: the copy drops it.
await client.tasks.delete(first.id);
await copy.rename(first.id, 'late').catch(() => undefined);
await expectNames('second');
await client.projects.delete(projectId);
await expectNames();
await copy.stop();
console.log('The copy is the list.');
process.exit(0);
