/** What the pipeline's parts hand to each other. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Session } from '../store/unit-of-work/session.ts';
import type { Caller } from './caller.ts';

/** A Lambda function behind an HTTP API, payload format 2.0. */
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

export type Response = APIGatewayProxyStructuredResultV2;

/** The gateway's event; on its way through the pipeline it may get a session, and the body's value for its text. */
export type PipelineEvent = Omit<APIGatewayProxyEventV2, 'body'> & {
  body?: unknown;
  session?: Session;
  caller?: Caller;
  requestContext: {
    /** What the gateway's authorizer says of the token. */
    authorizer?: { jwt?: { claims: Record<string, unknown> } };
  };
};

/** What a middleware sees. */
export interface PipelineRequest {
  event: PipelineEvent;
  context: Context;
  response: Response | undefined;
  error: unknown;
}

export interface Middleware {
  readonly before?: (request: PipelineRequest) => void | Promise<void>;
  readonly after?: (request: PipelineRequest) => void | Promise<void>;
  readonly onError?: (request: PipelineRequest) => void | Promise<void>;
}
