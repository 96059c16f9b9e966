import { fileURLToPath } from 'node:url';
import { parseFlags, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { writeResource } from '../lib/cli/new-resource.ts';

const help = `Writes the files that repeat when a resource is added, and names it where resources are listed.

  npm run new -- resource <plural> [--kind <singular>]

  <plural>           the path segment and the folder, such as "comments"
  --kind <singular>  the name of one (default: the plural without its s)
  --help             prints this text`;

await runCommand('npm run new', async () => {
  const { values, positionals } = parseFlags({
    allowPositionals: true,
    options: { kind: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const [what, plural, ...others] = positionals;
  if (what !== 'resource' || plural === undefined || others.length > 0)
    throw new UsageError('Name what is new: npm run new -- resource comments');
  const { kind = plural.replace(/ies$/, 'y').replace(/s$/, '') } = values;
  writeResource(fileURLToPath(new URL('..', import.meta.url)), plural, kind);
  console.log(`Wrote functions/${plural}. Write its fields in resource.ts and their documentation in resource-docs.ts. Then:
  npm run openapi && npm run format && npm test`);
  return 0;
});
