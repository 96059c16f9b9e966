/** Turns every error into a problem response, and logs those that the caller did not cause. */
import { logError } from '../runtime/logger.ts';
import type { Middleware } from './middleware.ts';
import { type ProblemCode, problemResponse, toProblem } from './problems.ts';
import { logContext } from './request-log.ts';

const serverProblems: ReadonlySet<ProblemCode> = new Set(['internal-error', 'unavailable']);

export const errorHandler = (operation: string): Middleware => ({
  onError: (request) => {
    const problem = toProblem(request.error);
    if (serverProblems.has(problem.code)) {
      logError('The request failed.', logContext(operation, request), problem.cause);
    }
    const { rawPath, requestContext } = request.event;
    request.response = problemResponse(problem, { path: rawPath, requestId: requestContext.requestId });
  },
});
