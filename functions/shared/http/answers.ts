import { environment } from '../environment.ts';
import { sharedClient } from '../store/client.ts';
import { Database } from '../store/database.ts';
import { Deadline } from '../store/deadline.ts';
import { longestRequest } from '../store/jobs.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { problemResponse, toProblem } from './problems.ts';

/** Milliseconds kept of the function's time to say that there was too little of it. */
const timeToAnswer = 500;

/** Whose data a request is about. Without authentication there is one tenant. */
const tenant = 'public';

function log(request: PipelineRequest, operation: string, error: unknown): void {
  console.error(
    JSON.stringify({
      level: 'ERROR',
      message: 'The request failed.',
      operation,
      requestId: request.event.requestContext.requestId,
      error:
        error instanceof Error
          ? { name: error.name, message: error.message, stack: error.stack, cause: String(error.cause) }
          : String(error),
    }),
  );
}

function serverTiming({ event }: PipelineRequest): string {
  const { calls, readUnits, writeUnits, milliseconds } = event.session.database.consumption;
  return `dynamodb;dur=${milliseconds.toFixed(1)};desc="calls=${calls}, read=${readUnits}, write=${writeUnits}"`;
}

/** What every answer has in common, good or bad. */
function finish(request: PipelineRequest): void {
  const { event, response } = request;
  if (!response) return;
  if (environment.serverTiming())
    response.headers = { ...response.headers, 'server-timing': serverTiming(request) };
  // RFC 9110, 9.3.2: the headers of GET, and no content.
  if (event.requestContext.http.method === 'HEAD') delete response.body;
}

/**
 * The outermost part: it opens the session that the request works with, and sees that whatever happens
 * inside becomes an answer.
 */
export function answers(operation: string): Middleware {
  return {
    before: (request: PipelineRequest): void => {
      const time = Math.min(request.context.getRemainingTimeInMillis(), longestRequest) - timeToAnswer;
      const database = new Database(sharedClient(), environment.tableName(), new Deadline(time));
      request.event.session = { tenant, database };
    },
    after: finish,
    onError: (request: PipelineRequest): void => {
      const problem = toProblem(request.error);
      if (problem.code === 'internal-error' || problem.code === 'unavailable')
        log(request, operation, problem.cause);
      const { rawPath, requestContext } = request.event;
      request.response = problemResponse(problem, { path: rawPath, requestId: requestContext.requestId });
      finish(request);
    },
  };
}
