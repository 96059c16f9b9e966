import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';

/** Uses the built client as an installed package of another project. */

const execute = promisify(execFile);
const root = join(__dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'consumer-'));
let service: Service;

beforeAll(async () => {
  service = await startTestService();
  await execute('npm', ['run', '--silent', 'build:client'], { cwd: root });
  mkdirSync(join(project, 'node_modules'));
  symlinkSync(root, join(project, 'node_modules/project-management-api'));
});

afterAll(async () => {
  rmSync(project, { recursive: true });
  await service.stop();
});

const program = (url: string): string => `
import { createClient, isProblem } from 'project-management-api/client';

const client = createClient({ url: '${url}' });
await client.tags.create({ name: 'installed' });
for await (const { name } of client.tags.iterate({ name: 'installed' })) console.log(name);
try {
  await client.tags.read('unknown');
} catch (error) {
  if (isProblem(error, 'not-found')) console.log(error.problem.status);
}
`;

test('the package runs in Node.js without a build step', async () => {
  writeFileSync(join(project, 'program.mjs'), program(service.url));
  const { stdout } = await execute(process.execPath, ['program.mjs'], { cwd: project });
  expect(stdout).toBe('installed\n404\n');
});

/** Compiles a program with the types of a browser, without those of Node.js and without the sources of this project. */
function compile(text: string) {
  writeFileSync(join(project, 'program.ts'), text);
  const flags =
    '--noEmit --strict --skipLibCheck false --module esnext --moduleResolution bundler --target es2022';
  const command = [...flags.split(' '), '--lib', 'es2022,dom', '--types', '', 'program.ts'];
  return execute(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...command], {
    cwd: project,
  });
}

test('its types compile in a browser project', async () => {
  await compile(program(service.url));
  await expect(compile(program(service.url).replace('name:', 'nmae:'))).rejects.toMatchObject({
    stdout: expect.stringContaining('nmae'),
  });
});

test('the examples in docs/client.md compile', async () => {
  const page = readFileSync(join(root, 'docs/client.md'), 'utf8');
  const examples = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(examples.length).toBeGreaterThan(3);
  const declarations = 'declare function show(...all: unknown[]): void;\ndeclare function reload(): void;\n';
  await compile(declarations + examples.join('\n'));
});
