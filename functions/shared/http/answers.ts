import { environment } from '../environment.ts';
import { logDone, logFailure, type Subject } from '../log.ts';
import type { Consumption } from '../store/dynamodb/database.ts';
import type { Middleware, PipelineEvent, PipelineRequest } from './middleware.ts';
import { problemResponse, toProblem } from './problems.ts';

/** What an answer cost that asked the database for nothing. */
const nothing: Consumption = { calls: 0, readUnits: 0, writeUnits: 0, milliseconds: 0 };

function serverTiming({ session }: PipelineEvent): string {
  const { calls, readUnits, writeUnits, milliseconds } = session?.database.consumption ?? nothing;
  return `dynamodb;dur=${milliseconds.toFixed(1)};desc="calls=${calls}, read=${readUnits}, write=${writeUnits}"`;
}

/** What every answer has in common, good or bad. */
function finish(request: PipelineRequest): void {
  const { event, response } = request;
  if (!response) return;
  response.headers = {
    ...response.headers,
    // What people wrote is in most answers: no browser may take it for a page (OWASP REST Security Cheat Sheet).
    'x-content-type-options': 'nosniff',
    ...(environment.serverTiming() && { 'server-timing': serverTiming(event) }),
  };
  // RFC 9110, 9.3.2: the headers of GET, and no content.
  if (event.requestContext.http.method === 'HEAD') delete response.body;
}

/** The outermost part: it sees that whatever happens inside becomes an answer, and a line in the log. */
export function answers(operation: string): Middleware {
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
    before: ({ event }: PipelineRequest): void => {
      started.set(event, performance.now());
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
