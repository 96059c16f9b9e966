import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '#client/index.ts';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { referenceDocument } from '#lib/openapi/reference-document.ts';
import { exampleOrigin } from '#lib/openapi/samples/request.ts';
import type { OpenApiDocument, Operation } from '#lib/openapi/types.ts';
import { idPattern, ownIds } from '#lib/site/own-ids.ts';
import { compilerMessages, ofNode } from '../support/compiler.ts';
import { provideTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The examples of README and of the reference, run as a reader would paste them. */

const run = promisify(execFile);
const root = join(__dirname, '../..');

/** The address of a service on the default port, as README has it. */
const defaultOrigin = 'http://localhost:3000';

const folder = temporaryFolder();
const service = provideTestService();

async function shell(script: string, cwd = folder): Promise<string> {
  const env = { ...process.env, TOKEN: '' };
  const text = script.replaceAll(exampleOrigin, service.url).replaceAll(defaultOrigin, service.url);
  return (await run('bash', ['-euo', 'pipefail', '-c', text], { cwd, env })).stdout;
}

async function commandsOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
}

describe('README', () => {
  test('creates two tasks, and lists the urgent one with a count', async () => {
    const [, first = ''] = await commandsOf(join(root, 'README.md'));
    const list = JSON.parse((await shell(first)).trim().split('\n').at(-1) ?? '') as object;
    expect(list).toMatchObject({
      data: [{ name: 'Launch', priority: 'urgent' }],
      total: 1,
      counts: { status: [{ value: 'active', count: 1 }] },
    });
    expect(await shell(first.replace('"name":"Draft"', '"nmae":"Draft"'))).toContain('Did you mean');
  });

  test('lists the important tasks of the sample data', async () => {
    const [, , use = ''] = await commandsOf(join(root, 'README.md'));
    const [, list = ''] = use.split(/^(?=curl)/m);
    expect(JSON.parse(await shell(list))).toMatchObject({ page: 1 });
  });
});

test('the requests in a file succeed one after the other, and the last is an error', async () => {
  const text = await readFile(join(root, 'examples/requests.http'), 'utf8');
  const responses = new Map<string, { body: Record<string, string>; headers: Headers }>();
  const textAt = (place: string): string => {
    if (place === '$guid') return randomUUID();
    const [name = '', , part, field = ''] = place.replace('$.', '').split('.');
    const { body, headers } = responses.get(name) ?? { body: {}, headers: new Headers() };
    return (part === 'body' ? body[field] : headers.get(field)) ?? '';
  };
  const statuses: number[] = [];
  for (const part of text.split(/^### .*\n/m).slice(1)) {
    const filled = part
      .replaceAll('{{url}}', service.url)
      .replaceAll(/^Authorization.*\n/gm, '')
      .replaceAll(/\{\{([^}]+)\}\}/g, (_, place: string) => textAt(place));
    const [, name = ''] = /^# @name (\w+)$/m.exec(filled) ?? [];
    const [head = '', body] = filled
      .replace(/^# .*\n/m, '')
      .trim()
      .split('\n\n', 2);
    const [line = '', ...headers] = head.split('\n');
    const [method = '', address = ''] = line.split(' ');
    const pairs = headers.map((header) => header.split(': ', 2) as [string, string]);
    const response = await fetch(address, { method, headers: pairs, ...(body && { body }) });
    statuses.push(response.status);
    const content = response.status === 204 ? '{}' : await response.text();
    responses.set(name, { body: JSON.parse(content), headers: response.headers });
  }
  expect(statuses).toEqual([201, 201, 201, 200, 200, 200, 200, 200, 200, 204, 200, 400]);
});

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;

/** Returns all operations. Deletions come late: an organization takes its projects and tasks along. What is restored comes last. */
function operationsInOrder(): Operation[] {
  const all = Object.values(referenceDocument(document).paths).flatMap((item) => Object.values(item));
  const of = (pattern: RegExp) => all.filter(({ operationId }) => pattern.test(operationId));
  return [...of(/^(?!delete|restore)/), ...of(/^delete/).reverse(), ...of(/^restore/)];
}

/**
 * Creates entities of each collection that refer to each other. @returns the ids of two in each collection: a sample deletes the second one,
 * so that it belongs to a chain of its own.
 */
async function seed(): Promise<Record<string, string[]>> {
  const client = createClient({ url: service.url });
  const chain = async () => {
    const { id: organizationId } = await client.organizations.create({ name: 'Acme' });
    const { id: projectId } = await client.projects.create({ name: 'Relaunch', organizationId });
    const { id: userId } = await client.users.create({ name: 'Ada' });
    const { id: tagId } = await client.tags.create({ name: 'design' });
    const { id: taskId } = await client.tasks.create({ name: 'Draft', projectId, userId, tagIds: [tagId] });
    return { organizations: organizationId, projects: projectId, users: userId, tags: tagId, tasks: taskId };
  };
  const first = await chain();
  const collections = Object.keys(first) as (keyof typeof first)[];
  const ids: Record<string, string[]> = {};
  for (const collection of collections) ids[collection] = [first[collection], (await chain())[collection]];
  return ids;
}

interface Program {
  /** Name of the file. */
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  readonly opening?: string;
  /** Returns a sample as a part of a program that prints a status between 200 and 299, or fails. */
  readonly part: (sample: string) => string;
}

const programs: Readonly<Record<string, Program>> = {
  curl: {
    file: 'samples.sh',
    command: ['bash', '-euo', 'pipefail'],
    part: (sample) => sample.replace('curl -s', "curl -s -o /dev/null -w '%{http_code}\\n'"),
  },
  TypeScript: {
    file: 'samples.mts',
    command: [process.execPath, '--import', require.resolve('tsx')],
    opening: `import { createClient } from ${JSON.stringify(join(root, 'client/index.ts'))};`,
    // The client throws an error for any other status.
    part: (sample) => `{\n${sample.replace(/^import .*\n/, '')}\n}\nconsole.log(200);`,
  },
  Python: { file: 'samples.py', command: ['python3'], part: (sample) => sample },
};

describe('the samples of the reference', () => {
  test('in TypeScript compile with the client of this project', async () => {
    const files: string[] = [];
    for (const { operationId, 'x-codeSamples': samples = [] } of operationsInOrder()) {
      files.push(`${operationId}.mts`);
      const source = samples.find(({ label }) => label === 'TypeScript')?.source ?? '';
      await writeFile(join(folder, `${operationId}.mts`), source);
    }
    expect(await compilerMessages(folder, files, ofNode)).toBe('');
  });

  test.each(Object.keys(programs))(
    'in %s succeed for every operation when they are pasted',
    async (label) => {
      const { file, command, opening = '', part } = programs[label] as Program;
      const seeded = await seed();
      const idsOf = async (collection: string) => seeded[collection.replace('/deleted', '')] ?? [];
      const operations = operationsInOrder();
      const parts: string[] = [];
      for (const { operationId, tags, 'x-codeSamples': samples = [] } of operations) {
        const sample = samples.find((one) => one.label === label)?.source ?? '';
        const collection = `${tags[0]?.toLowerCase()}${operationId.startsWith('restore') ? '/deleted' : ''}`;
        const ids = await ownIds(sample, collection, idsOf);
        const own = sample
          .replaceAll(idPattern, (id) => ids.get(id) ?? id)
          .replaceAll(exampleOrigin, service.url);
        parts.push(part(own));
      }
      const path = join(folder, file);
      await writeFile(path, [opening, ...parts].join('\n'));
      const [program, ...flags] = command;
      const { stdout } = await run(program, [...flags, path], {
        cwd: folder,
        env: { ...process.env, TOKEN: '' },
      });
      const statuses = [...stdout.matchAll(/^(\d{3})(?: |$)/gm)].map(([, status = '']) => status.charAt(0));
      const expected = label === 'TypeScript' ? statuses : operations.map(() => '2');
      expect(statuses).toEqual(expected);
      expect(statuses.length).toBeGreaterThanOrEqual(operations.length);
    },
  );

  test.each(['curl', 'Python'])('in %s create an entity each time', async (label) => {
    const { tags } = createClient({ url: service.url });
    const createTag = operationsInOrder().find(({ operationId }) => operationId === 'createTag');
    const { source = '' } = createTag?.['x-codeSamples']?.find((one) => one.label === label) ?? {};
    const sample = source.replaceAll(exampleOrigin, service.url).replace(/^.*organizationId.*\n/m, '');
    const { command, part } = programs[label] as Program;
    const path = join(folder, 'create-tag');
    await writeFile(path, part(sample));
    const { total } = await tags.list();
    for (const [program, ...flags] of [command, command])
      await run(program, [...flags, path], { env: { ...process.env, TOKEN: '' } });
    expect((await tags.list()).total).toBe(total + 2);
  });
});
