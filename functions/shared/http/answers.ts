import { environment } from '../environment.ts';
import { logDone, logFailure, type Subject } from '../log.ts';
import { sharedClient } from '../store/client.ts';
import { Database } from '../store/database.ts';
import { Deadline } from '../store/deadline.ts';
import { longestRequest } from '../store/jobs.ts';
import type { Middleware, PipelineEvent, PipelineRequest } from './middleware.ts';
import { problemResponse, toProblem } from './problems.ts';
import { tenantOf } from './tenant.ts';

/** Milliseconds kept of the function's time to say that there was too little of it. */
const timeToAnswer = 500;

function serverTiming({ event }: PipelineRequest): string {
  const { calls, readUnits, writeUnits, milliseconds } = event.session.database.consumption;
  return `dynamodb;dur=${milliseconds.toFixed(1)};desc="calls=${calls}, read=${readUnits}, write=${writeUnits}"`;
}

/** What every answer has in common, good or bad. */
function finish(request: PipelineRequest): void {
  const { event, response } = request;
  if (!response) return;
  if (environment.serverTiming() && event.session)
    response.headers = { ...response.headers, 'server-timing': serverTiming(request) };
  // RFC 9110, 9.3.2: the headers of GET, and no content.
  if (event.requestContext.http.method === 'HEAD') delete response.body;
}

/** What stands behind a request: the operation, and whether the gateway asks for a token. */
export interface Served {
  readonly operation: string;
  readonly needsToken: boolean;
}

/**
 * The outermost part: it opens the session that the request works with, and sees that whatever happens
 * inside becomes an answer, and a line in the log.
 */
export function answers({ operation, needsToken }: Served): Middleware {
  const started = new WeakMap<PipelineEvent, number>();
  const subject = ({ event }: PipelineRequest): Subject => ({
    requestId: event.requestContext.requestId,
    operation,
    tenant: event.session?.tenant ?? '',
    duration: Math.round(performance.now() - (started.get(event) ?? performance.now())),
  });
  const finishAndLog = (request: PipelineRequest): void => {
    finish(request);
    logDone('The request is answered.', subject(request), { status: request.response?.statusCode });
  };
  return {
    before: (request: PipelineRequest): void => {
      const { event, context } = request;
      started.set(event, performance.now());
      const tenant = tenantOf(event, needsToken);
      const time = Math.min(context.getRemainingTimeInMillis(), longestRequest) - timeToAnswer;
      const database = new Database(sharedClient(), environment.tableName(), new Deadline(time));
      event.session = { tenant, database };
    },
    after: finishAndLog,
    onError: (request: PipelineRequest): void => {
      const problem = toProblem(request.error);
      if (problem.code === 'internal-error' || problem.code === 'unavailable')
        logFailure('The request failed.', subject(request), problem.cause);
      const { rawPath, requestContext } = request.event;
      request.response = problemResponse(problem, { path: rawPath, requestId: requestContext.requestId });
      finishAndLog(request);
    },
  };
}
