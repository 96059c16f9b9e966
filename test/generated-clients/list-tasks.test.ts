import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '../../client/index.ts';
import { provideTestService } from '../support/local-service.ts';

/**
 * Generates clients from the document that the service publishes for generators, compiles them, and lists tasks with each. The generators
 * are packages of this folder: `npm test -- --only generated-clients` installs them.
 */

const execute = promisify(execFile);
const generated = join(__dirname, 'dist');
const guide = readFileSync(join(__dirname, '../../docs/guides/generating-a-client.md'), 'utf8');

/** The generators of the guide: rows of its table. */
const generators = [...guide.matchAll(/^\| (\S+) ([\d.]+) +\| `([^`]+)`/gm)].map(
  ([, name = '', version = '', command = '']) => ({
    name: name.replace(/^@(.*)\/.*/, '$1'),
    version: `${name} ${version}`,
    command,
  }),
);

const service = provideTestService();

async function run(program: string, args: readonly string[], cwd = __dirname): Promise<string> {
  const { stdout } = await execute(program, args, { cwd }).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`, { cause: error });
  });
  return stdout;
}

/** Runs the command of the guide in a folder with the document. @throws Error with its output. */
async function generate(reference: string, { name, command }: (typeof generators)[number]): Promise<void> {
  const folder = join(generated, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'reference.json'), reference);
  copyFileSync(join(__dirname, 'orval.config.js'), join(folder, 'orval.config.js'));
  const [program = '', ...args] = command.split(' ');
  await run(join(__dirname, 'node_modules/.bin', program), args, folder);
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
  rmSync(generated, { recursive: true, force: true });
  const [reference] = await Promise.all([fetch(`${service.url}/docs/reference.json`), createTasks()]);
  const document = await reference.text();
  await Promise.all(generators.map((generator) => generate(document, generator)));
});

test('the guide names the versions that are installed here, and its first command as in its table', () => {
  const { dependencies } = JSON.parse(readFileSync(join(__dirname, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  expect(generators).toHaveLength(4);
  for (const { version } of generators) {
    const [name = '', number] = version.split(' ');
    expect([name, number]).toEqual([name, dependencies[name]]);
  }
  const [{ command, version } = { command: '', version: '' }] = generators;
  expect(guide).toContain(`npx ${version.replace(' ', '@')}${command.slice(command.indexOf(' '))}\n`);
});

test('the generated clients compile with strict types, and reject a field that is not sortable', async () => {
  expect(await run(join(__dirname, 'node_modules/.bin/tsc'), ['--project', '.'])).toBe('');
});

test.each(generators)('a client of $name lists with filters, expansions and an order', async ({ name }) => {
  expect(await list(name)).toEqual([
    ['Most important', 'urgent', '2026-05-31', null, null],
    ['Earlier', 'high', '2026-03-01', 'Relaunch', 'Ada'],
    ['Selected', 'high', '2026-05-31', 'Relaunch', 'Ada'],
    ['Planned', 'low', '2026-05-31', 'Relaunch', 'Ada'],
  ]);
});
