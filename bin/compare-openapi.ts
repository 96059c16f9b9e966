import { flagsOrHelp, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { earlierDocument } from '../lib/openapi/committed-document.ts';
import { breakingChanges, isBreakingVersion } from '../lib/openapi/compare.ts';
import { openApiDocument } from '../lib/openapi/document.ts';

const help = `Prints the changes of the contracts that break clients of an earlier version.

  npm run openapi:compare -- [options]

  --base <file or Git revision>   earlier version (default: HEAD)
  --help                          prints this text`;

await runCommand('npm run openapi:compare', async () => {
  const flags = flagsOrHelp(help, { base: { type: 'string', default: 'HEAD' } });
  if (!flags) return 0;
  const { base } = flags;
  const before = earlierDocument(base);
  if (!before) throw new UsageError(`"${base}" is neither a file nor a Git revision with openapi.json.`);
  const after = openApiDocument();
  const changes = breakingChanges(before, after);
  for (const change of changes) console.log(change);
  if (changes.length === 0) console.log('No breaking changes.');
  else if (isBreakingVersion(before, after))
    console.log('The new version number announces breaking changes.');
  return changes.length === 0 || isBreakingVersion(before, after) ? 0 : 1;
});
