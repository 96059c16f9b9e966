import { fileURLToPath } from 'node:url';
import { Command } from '@commander-js/extra-typings';
import { writeResource } from './new-resource.ts';

const resource = new Command('resource')
  .description(
    'Writes the files that repeat when a resource is added, and names it where resources are listed.',
  )
  .argument('<plural>', 'the path segment and the folder, such as "comments" or "time-entries"')
  .option('--kind <singular>', 'the name of one (default: the plural without its s)')
  .action((plural, { kind = plural.replace(/ies$/, 'y').replace(/s$/, '') }) => {
    writeResource(fileURLToPath(new URL('..', import.meta.url)), plural, kind);
    console.log(`Wrote functions/${plural}. Write its fields in resource.ts and their documentation in resource-docs.ts. Then:
  npx pm-api openapi && npm run format && npm test`);
  });

export const command = new Command('new')
  .description('Writes the files of something new.')
  .addCommand(resource);
