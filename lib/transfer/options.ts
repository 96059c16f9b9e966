import { type CollectionName, collections } from '../cli/collections.ts';
import { parseFlags, serviceAddress, UsageError, wholeNumber } from '../cli/command-line.ts';

const defaultUrl = 'http://localhost:3000';

const formats = ['ndjson', 'csv'] as const;

interface ServiceOptions {
  readonly collection: CollectionName;
  readonly url: string;
  readonly token: string | undefined;
}

export interface ExportOptions extends ServiceOptions {
  readonly format: (typeof formats)[number];
  /** The file to write; the standard output by default. */
  readonly output: string | undefined;
}

const referenceRules = ['fail', 'keep', 'drop'] as const;

export interface ImportOptions extends ServiceOptions {
  readonly input: string;
  /** What to do with a reference to an entity that was not imported. */
  readonly otherReferences: (typeof referenceRules)[number];
  readonly concurrency: number;
}

const serviceHelp = `\
  --collection <name>   ${collections.join(', ')}
  --url <url>           address of the service; default: ${defaultUrl}
  --token <token>       access token (TOKEN)`;

export const exportHelp = `Writes all entities of a collection, the oldest first, one as JSON in each line (NDJSON), or as CSV.

  npm run export -- --collection tasks --output tasks.ndjson

${serviceHelp}
  --output <file>       file to write; default: the standard output ("npm run export -s" prints
                        nothing else there)
  --format <format>     ndjson (default) or csv. CSV is for spreadsheets: only NDJSON can be imported
  --help                prints this text`;

export const importHelp = `Creates entities from a file that "npm run export" has written. They get new ids and a new createdAt.
Import organizations, users and tags first, then projects, then tasks, all from one folder: the file
imported-ids.ndjson in the folder has the new ids, with which references are rewritten. After an
interruption, repeat the command within 24 hours: it continues, and creates nothing twice.

  npm run import -- --collection tasks --input tasks.ndjson

${serviceHelp}
  --input <file>        file to read
  --other-references <rule>  references to entities that were not imported: fail (default), keep
                        (the service has these entities), or drop
  --concurrency <number>  parallel requests, of up to 25 entities each; default: 4. With 1, the order of
                        creation stays the same
  --help                prints this text`;

const serviceFlags = {
  collection: { type: 'string' },
  url: { type: 'string', default: defaultUrl },
  token: { type: 'string' },
  help: { type: 'boolean' },
} as const;

function oneOf<Value extends string>(flag: string, text: string, values: readonly Value[]): Value {
  const value = values.find((one) => one === text);
  if (value) return value;
  throw new UsageError(`${flag} must be one of ${values.join(', ')}, not "${text}".`);
}

function serviceOptions(values: {
  readonly collection?: string | undefined;
  readonly url: string;
  readonly token?: string | undefined;
}): ServiceOptions {
  const { collection, url, token } = values;
  if (collection === undefined) throw new UsageError(`Choose --collection: ${collections.join(', ')}.`);
  return {
    collection: oneOf('--collection', collection, collections),
    url: serviceAddress('--url', url, defaultUrl),
    token: token ?? (process.env['TOKEN'] || undefined),
  };
}

/** @throws UsageError that names the wrong flag. */
export function exportOptions(args: readonly string[]): ExportOptions | 'help' {
  const { values } = parseFlags({
    args: [...args],
    options: {
      ...serviceFlags,
      output: { type: 'string' },
      format: { type: 'string', default: 'ndjson' },
    },
  });
  if (values.help) return 'help';
  return {
    ...serviceOptions(values),
    output: values.output,
    format: oneOf('--format', values.format, formats),
  };
}

/** @throws UsageError that names the wrong flag. */
export function importOptions(args: readonly string[]): ImportOptions | 'help' {
  const { values } = parseFlags({
    args: [...args],
    options: {
      ...serviceFlags,
      input: { type: 'string' },
      'other-references': { type: 'string', default: 'fail' },
      concurrency: { type: 'string', default: '4' },
    },
  });
  if (values.help) return 'help';
  const { input } = values;
  if (input === undefined) throw new UsageError('Choose the file to read with --input.');
  return {
    ...serviceOptions(values),
    input,
    otherReferences: oneOf('--other-references', values['other-references'], referenceRules),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 64),
  };
}
