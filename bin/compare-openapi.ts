/** `npm run openapi:compare`: says what a change of the contracts breaks for clients of an earlier version. */
import { parseArgs } from 'node:util';
import { runCommand, UsageError } from '../lib/cli/command-line.ts';
import { earlierDocument } from '../lib/openapi/committed.ts';
import { breakingChanges, isNewLine } from '../lib/openapi/compare.ts';
import { openApiDocument } from '../lib/openapi/document.ts';

await runCommand('npm run openapi:compare', async () => {
  const { base, help } = parseArgs({
    options: { base: { type: 'string', default: 'HEAD' }, help: { type: 'boolean' } },
  }).values;
  if (help) {
    console.log(`Says what a change of the contracts breaks for clients of an earlier version.

  npm run openapi:compare -- [--base <file or revision of git>]   (HEAD)`);
    return 0;
  }
  const before = earlierDocument(base);
  if (!before) throw new UsageError(`There is no openapi.json at "${base}".`);
  const after = openApiDocument();
  const breaks = breakingChanges(before, after);
  for (const one of breaks) console.log(one);
  if (breaks.length === 0) console.log('Every client is served as before.');
  else if (isNewLine(before, after)) console.log('The version says that clients must look again.');
  return breaks.length === 0 || isNewLine(before, after) ? 0 : 1;
});
