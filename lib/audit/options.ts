import { parseArgs } from 'node:util';
import { httpAddress, UsageError } from '../cli/command-line.ts';

export type AuditCommand =
  | { readonly url: string; readonly token: string | undefined }
  | { readonly table: string; readonly endpoint: string | undefined; readonly repair: boolean };

export const help = `Holds what the service counts against what there is, while it is used.

  npm run audit -- --table <name> [--repair] [--dynamodb-endpoint <url>]
  npm run audit -- --url <url> [--token <token>]

  --table <name>              audits this table: every counter, every reference, every key.
                              It needs the rights to read it, and with --repair to write it
  --repair                    mends what is wrong
  --dynamodb-endpoint <url>   where the table is (AWS, or what DYNAMODB_ENDPOINT says)
  --url <url>                 audits a running service through its API: every list's total
                              against its pages, every reference
  --token <token>             what the service takes for authentication
  --help                      this text

It exits with 0 when all is well, 1 when it found something, 2 when it was called wrongly.`;

function flags(values: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...values],
      options: {
        table: text,
        url: text,
        token: text,
        'dynamodb-endpoint': text,
        repair: flag,
        help: flag,
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * Reads the command's flags.
 * @returns 'help' when that is what was asked for.
 * @throws UsageError that names the flag that is wrong.
 */
export function auditOptions(values: readonly string[]): AuditCommand | 'help' {
  const { table, url, token, repair = false, help: isHelp, ...given } = flags(values);
  if (isHelp) return 'help';
  if ((table === undefined) === (url === undefined))
    throw new UsageError('Say what to audit: either --table or --url.');
  if (url !== undefined) {
    if (repair) throw new UsageError('--repair needs --table: nothing can be mended through the API.');
    return { url: httpAddress('--url', url, 'http://localhost:3000').replace(/\/+$/, ''), token };
  }
  const endpoint = given['dynamodb-endpoint'] ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    table: table ?? '',
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
    repair,
  };
}
