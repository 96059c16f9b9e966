import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { watch } from '#lib/local/engine-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

test('a run of tests that is killed leaves no worker, no engine and no service behind', async () => {
  const file = join(temporaryFolder(), 'processes');
  writeFileSync(file, '');
  const found = () => readFileSync(file, 'utf8').split(/\s/).filter(Boolean).map(Number);
  const jest = createRequire(__filename).resolve('jest/bin/jest');
  // One file in two projects is two files, for which jest starts workers.
  const flags = [
    '--selectProjects',
    'unit',
    'contract',
    '--testMatch',
    '**/test/cli/hung-test.ts',
    '--maxWorkers=2',
  ];
  const run = spawn(process.execPath, [jest, ...flags], {
    stdio: 'ignore',
    env: { ...process.env, DYNAMODB_ENDPOINT: '', PROCESSES_FILE: file },
  });
  // When this test is killed itself.
  watch(run);
  // A worker, its engine and its service, twice.
  await until(() => found().length >= 6);
  expect(found().filter(isRunning)).toEqual(found());
  run.kill('SIGKILL');
  await until(() => !found().some(isRunning));
});
