import { logPartition } from '../../functions/engine/model/change-log.ts';
import { suggestion } from '../../functions/http/suggestion.ts';
import { resources } from '../../functions/schema.ts';
import { parseFlags, UsageError, wholeNumber } from '../cli/command-line.ts';
import { type TableOptions, tableFlags, tableOptions } from '../cli/table-options.ts';
import { tenantFlags, tenantOption } from '../cli/tenant-option.ts';
import { defaultSegments } from './scan.ts';

export interface AuditCommand extends TableOptions {
  readonly repair: boolean;
  readonly rebuild: boolean;
  /** The partitions of the logs to rebuild. Default: all. */
  readonly only: ReadonlySet<string> | undefined;
  readonly segments: number;
}

export const help = `Compares the totals of lists with the actual data. The service may be used meanwhile.

  npm run audit -- --table <name> [--repair] [--dynamodb-endpoint <url>]
  npm run audit -- --stage <name> [--repair]
  npm run audit -- --stage <name> --rebuild [--tenant <name> [--kind <kind>]]

  --table <name>              audits this table: every row, total, reference, key,
                              long description and subject. The credentials need read access; --repair and
                              --rebuild need write access
  --stage <name>              audits the table of the last deployment from this folder
  --repair                    repairs what is wrong, except keys
  --rebuild                   compares nothing, and writes all columns of the list engine
                              again, from the entities. Useful after a field was added
  --tenant <name>             rebuilds only the logs of this tenant, as the claim of its tokens names it
  --without-tokens            instead: those of a service that needs no tokens
  --kind <kind>               rebuilds only the log of this kind, such as task
  --segments <number>         segments of the table that are read at the same time
                              (default: ${defaultSegments})
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --help                      prints this text

Exit codes: 0 when nothing is wrong or the repair is complete, 1 when something is wrong, 2 for wrong arguments.`;

const flag = { type: 'boolean' } as const;
const text = { type: 'string' } as const;

const flags = {
  ...tableFlags,
  ...tenantFlags,
  kind: text,
  repair: flag,
  rebuild: flag,
  segments: text,
  help: flag,
};

const kinds = resources.map(({ kind }) => kind);

/** Returns the partitions of the logs that are named; `undefined` when none is. @throws UsageError that names the wrong flag. */
function logsOf(values: {
  tenant?: string;
  'without-tokens'?: boolean;
  kind?: string;
}): ReadonlySet<string> | undefined {
  const { tenant, 'without-tokens': isWithoutTokens, kind } = values;
  if (tenant === undefined && !isWithoutTokens && kind === undefined) return undefined;
  const named = kinds.filter((one) => kind === undefined || one === kind);
  if (named.length === 0)
    throw new UsageError(`--kind must be a kind of entities. ${suggestion(kind ?? '', kinds)}`);
  const of = tenantOption(values);
  return new Set(named.map((one) => logPartition(of, one)));
}

/**
 * @throws CommandFailure when there are no outputs of a deployment of the stage.
 * @throws UsageError that names the wrong flag.
 */
export function auditOptions(args: readonly string[]): AuditCommand | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  const { repair = false, rebuild = false } = values;
  if (values.help) return 'help';
  const table = tableOptions(values);
  if (repair && rebuild) throw new UsageError('Choose either --repair or --rebuild.');
  const only = logsOf(values);
  if (only && !rebuild) throw new UsageError('--tenant and --kind need --rebuild.');
  const segments = wholeNumber('--segments', values.segments ?? String(defaultSegments), 1, 100);
  return { ...table, repair, rebuild, only, segments };
}
