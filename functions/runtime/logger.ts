/** The log: one line of JSON per event. It contains no bodies and no personal data. */

import { environment } from './environment.ts';
import { now } from './time-and-chance.ts';

export const metricNamespace = 'ProjectManagement';

export interface LogContext {
  readonly requestId: string;
  readonly operation: string;
  readonly tenant: string;
  /** Milliseconds since it began. */
  readonly duration: number;
  readonly traceId?: string;
  readonly parentId?: string;
}

export interface Metric {
  /** Name of the property with its value. */
  readonly name: string;
  readonly value?: number;
  readonly unit?: 'Milliseconds';
}

/**
 * Returns the message of an error. Parsers quote the text that they could not read. It can be data of users, for example a
 * truncated response of DynamoDB.
 */
const safeMessage = (error: Error): string =>
  error instanceof SyntaxError ? 'A text could not be parsed.' : error.message;

const describeCause = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${safeMessage(cause)}` : String(cause);

const describeError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: safeMessage(error),
        // The stack begins with the message.
        stack: error.stack?.replace(error.message, () => safeMessage(error)),
        ...(error.cause !== undefined && { cause: describeCause(error.cause) }),
      }
    : String(error);

function write(level: 'INFO' | 'WARN' | 'ERROR', message: string, fields: object): void {
  if (level === 'INFO' && environment.logLevel() === 'ERROR') return;
  // Lambda wraps lines of the console in a line of its own. It keeps JSON on stdout as it is.
  process.stdout.write(
    `${JSON.stringify({ timestamp: new Date(now()).toISOString(), level, message, ...fields })}\n`,
  );
}

export const logInfo = (message: string, context: LogContext, more: object = {}): void =>
  write('INFO', message, { ...context, ...more });

export const logWarning = (message: string, fields: object): void => write('WARN', message, fields);

/**
 * Returns what a line of the log needs for CloudWatch to make metrics from its properties, without a call.
 * @param group.dimension property whose values have metrics of their own.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function embeddedMetrics(
  { namespace, dimension }: { readonly namespace: string; readonly dimension: string },
  metrics: readonly Pick<Metric, 'name' | 'unit'>[],
) {
  const definition = {
    Namespace: namespace,
    Dimensions: [[dimension]],
    Metrics: metrics.map(({ name: Name, unit: Unit }) => ({ Name, Unit })),
  };
  return { _aws: { Timestamp: now(), CloudWatchMetrics: [definition] } };
}

export function logMetrics(
  [dimension, value]: readonly [dimension: string, value: string],
  metrics: Readonly<Record<string, number>>,
): void {
  if (environment.logLevel() === 'ERROR') return;
  const names = Object.keys(metrics).map((name) => ({ name }));
  const group = { namespace: metricNamespace, dimension };
  const line = { ...embeddedMetrics(group, names), [dimension]: value, ...metrics };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

export const logError = (message: string, context: LogContext, error: unknown, more: object = {}): void =>
  write('ERROR', message, { ...context, ...more, error: describeError(error) });
