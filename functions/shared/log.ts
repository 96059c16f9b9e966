/** The log: one line of JSON per event. It contains no bodies and no personal data. */
import { environment } from './environment.ts';

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

/** Writes a line about a failure, with the error and its cause. */
export const logError = (message: string, context: LogContext, error: unknown, more: object = {}): void =>
  write('ERROR', message, { ...context, ...more, error: describeError(error) });
