/** Writes one log line for each request. */
import { type LogContext, logInfo } from '../log.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';

const started = Symbol('started');

type TimedEvent = PipelineRequest['event'] & { [started]?: number };

/** Returns what every log line of a request contains. @param operation the name of the operation. */
export const logContext = (operation: string, { event }: PipelineRequest): LogContext => {
  const now = performance.now();
  return {
    requestId: event.requestContext.requestId,
    operation,
    tenant: event.session?.tenant ?? '',
    duration: Math.round(now - ((event as TimedEvent)[started] ?? now)),
  };
};

export function requestLog(operation: string): Middleware {
  const write = (request: PipelineRequest): void =>
    logInfo('The request is finished.', logContext(operation, request), {
      status: request.response?.statusCode,
    });
  return {
    before: ({ event }) => {
      (event as TimedEvent)[started] = performance.now();
    },
    after: write,
    onError: write,
  };
}
