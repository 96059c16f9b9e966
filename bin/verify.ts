import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '../client/index.ts';
import { runCommand } from '../lib/cli/command-line.ts';
import { journalOf, journalVariable, removeCreated, stopFileOf } from '../lib/cli/created-entities.ts';
import { requireService } from '../lib/cli/require-service.ts';
import { type VerifyOptions, verifyHelp, verifyOptions } from '../lib/cli/verify-options.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs the tests. @returns the exit code, or undefined when a signal ended them. */
async function runTests({ url, token, only = '' }: VerifyOptions): Promise<number | undefined> {
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const journal = resolve(root, journalOf(url));
  mkdirSync(dirname(journal), { recursive: true });
  rmSync(stopFileOf(journal), { force: true });
  const progress = resolve(root, 'test/support/verify-progress.js');
  // The flag takes all arguments up to the next flag.
  const flags = ['--reporters=default', `--reporters=${progress}`, '--verbose'];
  const suites = spawn(process.execPath, [jest, ...flags, `test/contract/.*${only}`], {
    cwd: root,
    stdio: 'inherit',
    // A group of its own: a signal of the terminal must not end the tests before they delete what they created.
    detached: true,
    env: { ...process.env, BASE_URL: url, [journalVariable]: journal, ...(token && { TOKEN: token }) },
  });
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const isRunning = suites.exitCode === null && suites.signalCode === null;
      if (isInterrupted && isRunning) process.kill(-(suites.pid ?? 0), 'SIGKILL');
      if (isInterrupted) return;
      isInterrupted = true;
      console.error('Stopping. The tests delete what they created. A second signal ends them at once.');
      writeFileSync(stopFileOf(journal), '');
    });
  }
  const [code] = (await once(suites, 'exit')) as [number | null];
  rmSync(stopFileOf(journal), { force: true });
  return isInterrupted ? undefined : (code ?? 1);
}

async function cleanUp({ url, token }: VerifyOptions, reason: string): Promise<void> {
  const deleted = await removeCreated(url, token, resolve(root, journalOf(url)));
  if (deleted > 0) console.error(`Deleted ${deleted} entities that ${reason} had created.`);
}

await runCommand('npm run verify', async () => {
  const options = verifyOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(verifyHelp);
    return 0;
  }
  await requireService(createClient(options), options.url);
  await cleanUp(options, 'an earlier run');
  const code = await runTests(options);
  await cleanUp(options, code === undefined ? 'the interrupted run' : 'failed tests');
  return code ?? 130;
});
