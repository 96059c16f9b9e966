import middy from '@middy/core';
import { answers, type Served } from './answers.ts';
import type { Handler, Middleware, PipelineEvent, Response } from './middleware.ts';

/** middy, with the types of what passes through it here. Its own are for events of any kind. */
const engine = middy as unknown as (options: { timeoutEarlyInMillis: number }) => {
  use(middlewares: readonly Middleware[]): {
    handler(run: (event: PipelineEvent) => Promise<Response>): Handler;
  };
};

/**
 * What stands around whatever answers a request: a session before it, an answer behind it in any case.
 * @param middlewares what else comes before it.
 */
export function pipeline(
  served: Served,
  middlewares: readonly Middleware[],
  run: (event: PipelineEvent) => Promise<Response>,
): Handler {
  // Our own deadline answers before the function's time is over; middy's would answer without our form.
  return engine({ timeoutEarlyInMillis: 0 })
    .use([answers(served), ...middlewares])
    .handler(run);
}
