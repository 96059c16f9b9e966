import { Command } from '@commander-js/extra-typings';
import { buildSite, isSiteBuilt } from '../lib/site/build.ts';

export const command = new Command('site')
  .description(
    'Builds the documentation that the service shows at /docs, unless it is current. It takes half a minute of CPU time and no network. "npm start" does the same in the background.',
  )
  .action(async () => {
    const isCurrent = isSiteBuilt();
    if (!isCurrent) await buildSite();
    console.log(`The documentation is ${isCurrent ? 'current' : 'built'}.`);
  });
