import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '#client/index.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { importedIdsFile } from '#lib/transfer/imported-ids.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { commandLine, run } from './run.ts';
import { killLeftovers, spawnGroup } from './started-service.ts';

/** `npx pm-api export` and `npx pm-api import`, from one running service to another. */

let source: Service;
let target: Service;
let from: Client;
let to: Client;
let folder: string;

beforeAll(async () => {
  // One after the other: the address of the engine is in the environment of the process while a service starts.
  source = await startService({ port: 0, databaseFile: ':memory:' });
  target = await startService({ port: 0, databaseFile: ':memory:' });
  from = createClient({ url: source.url });
  to = createClient({ url: target.url });
});

beforeEach(() => {
  folder = temporaryFolder();
});

afterEach(killLeftovers);

afterAll(async () => {
  await source.stop();
  await target.stop();
});

const file = (name: string): string => join(folder, name);

const importFlags = (collection: string, input: string, more: readonly string[] = []) => [
  ...['--collection', collection, '--url', target.url, '--input', file(input)],
  ...more,
];

const imported = (collection: string, input: string, more: readonly string[] = []) =>
  run('import', importFlags(collection, input, more));

const write = (name: string, entities: readonly object[]): void =>
  writeFileSync(file(name), entities.map((entity) => `${JSON.stringify(entity)}\n`).join(''));

/** Returns tasks, each with a status of its own. */
const tasks = (length: number, name: string, description = '') =>
  Array.from({ length }, (_, number) => ({ id: `old ${number}`, name, status: `s${number}`, description }));

const totalOf = async (name: string): Promise<number> => (await to.tasks.list({ name, limit: 1 })).total;

test('a folder that was exported is imported as a whole, in the order of references', async () => {
  const organization = await from.organizations.create({ name: 'Whole' });
  const project = await from.projects.create({ name: 'Whole', organizationId: organization.id });
  await from.tasks.create({ name: 'Whole', projectId: project.id });
  await run('export', ['--url', source.url, '--output', folder]);
  const flags = ['--url', target.url, '--input', folder];
  const { output } = await run('import', flags);
  expect(output.match(/^Created \d+ \w+/gm)).toHaveLength(5);
  const { data } = await to.tasks.list({ name: 'Whole', expand: ['project'] });
  const [imported] = data.filter(({ projectId }) => projectId !== project.id);
  expect(imported?.project).toMatchObject({ name: 'Whole', organizationId: expect.any(String) });
  expect(imported?.project?.organizationId).not.toBe(organization.id);
  const refused = await run('import', [...flags.slice(0, -1), file('tasks.ndjson')]);
  expect(refused).toMatchObject({ code: 2, errors: expect.stringContaining('name its --collection') });
  const empty = await run('import', [...flags.slice(0, -1), temporaryFolder()]);
  expect(empty).toMatchObject({
    code: 2,
    errors: expect.stringContaining('is no folder that was exported'),
  });
});

test('what was exported can be imported, with references to the new entities', async () => {
  const organization = await from.organizations.create({ name: 'Acme' });
  const user = await from.users.create({ name: 'Ada', organizationId: organization.id });
  const tags = await from.tags.batch([
    { operation: 'create', body: { name: 'one' } },
    { operation: 'create', body: { name: 'two' } },
  ]);
  const project = await from.projects.create({ name: 'Relaunch', organizationId: organization.id });
  const description = 'long '.repeat(500);
  await from.tasks.create({
    name: 'Transferred',
    description,
    dueDate: '2026-12-01',
    priority: 'high',
    projectId: project.id,
    userId: user.id,
    tagIds: tags.map(({ id }) => id),
  });
  const { errors } = await run('export', ['--url', source.url, '--output', folder]);
  for (const name of ['organizations', 'users', 'tags', 'projects', 'tasks']) {
    expect(errors).toMatch(new RegExp(`^Wrote \\d ${name} to `, 'm'));
    const { output } = await imported(name, `${name}.ndjson`);
    expect(output).toMatch(new RegExp(`^Created \\d ${name}\\. They have .* new ids: `, 'm'));
  }
  const [task] = (await to.tasks.list({ name: 'Transferred', expand: ['project', 'user', 'tags'] })).data;
  expect(task).toMatchObject({ description, dueDate: '2026-12-01', priority: 'high' });
  expect(task?.project).toMatchObject({ name: 'Relaunch' });
  expect(task?.user).toMatchObject({ name: 'Ada' });
  expect(task?.tags.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('an import that is killed continues, and creates nothing twice', async () => {
  const total = 2_000;
  write('tasks.ndjson', tasks(total, 'Killed'));
  const flags = importFlags('tasks', 'tasks.ndjson', ['--concurrency', '2']);
  const killed = spawnGroup(...commandLine('import', flags));
  // Only the file of ids says what a second run knows, and this process answers the import: it cannot end meanwhile.
  await until(
    () =>
      existsSync(file(importedIdsFile)) && readFileSync(file(importedIdsFile), 'utf8').includes('"created"'),
  );
  process.kill(-(killed.process.pid ?? 0), 'SIGKILL');
  await killed.ended();
  const before = await totalOf('Killed');
  expect(before).toBeLessThan(total);
  const { output } = await run('import', flags);
  expect(output).toMatch(/^An earlier run created \d+ of the tasks\.\nCreated \d+ tasks\./m);
  expect(await totalOf('Killed')).toBe(total);
  const { counts } = await to.tasks.list({ name: 'Killed', countBy: ['status'], limit: 1 });
  expect(new Set(counts.status.map(({ count }) => count))).toEqual(new Set([1]));
});

test('what was created before the crash, but not noted, is not created again, also in a file that has grown', async () => {
  write('tasks.ndjson', tasks(30, 'Not noted'));
  await imported('tasks', 'tasks.ndjson', ['--concurrency', '1']);
  // The crash left a part of the line of the last batch.
  const noted = readFileSync(file(importedIdsFile), 'utf8');
  writeFileSync(file(importedIdsFile), noted.slice(0, -10));
  write('tasks.ndjson', tasks(40, 'Not noted'));
  const { output } = await imported('tasks', 'tasks.ndjson');
  expect(output).toMatch(/^An earlier run created 30 of the tasks\.\nCreated 10 tasks\./m);
  expect(await totalOf('Not noted')).toBe(40);
});

test('a corrected file creates the rest, in the order of its lines, with sub-tasks below parents of later lines', async () => {
  const parentOf = (number: number) => (number < 100 ? `old ${number + 100}` : null);
  const lines = tasks(200, 'Tree').map((line, number) => ({ ...line, parentId: parentOf(number) }));
  write('tasks.ndjson', lines.with(29, { ...tasks(30, '')[29], parentId: null } as (typeof lines)[0]));
  expect((await imported('tasks', 'tasks.ndjson')).errors).toMatch(/^Line 30 is refused: /m);
  const created = await totalOf('Tree');
  lines.splice(29, 1);
  write('tasks.ndjson', lines);
  const { output } = await imported('tasks', 'tasks.ndjson');
  expect(output).toContain(
    `An earlier run created ${created} of the tasks.\nCreated ${199 - created} tasks.`,
  );
  expect(await totalOf('Tree')).toBe(199);
  const { data } = await to.tasks.list({ name: 'Tree', expand: ['parent'], limit: 100, page: 2 });
  const parents = data.map(({ parent }) => parent?.status.replace('s', 'old ') ?? null);
  expect(parents.toReversed()).toEqual(lines.slice(0, 99).map(({ parentId }) => parentId));
  const cycle = ['a', 'b'].map((id, place) => ({ id, name: 'Cycle', parentId: ['b', 'a'][place] }));
  write('cycle.ndjson', cycle);
  expect((await imported('tasks', 'cycle.ndjson')).errors).toMatch(/^Line 1 is below itself, or below a/m);
});

test('a reference to an entity that was not imported fails, is kept or dropped', async () => {
  const tag = await to.tags.create({ name: 'there' });
  write('tasks.ndjson', [{ id: 'a', name: 'Referring', tagIds: [tag.id] }]);
  const refused = await imported('tasks', 'tasks.ndjson');
  const errors = expect.stringMatching(/^Line 1: "tagIds" refers to the tag/);
  expect(refused).toMatchObject({ code: 1, errors });
  expect(await totalOf('Referring')).toBe(0);
  await imported('tasks', 'tasks.ndjson', ['--other-references', 'keep']);
  expect((await to.tasks.list({ name: 'Referring' })).data[0]?.tagIds).toEqual([tag.id]);
  write('more.ndjson', [{ id: 'b', name: 'Dropping', tagIds: [tag.id], projectId: 'x' }]);
  const dropping = ['--other-references', 'drop'];
  expect((await imported('tasks', 'more.ndjson', dropping)).errors).toMatch(
    /^Line 1: "projectId" .* It decides who sees the task, so it is not dropped. .* --open-tasks\.$/m,
  );
  await imported('tasks', 'more.ndjson', [...dropping, '--open-tasks']);
  expect((await to.tasks.list({ name: 'Dropping' })).data[0]).toMatchObject({ tagIds: [], projectId: null });
  write('organizations.ndjson', [{ id: 'o', name: 'there' }]);
  await imported('organizations', 'organizations.ndjson');
  write('projects.ndjson', [{ id: 'c', name: 'x', organizationId: 'o', memberIds: ['ada'] }]);
  expect((await imported('projects', 'projects.ndjson', [...dropping, '--open-tasks'])).errors).toMatch(
    /^Line 1: "memberIds" .* so it is not dropped. Import it first\.$/m,
  );
});

test('a file that is wrong is refused with the line, before anything is created', async () => {
  writeFileSync(file('broken.ndjson'), '{"id":"a","name":"Wrong"}\n{"id":\n');
  expect(await imported('tasks', 'broken.ndjson')).toMatchObject({
    code: 1,
    errors: expect.stringMatching(/^Line 2 of .* is not JSON\. Nothing was created\.$/m),
  });
  write('twice.ndjson', [
    { id: 'a', name: 'Wrong' },
    { id: 'a', name: 'Wrong' },
  ]);
  expect((await imported('tasks', 'twice.ndjson')).errors).toMatch(/^Lines 1 and 2 of .* have the same id\./);
  write('invalid.ndjson', [
    { id: 'a', name: 'Wrong' },
    { id: 'b', name: 'Wrong', priority: 'huge' },
  ]);
  expect((await imported('tasks', 'invalid.ndjson')).errors).toMatch(/^Line 2 is refused: /m);
  expect(await totalOf('Wrong')).toBe(0);
});

test('the ids of one service are not used for another one', async () => {
  write('tags.ndjson', [{ id: 'a', name: 'One service' }]);
  await imported('tags', 'tags.ndjson');
  const flags = ['--collection', 'tags', '--url', source.url, '--input', file('tags.ndjson')];
  const errors = expect.stringContaining('has the ids of another service');
  expect(await run('import', flags)).toMatchObject({ code: 1, errors });
  // This service has no other tenant than `public`.
  const noted = readFileSync(file(importedIdsFile), 'utf8');
  writeFileSync(file(importedIdsFile), noted.replace('"tenant":"public"', '"tenant":"acme"'));
  expect((await imported('tags', 'tags.ndjson')).errors).toContain('has the ids of the tenant acme');
});

test('large entities are imported in smaller batches', async () => {
  write('tasks.ndjson', tasks(25, 'Large', '😀'.repeat(5_000)));
  expect(await imported('tasks', 'tasks.ndjson')).toMatchObject({ code: 0 });
  expect(await totalOf('Large')).toBe(25);
});

test('a folder without the file of the collection is refused in one line', async () => {
  expect((await imported('tags', '.')).errors).toMatch(/^There is no file .*tags\.ndjson\.\n$/);
  const flags = ['--collection', 'tags', '--url', source.url, '--output', folder];
  expect((await run('export', flags)).errors).toMatch(/^.* cannot be written: EISDIR.*\n$/);
});

test('CSV has a line for each entity, which no spreadsheet takes for a formula', async () => {
  await from.tags.create({ name: '=1+1', description: 'a "quoted"\nline, and more' });
  const flags = ['--collection', 'tags', '--format', 'csv', '--url', source.url];
  const { output, errors } = await run('export', flags);
  expect(errors).toMatch(/^Wrote \d tags\.$/m);
  const [header, ...lines] = output.split('\r\n');
  expect(header).toBe('id,name,status,color,description,organizationId,createdAt,updatedAt');
  expect(lines.at(-2)).toMatch(/^[^,]{36},'=1\+1,active,#808080,"a ""quoted""\nline, and more",,20/);
});
