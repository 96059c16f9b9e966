import { httpAddress, parseFlags, serviceAddress, UsageError } from '../cli/command-line.ts';
import { readOutputs, requiredOutput } from '../cli/outputs.ts';

export type AuditCommand =
  | { readonly url: string; readonly token: string | undefined }
  | (TableChoice & { readonly repair: boolean });

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
export interface TableChoice {
  readonly table: string;
  readonly endpoint: string | undefined;
  /** Default: the region of the environment. */
  readonly region: string | undefined;
}

export const tableFlags = { table: text, stage: text, 'dynamodb-endpoint': text } as const;

type TableFlags = { readonly [Name in keyof typeof tableFlags]?: string | undefined };

/**
 * Returns the table that `--table` or `--stage` chooses.
 * @throws CommandFailure when there are no outputs of a deployment of the stage.
 * @throws UsageError when the endpoint is not a URL.
 */
export function chosenTable({ table, stage, 'dynamodb-endpoint': given }: TableFlags): TableChoice {
  const outputs = stage === undefined ? {} : readOutputs(stage);
  const endpoint = given ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    table: table ?? requiredOutput(outputs, 'TableName'),
    region: outputs['Region'],
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
  };
}

const flags = { ...tableFlags, url: text, token: text, repair: flag, help: flag };

/** @throws UsageError that names the wrong flag. */
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
  return { ...chosenTable(values), repair };
}
