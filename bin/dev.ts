import { fileURLToPath } from 'node:url';
import { tool } from '../lib/command-line/programs.ts';
import { runProgram } from '../lib/command-line/run-program.ts';
import { startCommand, startOptions } from '../lib/command-line/start-options.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Functions are loaded on demand, so the watcher does not find them by their imports. */
const watched = ['functions', 'lib', 'bin'].flatMap((folder) => ['--include', `${folder}/**/*`]);

export const command = startCommand('dev').description(
  'Runs the project-management API on this machine, and restarts it when you save a file. The data stays. A file that does not compile is named in one line; the service starts when it is corrected.',
);

command.action(async () => {
  // Refuses wrong options before the first start.
  startOptions(command);
  const watch = tool('tsx', 'watch', '--clear-screen=false', ...watched);
  process.exitCode = await runProgram([...watch, 'bin/start-watched.ts', ...process.argv.slice(3)], {
    cwd: root,
  });
});
