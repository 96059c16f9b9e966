import { httpAddress, parseFlags, UsageError } from '../cli/command-line.ts';
import { type Outputs, readOutputs, requiredOutput } from '../cli/outputs.ts';
import type { Period } from './stored-records.ts';

export interface RepublishCommand {
  readonly table: string;
  readonly bus: string;
  /** The address of a queue, or the period of the changes. */
  readonly source: string | Period;
  readonly endpoint: string | undefined;
  /** Default: the region of the environment. */
  readonly region: string | undefined;
}

export const help = `Publishes the events of changes again, with the ids that they had, from the records of the change logs.
It publishes what the queue of the deployment names, and deletes its messages, or all changes of a period, for
which it reads the whole table.

  npm run republish -- --stage <name>
  npm run republish -- --stage <name> --from <time> --to <time>
  npm run republish -- --table <name> --bus <name> --queue <url>

  --stage <name>              uses the table, the bus and the queue of the last deployment from this folder
  --table <name>              reads this table
  --bus <name>                publishes on this event bus
  --queue <url>               publishes what the messages of this queue name
  --from <time>               time of the first changes, for example 2026-01-31T12:00:00Z
  --to <time>                 time of the last changes
  --dynamodb-endpoint <url>   DynamoDB endpoint of the table (DYNAMODB_ENDPOINT; default: AWS)
  --help                      prints this text

Exit codes: 0 when all events were published, 1 when some were not, 2 for wrong arguments.`;

const text = { type: 'string' } as const;

const flags = {
  stage: text,
  table: text,
  bus: text,
  queue: text,
  from: text,
  to: text,
  'dynamodb-endpoint': text,
  help: { type: 'boolean' },
} as const;

function timeOf(flag: string, given: string | boolean | undefined): number {
  const value = String(given ?? '');
  const timeMs = Date.parse(value);
  if (!Number.isNaN(timeMs) && /^\d{4}-\d\d-\d\dT/.test(value)) return timeMs;
  throw new UsageError(`${flag} must be a time, for example 2026-01-31T12:00:00Z, not "${value}".`);
}

type Values = Readonly<Partial<Record<keyof typeof flags, string | boolean>>>;

/** Returns the queue or the period that the flags name. */
function sourceOf({ stage, queue, from, to }: Values, outputs: Outputs): string | Period {
  const isPeriod = from !== undefined || to !== undefined;
  if (queue !== undefined && isPeriod) {
    throw new UsageError('--queue publishes what its messages name: leave --from and --to out.');
  }
  if (queue !== undefined)
    return httpAddress('--queue', String(queue), 'https://sqs.eu-west-1.amazonaws.com/123456789012/name');
  if (stage !== undefined && !isPeriod) return requiredOutput(outputs, 'UnpublishedEventsUrl', 'eventBus');
  const period = { fromMs: timeOf('--from', from), toMs: timeOf('--to', to) };
  if (period.toMs < period.fromMs) throw new UsageError('--to must not be before --from.');
  return period;
}

/**
 * @throws CommandFailure when there are no outputs of a deployment of the stage.
 * @throws UsageError that names the wrong flag.
 */
export function republishOptions(args: readonly string[]): RepublishCommand | 'help' {
  const { values } = parseFlags({ args: [...args], options: flags });
  const { stage, table, bus } = values;
  if (values.help) return 'help';
  const named = [table, bus].filter((name) => name !== undefined);
  if (stage === undefined ? named.length < 2 : named.length > 0) {
    throw new UsageError('Choose the table and the bus: either with --stage, or with --table and --bus.');
  }
  const outputs = stage === undefined ? {} : readOutputs(stage);
  const endpoint = values['dynamodb-endpoint'] ?? (process.env['DYNAMODB_ENDPOINT'] || undefined);
  return {
    source: sourceOf(values, outputs),
    table: table ?? requiredOutput(outputs, 'TableName'),
    bus: bus ?? requiredOutput(outputs, 'EventBusName', 'eventBus'),
    region: outputs['Region'],
    endpoint: endpoint && httpAddress('--dynamodb-endpoint', endpoint, 'http://localhost:8000'),
  };
}
