import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from '#lib/local/service.ts';
import { printedBy, program } from '../client/program.ts';
import { startTestService } from '../support/local-service.ts';

const execute = promisify(execFile);
const root = join(__dirname, '../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
const folder = mkdtempSync(join(tmpdir(), 'example-'));
let service: Service;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await service.stop();
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
  expect((await execute('bash', ['-euc', compilation], { cwd: target })).stdout).toBe(printedBy(service.url));
});
