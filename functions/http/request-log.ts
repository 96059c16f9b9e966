/** Writes one log line for each request. CloudWatch makes metrics of each operation from it. */

import { ReadBudgetExceeded } from '../engine/model/errors.ts';
import { environment } from '../runtime/environment.ts';
import { embeddedMetrics, type LogContext, logInfo, type Metric } from '../runtime/logger.ts';
import { monotonic } from '../runtime/time-and-chance.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { traceContext } from './trace-context.ts';

const started = Symbol('started');

type TimedEvent = PipelineRequest['event'] & { [started]?: number };

export const logContext = (operation: string, { event }: PipelineRequest): LogContext => {
  const now = monotonic();
  return {
    requestId: event.requestContext.requestId,
    operation,
    tenant: event.session?.tenant ?? '',
    duration: Math.round(now - ((event as TimedEvent)[started] ?? now)),
    ...traceContext(event.headers['traceparent']),
  };
};

/**
 * Returns whether the client has closed its connection: then calls of the database are aborted, which is no failure. Only the local gateway tells.
 */
export const isAborted = ({ context, response }: PipelineRequest): boolean =>
  response?.statusCode === 503 &&
  (context as { readonly cancelled?: AbortSignal }).cancelled?.aborted === true;

/** The property of the line that is the dimension of its metrics. A metric of each tenant would cost too much. */
const dimension = 'operation';

/**
 * Returns the metrics of a request. CloudWatch charges for each metric of each operation, so those that are 0 are absent, and the number of
 * requests is the number of samples of `duration`.
 */
function metricsOf(request: PipelineRequest): Metric[] {
  const { event, response, error } = request;
  const { readUnits = 0, writeUnits = 0 } = event.session?.database.consumption ?? {};
  return [
    { name: 'duration', unit: 'Milliseconds' },
    ...((response?.statusCode ?? 500) >= 500 && !isAborted(request) ? [{ name: 'errors', value: 1 }] : []),
    ...(error instanceof ReadBudgetExceeded ? [{ name: 'readBudgetExceeded', value: 1 }] : []),
    ...(readUnits > 0 ? [{ name: 'readUnits', value: readUnits }] : []),
    ...(writeUnits > 0 ? [{ name: 'writeUnits', value: writeUnits }] : []),
  ];
}

export function requestLog(operation: string): Middleware {
  const write = (request: PipelineRequest): void => {
    const metrics = metricsOf(request);
    const namespace = environment.requestMetrics();
    logInfo('The request is finished.', logContext(operation, request), {
      status: isAborted(request) ? 'aborted' : request.response?.statusCode,
      ...Object.fromEntries(
        metrics.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
      ),
      ...(namespace && embeddedMetrics({ namespace, dimension }, metrics)),
    });
  };
  return {
    before: ({ event }) => {
      (event as TimedEvent)[started] = monotonic();
    },
    after: write,
    onError: write,
  };
}
