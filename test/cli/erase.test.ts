import { type Client, createClient } from '#client/index.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { encodeReminder } from '#functions/engine/model/reminder.ts';
import { connect } from '#functions/engine/table/client.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { encodeTenant } from '#functions/http/caller.ts';
import { compactAll } from '../support/compaction.ts';
import { provideTestService } from '../support/local-service.ts';
import { run } from './run.ts';

const service = provideTestService();
let client: DynamoDb;
let api: Client;

beforeAll(async () => {
  client = connect({ endpoint: service.endpoint });
  api = createClient({ url: service.url });
});

afterAll(() => client.destroy());

const table = () => ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint];

const database = () => new Database(client, service.tableName, new Deadline(300_000));

async function itemsOf(tenant: string): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await client.scan({ TableName: service.tableName });
  return Items.filter(({ pk }) => String(pk).startsWith(`${tenant}#`));
}

/** Returns the partition keys of what a tenant has. Of an erased one, its logs have a sequencer, an empty manifest, and tasks a counter of numbers. */
const keysOf = async (tenant: string): Promise<string[]> =>
  (await itemsOf(tenant)).map(({ pk }) => String(pk));

const isPosition = (key: string): boolean => /#(?:log|sequencer|numbers)$/.test(key);

test('removes every item of a tenant, and none of the others, and says so', async () => {
  const other = encodeTenant('publi') as string;
  const fields = { name: 'other', status: 'active', description: '' };
  await createEntity({ tenant: other, database: database() }, 'tag', fields);
  const others = await keysOf(other);
  await run('seed', ['--url', service.url, '--tasks', '60']);
  await api.users.create({ name: 'Ada', subject: 'ada' });
  await api.tags.create({ name: 'x', description: 'long '.repeat(200) });
  await compactAll(database(), 'public', 'task');
  await database().putItem(encodeReminder({ tenant: 'public', kind: 'task', dueAt: Date.now() + 3_600_000 }));
  expect((await keysOf('public')).length).toBeGreaterThan(130);
  const flags = [...table(), '--without-tokens', '--access-revoked'];
  const { code, output } = await run('erase', flags);
  expect(code).toBe(0);
  expect(output).toMatch(/^A pass reads the whole table: about \d+ read units, \$[\d.]+, \d+ s\./);
  const [first] = /^Pass 1: erased .*$/m.exec(output) ?? [''];
  const kinds = 'entities descriptions subjects idempotency records columns reminders manifests';
  for (const name of kinds.split(' ')) expect(first).toContain(name);
  expect(output).toMatch(
    /^Pass \d: found nothing\.\nOf this tenant, the table has only the names of its logs/m,
  );
  const left = await keysOf('public');
  expect([left.length, left.filter((key) => !isPosition(key))]).toEqual([11, []]);
  expect(await keysOf(other)).toEqual(others);
  const again = await run('erase', flags);
  expect(again.output).toMatch(/^Pass 1: found nothing\.$/m);
});

test('erases the data of a tenant of tokens, under the name that its claim has', async () => {
  const tenant = encodeTenant('a/b') as string;
  await createEntity({ tenant, database: database() }, 'organization', { name: 'x', status: 'active' });
  await run('erase', [...table(), '--tenant', 'a/b', '--access-revoked']);
  expect((await keysOf(tenant)).filter((key) => !isPosition(key))).toEqual([]);
});

test('erases a deleted entity with what its deletion removed, and no other one', async () => {
  const organization = await api.organizations.create({ name: 'x' });
  const project = await api.projects.create({ name: 'x', organizationId: organization.id });
  const description = 'long '.repeat(200);
  const task = await api.tasks.create({ name: 'x', description, projectId: project.id });
  const kept = await api.tags.create({ name: 'kept' });
  await api.projects.delete(project.id);
  await api.tags.delete(kept.id);
  const restore = (name: string) => fetch(`${service.url}/v1/${name}/restore`, { method: 'POST' });
  const erase = (name: string) => run('erase', [...table(), '--without-tokens', '--entity', name]);
  const erased = (count: number) => ({
    code: 0,
    output: expect.stringMatching(`^Erased ${count} entities.\nThe deletion is still in progress.`),
  });
  expect(await erase(`projects/${project.id}`)).toMatchObject(erased(2));
  const left = (await itemsOf('public')).filter(
    ({ pk }) => String(pk).endsWith(project.id) || String(pk).endsWith(task.id),
  );
  // The ids stay until they expire, and nothing that a user has written.
  expect(left).toHaveLength(2);
  const attributes = ['deletedAt', 'erased', 'expiresAt', 'kind', 'logPosition', 'pk', 'sk', 'version'];
  for (const item of left) expect(Object.keys(item).sort()).toEqual(attributes);
  expect((await restore(`projects/${project.id}`)).status).toBe(404);
  expect((await restore(`tags/${kept.id}`)).status).toBe(200);
  const refused = (message: string) => ({ code: 1, errors: expect.stringContaining(message) });
  expect(await erase(`projects/${project.id}`)).toMatchObject(erased(0));
  const unknown = project.id.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
  expect(await erase(`projects/${unknown}`)).toMatchObject(refused('There is no deleted project'));
  expect(await erase(`tags/${kept.id}`)).toMatchObject(refused('is not deleted'));
  expect((await api.tags.get(kept.id)).name).toBe('kept');
});
