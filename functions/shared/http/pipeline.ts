import middy from '@middy/core';
import { answers } from './answers.ts';
import type { Handler, Middleware, PipelineEvent, Response } from './middleware.ts';

/** middy, with the types of what passes through it here. Its own are for events of any kind. */
const engine = middy as unknown as <Event extends PipelineEvent>(options: {
  timeoutEarlyInMillis: number;
}) => {
  use(middlewares: readonly Middleware[]): {
    handler(run: (event: Event) => Promise<Response>): Handler;
  };
};

/**
 * What stands around whatever answers a request: an answer behind it in any case, and a line in the log.
 * @param operation what the log calls it.
 * @param middlewares what comes before it.
 */
export function pipeline<Event extends PipelineEvent>(
  operation: string,
  middlewares: readonly Middleware[],
  run: (event: Event) => Promise<Response>,
): Handler {
  // Our own deadline answers before the function's time is over; middy's would answer without our form.
  return engine<Event>({ timeoutEarlyInMillis: 0 })
    .use([answers(operation), ...middlewares])
    .handler(run);
}
