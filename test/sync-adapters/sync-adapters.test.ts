import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { provideTestService } from '../support/local-service.ts';

/**
 * Follows a list with the adapters of the packed client: a first copy, writes of others, local writes, a conflict, and a deletion with its
 * dependents. The libraries are packages of this folder: `npm test -- --only sync-adapters` installs them.
 */

const execute = promisify(execFile);
const adapters = readdirSync(join(__dirname, 'copies')).map((file) => file.replace('.ts', ''));
const service = provideTestService();

async function run(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await execute(
    process.execPath,
    ['--import', 'tsx', join(__dirname, program), ...args, service.url],
    { env: { ...process.env, NODE_ENV: 'production' } },
  );
  return stdout;
}

test.each(adapters)('a copy in %s is the list', async (adapter) => {
  expect(await run('program.ts', adapter)).toContain('The copy is the list.');
});

test('a query of TanStack Query shows what another client changes', async () => {
  expect(await run('tanstack-query-program.ts')).toContain('The query is the list.');
});
