/** The pipeline around every handler: it turns errors into responses, completes the headers and writes a log line. */
import middy from '@middy/core';
import { logError } from '../runtime/logger.ts';
import type { Handler, Middleware, PipelineEvent, Response } from './middleware.ts';
import { type ProblemCode, problemResponse, toProblem } from './problems.ts';
import { isAborted, logContext, requestLog } from './request-log.ts';
import { responseHeaders } from './response-headers.ts';

/** middy with the types of this pipeline. Its own types are for events of any kind. */
const engine = middy as unknown as <Event extends PipelineEvent>(options: {
  timeoutEarlyInMillis: number;
}) => {
  use(middlewares: readonly Middleware[]): {
    handler(run: (event: Event) => Promise<Response>): Handler;
  };
};

const serverProblems: ReadonlySet<ProblemCode> = new Set(['internal-error', 'unavailable']);

/** Logs the errors that the caller did not cause. */
const errorHandler = (operation: string): Middleware => ({
  onError: (request) => {
    const problem = toProblem(request.error);
    const { rawPath, requestContext } = request.event;
    request.response = problemResponse(problem, { path: rawPath, requestId: requestContext.requestId });
    if (serverProblems.has(problem.code) && !isAborted(request))
      logError('The request failed.', logContext(operation, request), problem.cause);
  },
});

/** @param middlewares what runs before `run`, in this order. */
export function pipeline<Event extends PipelineEvent>(
  operation: string,
  middlewares: readonly Middleware[],
  run: (event: Event) => Promise<Response>,
): Handler {
  // middy runs `after` and `onError` in reverse order: the error becomes a response first, and the log line comes last.
  const around = [requestLog(operation), responseHeaders, errorHandler(operation)];
  // The deadline of the database ends before the function does. middy's own timeout would respond in another form.
  const handler = engine<Event>({ timeoutEarlyInMillis: 0 })
    .use([...around, ...middlewares])
    .handler(run);
  return async (event, context) => {
    const { requestContext, headers, rawPath } = event ?? {};
    if (!requestContext?.http || !headers || rawPath === undefined)
      throw new TypeError(
        'The event must be one of an HTTP API, format 2.0, with "requestContext", "headers" and "rawPath", as "npx pm-api invoke --event" prints it.',
      );
    // The steps change their event, and not that of the caller.
    return handler({ ...event }, context);
  };
}
