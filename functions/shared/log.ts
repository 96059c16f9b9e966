/** The log: one line of JSON per event. It contains no bodies and no personal data. */
import { environment } from './environment.ts';

/** The namespace of the service's own metrics. */
export const metricNamespace = 'ProjectManagement';

/** What every line about one request or stream batch contains. */
export interface LogContext {
  readonly requestId: string;
  readonly operation: string;
  readonly tenant: string;
  /** Milliseconds since it began. */
  readonly duration: number;
}

/**
 * Returns the message of an error. Parsers quote the text that they could not read, which may be anybody's data, for example a
 * truncated response of DynamoDB.
 */
const safeMessage = (error: Error): string =>
  error instanceof SyntaxError ? 'A text could not be parsed.' : error.message;

const describeCause = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${safeMessage(cause)}` : String(cause);

/** Returns the JSON form of an error. */
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

function write(level: 'INFO' | 'ERROR', message: string, fields: object): void {
  if (level === 'INFO' && environment.logLevel() === 'ERROR') return;
  // Lambda wraps lines of the console in a line of its own. It keeps JSON on stdout as it is.
  process.stdout.write(
    `${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })}\n`,
  );
}

/** Writes a line about a success. */
export const logInfo = (message: string, context: LogContext, more: object = {}): void =>
  write('INFO', message, { ...context, ...more });

/**
 * Writes metrics as a line of the log, from which CloudWatch makes metrics without a call.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function logMetrics(functionName: string, metrics: Readonly<Record<string, number>>): void {
  if (environment.logLevel() === 'ERROR') return;
  const definition = {
    Namespace: metricNamespace,
    Dimensions: [['FunctionName']],
    Metrics: Object.keys(metrics).map((Name) => ({ Name })),
  };
  const aws = { Timestamp: Date.now(), CloudWatchMetrics: [definition] };
  process.stdout.write(`${JSON.stringify({ _aws: aws, FunctionName: functionName, ...metrics })}\n`);
}

/** Writes a line about a failure, with the error and its cause. */
export const logError = (message: string, context: LogContext, error: unknown, more: object = {}): void =>
  write('ERROR', message, { ...context, ...more, error: describeError(error) });
