import { httpAddress, parseFlags, serviceAddress, UsageError } from '../cli/command-line.ts';
import { readOutputs, requiredOutput } from '../cli/outputs.ts';

export type AuditCommand =
  | { readonly url: string; readonly token: string | undefined }
  | {
      readonly table: string;
      readonly endpoint: string | undefined;
      readonly region: string | undefined;
      readonly repair: boolean;
    };

export const help = `Compares the stored totals with the actual data. The service may be used meanwhile.

  npm run audit -- --table <name> [--repair] [--dynamodb-endpoint <url>]
  npm run audit -- --stage <name> [--repair]
  npm run audit -- --url <url> [--token <token>]

  --table <name>              audits this table: every row, total, reference, key and long
                              description. The credentials need read access; --repair needs
                              write access
  --stage <name>              audits the table of the last deployment from this folder
  --repair                    repairs what is wrong
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --url <url>                 audits a running service through its API: compares the total of
                              every list with its pages, and checks every reference
  --token <token>             access token for the service
  --help                      prints this text

Exit codes: 0 when nothing is wrong, 1 when something is wrong, 2 for wrong arguments.`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const flags = {
  table: text,
  stage: text,
  url: text,
  token: text,
  'dynamodb-endpoint': text,
  repair: flag,
  help: flag,
};

/**
 * Reads the command line.
 * @returns 'help' when `--help` is given.
 * @throws UsageError that names the wrong flag.
 */
export function auditOptions(args: readonly string[]): AuditCommand | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  const { stage, url, token, repair = false } = values;
  if (values.help) return 'help';
  if ([values.table, stage, url].filter((one) => one !== undefined).length !== 1) {
    throw new UsageError('Choose what to audit: either --table, --stage or --url.');
  }
  if (url !== undefined) {
    if (repair) throw new UsageError('--repair needs --table or --stage: the API cannot repair a table.');
    return { url: serviceAddress('--url', url, 'http://localhost:3000'), token };
  }
  const outputs = stage === undefined ? {} : readOutputs(stage);
  const table = values.table ?? requiredOutput(outputs, 'TableName');
  const endpoint = values['dynamodb-endpoint'] ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    table,
    region: outputs['Region'],
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
    repair,
  };
}
