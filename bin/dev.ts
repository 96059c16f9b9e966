import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../lib/cli/command-line.ts';
import { runProgram } from '../lib/cli/run-program.ts';
import { startOptions, startOptionsHelp } from '../lib/cli/start-options.ts';

const help = `Runs the project-management API on this machine, and restarts it when you save a file. The data
stays. A file that does not compile is named in one line; the service starts when it is corrected.

  npm run dev -- [options]

${startOptionsHelp}`;

const root = fileURLToPath(new URL('..', import.meta.url));

/** Functions are loaded on demand, so the watcher does not find them by their imports. */
const watched = ['functions', 'lib', 'bin'].flatMap((folder) => ['--include', `${folder}/**/*`]);

await runCommand('npm run dev', async () => {
  const flags = process.argv.slice(2);
  if (startOptions(flags) === 'help') {
    console.log(help);
    return 0;
  }
  const tsx = createRequire(import.meta.url).resolve('tsx/cli');
  const watch = [process.execPath, tsx, 'watch', '--clear-screen=false', ...watched];
  return runProgram([...watch, 'bin/start-watched.ts', ...flags], { cwd: root });
});
