/** `npm run dev`: as `npm start`, and every save starts the service anew, on the same data. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand, runUntilStopped } from '../lib/cli/command-line.ts';
import { explained, startOptions, startOptionsHelp } from '../lib/cli/start-options.ts';
import { Development } from '../lib/development/development.ts';

const help = `Runs the project-management API on this machine, and starts it anew at every save. The data stays.

  npm run dev -- [options]

${startOptionsHelp}`;

const folders = ['functions', 'lib'].map((folder) =>
  relative(process.cwd(), fileURLToPath(new URL(`../${folder}`, import.meta.url))),
);

await runCommand('npm run dev', async () => {
  const options = startOptions(process.argv.slice(2));
  if (options === 'help') {
    console.log(help);
    return 0;
  }
  let development: Development;
  try {
    development = await Development.start(options, folders, console.log);
  } catch (error) {
    console.error(explained(error, options, 'npm run dev'));
    return 1;
  }
  const code = await runUntilStopped(development, () => console.log('Stop: Ctrl-C'));
  console.log('\nStopped.');
  return code;
});
