/** Turns every error into a problem response, and logs those that the caller did not cause. */
import { logError } from '../runtime/logger.ts';
import type { Middleware, PipelineRequest } from './middleware.ts';
import { type ProblemCode, problemResponse, toProblem } from './problems.ts';
import { logContext } from './request-log.ts';

const serverProblems: ReadonlySet<ProblemCode> = new Set(['internal-error', 'unavailable']);

/** Returns whether the client has closed its connection: then calls of the database are aborted, which is no failure. Only the local gateway tells. */
const clientHasGone = ({ context }: PipelineRequest): boolean =>
  (context as { readonly cancelled?: AbortSignal }).cancelled?.aborted === true;

export const errorHandler = (operation: string): Middleware => ({
  onError: (request) => {
    const problem = toProblem(request.error);
    if (serverProblems.has(problem.code) && !(problem.code === 'unavailable' && clientHasGone(request))) {
      logError('The request failed.', logContext(operation, request), problem.cause);
    }
    const { rawPath, requestContext } = request.event;
    request.response = problemResponse(problem, { path: rawPath, requestId: requestContext.requestId });
  },
});
