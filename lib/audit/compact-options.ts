import { httpAddress, parseFlags, UsageError } from '../cli/command-line.ts';

export interface CompactCommand {
  readonly table: string;
  readonly endpoint: string | undefined;
}

export const help = `Writes the columns of the list engine again, from the entities. The service may be used
meanwhile. Necessary after a table was restored; useful after a field was added.

  npm run compact -- --table <name> [--dynamodb-endpoint <url>]

  --table <name>              the table. The credentials need read and write access
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --help                      prints this text

It waits 10 seconds after it has read the table, until all writes that it may have missed are in the change log.`;

const text = { type: 'string' } as const;
const flags = { table: text, 'dynamodb-endpoint': text, help: { type: 'boolean' } } as const;

/**
 * Reads the command line.
 * @returns 'help' when `--help` is given.
 * @throws UsageError that names the wrong flag.
 */
export function compactOptions(args: readonly string[]): CompactCommand | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  if (values.help) return 'help';
  if (!values.table) throw new UsageError('Name the table with --table.');
  const endpoint = values['dynamodb-endpoint'] ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    table: values.table,
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
  };
}
