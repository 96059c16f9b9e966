import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suggestion } from '../functions/http/suggestion.ts';
import { flagsOrHelp, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { mapsByOperation, resolveTrace } from '../lib/cli/resolve-trace.ts';

const help = `Replaces the places of a bundle in a stack trace by those of the source. Reads the trace from the standard input.

  npm run trace -- --operation <name> [options]

  --operation <name>  the field "operation" of the log line
  --maps <folder>     the source maps of the commit that was deployed: an artifact of its run on GitHub,
                      or what "npm run synth" writes (default: dist/functions)
  --help              prints this text`;

await runCommand('npm run trace', async () => {
  const flags = flagsOrHelp(help, { operation: { type: 'string' }, maps: { type: 'string' } });
  if (!flags) return 0;
  const { operation = '', maps = 'dist/functions' } = flags;
  const file = mapsByOperation.get(operation);
  if (!file)
    throw new UsageError(
      `--operation must be an operation. ${suggestion(operation, [...mapsByOperation.keys()])}`,
    );
  const map = JSON.parse(readFileSync(join(maps, file), 'utf8')) as ConstructorParameters<
    typeof SourceMap
  >[0];
  console.log(resolveTrace(await text(process.stdin), new SourceMap(map)));
  return 0;
});
