import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { provideTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Packs the client and installs it in another project, without a network. `TYPESCRIPT` selects another compiler. */

const execute = promisify(execFile);
const root = join(__dirname, '../..');
const folder = temporaryFolder();
const project = join(folder, 'app');
const compiler = resolve(root, process.env['TYPESCRIPT'] ?? 'node_modules/typescript', 'bin/tsc');
const service = provideTestService();
let installation: { readonly stdout: string; readonly stderr: string };

const manifest = (path: string) =>
  JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, unknown>;

const run = async (file: string): Promise<string> =>
  (await execute(process.execPath, [file], { cwd: project })).stdout;

beforeAll(async () => {
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
  const packing = ['bin/pm-api.mjs', 'client', '--pack-destination', folder];
  await execute(process.execPath, packing, { cwd: root });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  installation = await execute('npm', ['install', '--offline', '--no-audit', join(folder, archive)], {
    cwd: project,
  });
});

test('the package is one package of less than 220 kB, and 500 kB for its program, which contains a library', () => {
  const installed = join(project, 'node_modules');
  const files = (readdirSync(installed, { recursive: true }) as string[])
    .map((path) => ({ path, stats: statSync(join(installed, path)) }))
    // Links to programs.
    .filter(({ path, stats }) => stats.isFile() && !path.startsWith('.bin'));
  const size = (isProgram: boolean): number =>
    files
      .filter(({ path }) => path.endsWith('dist/mcp.js') === isProgram)
      .reduce((sum, { stats }) => sum + stats.size, 0);
  expect(size(false)).toBeLessThan(220_000);
  expect(size(true)).toBeLessThan(500_000);
  const names = files.map(({ path }) => path.replace('project-management-client/', ''));
  expect(names.filter((name) => !name.startsWith('dist/')).sort()).toEqual([
    '.package-lock.json',
    'README.md',
    'llms.txt',
    'package.json',
  ]);
  const expected = [
    'index',
    'adapters/rxdb',
    'adapters/tanstack-db',
    'adapters/tanstack-query',
    'adapters/watermelondb',
  ];
  for (const name of expected)
    expect(names).toEqual(expect.arrayContaining([`dist/${name}.js`, `dist/${name}.d.ts`]));
});

test('the package installs without a warning, has no script and no dependency, and the version of the service', () => {
  expect(installation.stdout + installation.stderr).not.toMatch(/warn/i);
  const [own, service] = [manifest(join(root, 'client')), manifest(root)];
  const installed = manifest(join(project, 'node_modules/project-management-client'));
  expect([own['version'], own['license']]).toEqual([service['version'], service['license']]);
  const names = [...Object.keys(installed), ...Object.keys(own)].filter(
    (name) => !/^(?:dev|peer)D/.test(name),
  );
  expect(Object.keys(installed['peerDependencies'] as object).sort()).toEqual(
    Object.keys(installed['peerDependenciesMeta'] as object).sort(),
  );
  expect(names.filter((name) => /dependencies$/i.test(name))).toEqual([]);
  expect(installed).not.toHaveProperty('scripts');
});

/** A program that uses the packed client. */
const program = (url: string): string => `
import { createClient, isProblem } from 'project-management-client';

const client = createClient({ url: '${url}' });
await client.tags.create({ name: 'installed' });
for await (const tag of client.tags.iterate({ name: 'installed' })) {
  console.log(tag.name);
  await client.tags.delete(tag);
}
try {
  await client.tags.get('unknown');
} catch (error) {
  if (isProblem(error, 'not-found')) console.log(error.problem.status, error.problem.type);
}
`;

const printed = () => `installed\n404 ${service.url}/docs/problems#not-found\n`;

test('the package runs in Node.js without a build step, and CommonJS can require it', async () => {
  writeFileSync(join(project, 'program.js'), program(service.url));
  expect(await run('program.js')).toBe(printed());
  const text = `console.log(typeof require('project-management-client').createClient);`;
  writeFileSync(join(project, 'program.cjs'), text);
  expect(await run('program.cjs')).toBe('function\n');
});

/** A world like React Native's: without some globals, and with a `fetch` that is not that of Node.js, which needs them. */
const native = `
import { request } from 'node:http';

for (const name of ['URL', 'URLSearchParams', 'crypto', 'structuredClone', 'DOMException']) delete globalThis[name];
for (const name of ['any', 'timeout', 'abort']) delete AbortSignal[name];
delete AbortSignal.prototype.throwIfAborted;

globalThis.fetch = (url, { method, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, (received) => {
      const chunks = [];
      received.on('data', (chunk) => chunks.push(chunk));
      received.on('end', () => {
        const text = async () => Buffer.concat(chunks).toString();
        resolve({ status: received.statusCode, headers: { get: (name) => received.headers[name] ?? null }, text });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
`;

test('the package runs without the globals that React Native and older browsers do not have', async () => {
  writeFileSync(join(project, 'native.js'), native);
  writeFileSync(join(project, 'app.js'), `import './native.js';\n${program(service.url)}`);
  expect(await run('app.js')).toBe(printed());
});

test('its program offers the tools that only read, when it is asked to', async () => {
  const path = join(project, 'node_modules/.bin/project-management-mcp');
  const answered = execute(path, ['--url', service.url, '--read-only'], { cwd: project });
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  answered.child.stdin?.end(`${JSON.stringify(list)}\n`);
  const { result } = JSON.parse((await answered).stdout) as { result: { tools: { name: string }[] } };
  const names = result.tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['list', 'read', 'changes', 'history']));
  expect(names.filter((name) => /^(?:create|update|delete|restore|batch|archive|clone)/.test(name))).toEqual(
    [],
  );
});

test.each([
  [[], 1, '--url is missing'],
  [['--ulr', 'http://localhost'], 1, '--ulr'],
  [['--help'], 0, 'Model Context Protocol'],
])('its program ends with the arguments %j with %i and says why', async (args, code, text) => {
  const path = join(project, 'node_modules/.bin/project-management-mcp');
  const ended = await execute(path, args, { cwd: project }).catch((error) => error);
  expect([ended.code ?? 0, ended.stdout, ended.stderr]).toEqual([code, '', expect.stringContaining(text)]);
});

const browser = '--module esnext --moduleResolution bundler --lib es2022,dom --typeRoots none';
const node = `--module nodenext --lib es2022 --typeRoots ${join(root, 'node_modules/@types')} --types node`;

/**
 * Compiles a program with strict types, those of a browser or of Node.js, and without the sources of this project.
 * @throws Error with the messages of the compiler.
 */
async function compile(text: string, environment = browser): Promise<void> {
  writeFileSync(join(project, 'program.ts'), text);
  const flags =
    '--strict --exactOptionalPropertyTypes --skipLibCheck false --target es2022 --outDir compiled';
  const command = [...flags.split(' '), ...environment.split(' '), 'program.ts'];
  await execute(process.execPath, [compiler, ...command], { cwd: project }).catch((error) => {
    throw new Error(String(error.stdout), { cause: error });
  });
}

test.each([
  ['a browser', browser],
  ['Node.js', node],
])('its types compile in a project for %s', async (_, environment) => {
  await compile(program(service.url), environment);
  const wrong = program(service.url).replace('name:', 'nmae:');
  await expect(compile(wrong, environment)).rejects.toThrow('nmae');
});

test.each(['docs/client.md', 'client/README.md'])('the examples in %s compile and run', async (file) => {
  const page = readFileSync(join(root, file), 'utf8');
  const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(examples.length).toBeGreaterThan(0);
  const functions = 'const show = (...all: unknown[]): void => console.log(...all);\nconst reload = show;\n';
  await compile(functions + examples.join('\n').replaceAll('http://localhost:3000', service.url));
  const output = await run('compiled/program.js');
  expect(output).toMatch(/\d tasks/);
  if (file.startsWith('docs/')) {
    expect(output).toMatch(/^3 of 3 tasks: 3 active\n/);
    expect(output).toContain('its priority is now urgent');
    expect(output).toMatch(/^[1-9]\d* open tasks are important$/m);
  }
});

test('the commands of docs/client.md install the client and compile a program, also a second time', async () => {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const [install = '', build = ''] = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) => code);
  const target = join(folder, 'example');
  const script = install
    .replaceAll('/tmp/example', target)
    .replaceAll('npm install', 'npm install --offline --no-audit')
    .replaceAll('http://localhost:3000', service.url);
  const options = { cwd: root, env: { ...process.env, npm_config_loglevel: 'error' } };
  for (const attempt of [1, 2]) {
    // An archive of an earlier version, which the second run must not install.
    if (attempt === 2) writeFileSync(join(target, 'packed/project-management-client-0.0.1.tgz'), '');
    const { stdout } = await execute('bash', ['-euc', script], options);
    expect(stdout).toContain("name: 'Acme'");
  }
  writeFileSync(join(target, 'example.ts'), program(service.url));
  const [, compilation = ''] = build
    .replace('npx tsc', `"${process.execPath}" "${compiler}"`)
    .split(/^(?=".*tsc)/m);
  expect((await execute('bash', ['-euc', compilation], { cwd: target })).stdout).toBe(printed());
});
