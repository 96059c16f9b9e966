import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';

/**
 * Follows a list with the adapters of the packed client: a first copy, writes of others, local writes, a conflict, and a deletion with its
 * dependents. The libraries are packages of this folder: `npm test -- --only sync-adapters` installs them.
 */

const execute = promisify(execFile);
const adapters = readdirSync(join(__dirname, 'copies')).map((file) => file.replace('.ts', ''));
let service: Service;

beforeAll(async () => {
  service = await startTestService();
});

afterAll(() => service.stop());

test.each(adapters)('a copy in %s is the list', async (adapter) => {
  const args = ['--import', 'tsx', join(__dirname, 'program.ts'), adapter, service.url];
  const { stdout } = await execute(process.execPath, args, {
    env: { ...process.env, NODE_ENV: 'production' },
  });
  expect(stdout).toContain('The copy is the list.');
});
