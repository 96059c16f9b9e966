import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { buildSite, isSiteBuilt } from '../lib/site/build.ts';

const help = `Builds the documentation that the service shows at /docs, unless it is current.

  npm run site

  --help          prints this text

It takes half a minute of CPU time and no network. "npm start" does the same in the background.`;

await runCommand('npm run site', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  if (isSiteBuilt()) {
    console.log('The documentation is current.');
    return 0;
  }
  await buildSite();
  console.log('The documentation is built.');
  return 0;
});
