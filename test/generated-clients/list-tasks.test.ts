import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../../client/index.ts';
import { npm } from '../../lib/cli/tools.ts';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';

/**
 * Generates clients from the document that the service publishes for generators, compiles them, and lists tasks with each. The generators
 * are packages of this folder: `npm run test:all -- --only generated-clients` installs them.
 */

const execute = promisify(execFile);
const generators = ['orval', 'openapi-fetch', 'hey-api', 'swagger-typescript-api'];
const generated = join(__dirname, 'dist');
let service: Service;

/** Runs a script of the folder's package.json, and returns its output. @throws Error with its output. */
async function run(script: string): Promise<string> {
  const [program, ...args] = npm('run', '--silent', script);
  const { stdout } = await execute(program, args, { cwd: __dirname }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`, { cause: error });
  });
  return stdout;
}

const list = async (generator: string): Promise<unknown> => {
  const program = join(__dirname, 'clients', `${generator}.ts`);
  const { stdout } = await execute(process.execPath, ['--import', 'tsx', program, service.url]);
  return JSON.parse(stdout);
};

async function createTasks(): Promise<void> {
  const client = createClient({ url: service.url });
  const organization = await client.organizations.create({ name: 'Acme' });
  const { id: projectId } = await client.projects.create({
    name: 'Relaunch',
    organizationId: organization.id,
  });
  const { id: userId } = await client.users.create({ name: 'Ada' });
  const selected = { projectId, userId, priority: 'high', dueDate: '2026-05-31' } as const;
  await client.tasks.batch([
    { operation: 'create', body: { name: 'Selected', ...selected } },
    { operation: 'create', body: { name: 'Earlier', ...selected, dueDate: '2026-03-01' } },
    { operation: 'create', body: { name: 'Most important', priority: 'urgent', dueDate: '2026-05-31' } },
    { operation: 'create', body: { name: 'Planned', ...selected, priority: 'low', status: 'planned' } },
    { operation: 'create', body: { name: 'Too late', ...selected, dueDate: '2026-06-01' } },
    { operation: 'create', body: { name: 'Draft, old', ...selected } },
    { operation: 'create', body: { name: 'Print', ...selected } },
    { operation: 'create', body: { name: 'Another status', ...selected, status: 'completed' } },
  ]);
}

beforeAll(async () => {
  service = await startTestService();
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  const [reference] = await Promise.all([fetch(`${service.url}/docs/reference.json`), createTasks()]);
  writeFileSync(join(generated, 'reference.json'), await reference.text());
  await Promise.all(generators.map(run));
});

afterAll(() => service?.stop());

test('the generated clients compile with strict types, and reject a field that is not sortable', async () => {
  expect(await run('types')).toBe('');
});

test.each(generators)('a client of %s lists with filters, expansions and an order', async (generator) => {
  expect(await list(generator)).toEqual([
    ['Most important', 'urgent', '2026-05-31', null, null],
    ['Earlier', 'high', '2026-03-01', 'Relaunch', 'Ada'],
    ['Selected', 'high', '2026-05-31', 'Relaunch', 'Ada'],
    ['Planned', 'low', '2026-05-31', 'Relaunch', 'Ada'],
  ]);
});
