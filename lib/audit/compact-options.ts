import { parseFlags, UsageError } from '../cli/command-line.ts';
import { chosenTable, type TableChoice, tableFlags } from './options.ts';

export const help = `Writes the columns of the list engine again, from the entities. The service may be used
meanwhile. Necessary after a table was restored; useful after a field was added.

  npm run compact -- --table <name> [--dynamodb-endpoint <url>]
  npm run compact -- --stage <name>

  --table <name>              the table. The credentials need read and write access
  --stage <name>              the table of the last deployment from this folder
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --help                      prints this text

It waits 10 seconds after it has read the table, until all writes that it may have missed are in the change log.`;

const flags = { ...tableFlags, help: { type: 'boolean' } } as const;

/** @throws UsageError that names the wrong flag. */
export function compactOptions(args: readonly string[]): TableChoice | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  if (values.help) return 'help';
  if ((values.table === undefined) === (values.stage === undefined)) {
    throw new UsageError('Choose the table: either with --table or with --stage.');
  }
  return chosenTable(values);
}
