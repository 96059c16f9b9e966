import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { suggestion } from '../functions/http/suggestion.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';
import { mapsByOperation, resolveTrace } from '../lib/hosting/resolve-trace.ts';

/** Returns the name of an operation's source map. */
function parseOperation(operation: string): string {
  const file = mapsByOperation.get(operation);
  if (file) return file;
  throw new InvalidArgumentError(
    `It must be an operation. ${suggestion(operation, [...mapsByOperation.keys()])}`,
  );
}

export const command = new Command('trace')
  .description(
    'Replaces the places of a bundle in a stack trace by those of the source. Reads the trace from the standard input.',
  )
  .requiredOption('--operation <name>', 'the field "operation" of the log line', parseOperation)
  .option(
    '--maps <folder>',
    'the source maps of the commit that was deployed: an artifact of its run on GitHub, or what "npm run synth" writes',
    'dist/functions',
  )
  .action(async ({ operation: file, maps }) => {
    const path = join(maps, file);
    if (!existsSync(path)) {
      throw new CommandFailure(`There is no source map ${path}. Run "npm run synth", or pass --maps.`);
    }
    const map = JSON.parse(readFileSync(path, 'utf8')) as ConstructorParameters<typeof SourceMap>[0];
    console.log(resolveTrace(await text(process.stdin), new SourceMap(map)));
  });
