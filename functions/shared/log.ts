/** The log: one line of JSON for each thing that is worth one. It holds no bodies and nothing of people. */
import { environment } from './environment.ts';

/** Which request or event a line is about. */
export interface Subject {
  readonly requestId: string;
  readonly operation: string;
  readonly tenant: string;
  /** Milliseconds since it began. */
  readonly duration: number;
}

/**
 * What an error says. A parser quotes what it could not read, which may be anybody's data: of an answer of the database
 * that is cut off or garbled, for one.
 */
const messageOf = (error: Error): string =>
  error instanceof SyntaxError ? 'Something could not be parsed.' : error.message;

const shownCause = (cause: unknown): string =>
  cause instanceof Error ? `${cause.name}: ${messageOf(cause)}` : String(cause);

/** An error as the log shows it. */
const shownError = (error: unknown): unknown =>
  error instanceof Error
    ? {
        name: error.name,
        message: messageOf(error),
        // It begins with the message.
        stack: error.stack?.replace(error.message, () => messageOf(error)),
        ...(error.cause !== undefined && { cause: shownCause(error.cause) }),
      }
    : String(error);

function write(level: 'INFO' | 'ERROR', message: string, fields: object): void {
  if (level === 'INFO' && environment.logLevel() === 'ERROR') return;
  // Lambda would put a line of the console's into a line of its own; what is JSON on stdout it takes as it is.
  process.stdout.write(
    `${JSON.stringify({ timestamp: new Date().toISOString(), level, message, ...fields })}\n`,
  );
}

/** Something was done. */
export const logDone = (message: string, subject: Subject, more: object = {}): void =>
  write('INFO', message, { ...subject, ...more });

/** Something failed. */
export const logFailure = (message: string, subject: Subject, error: unknown, more: object = {}): void =>
  write('ERROR', message, { ...subject, ...more, error: shownError(error) });
