import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Session } from '../engine/table/session.ts';
import type { TenantUnits } from './tenant-units.ts';

/** A Lambda handler behind an HTTP API, payload format 2.0. */
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Response>;

export type Response = APIGatewayProxyStructuredResultV2;

export interface Caller {
  /** Whose data the request is about; every key begins with it. */
  readonly tenant: string;
  /** The tenant as the token names it. */
  readonly tenantName: string;
  /** The user or program that the token is for: its claim `sub`, or else `client_id`. It is `undefined` without a token, and when the token does not say. */
  readonly subject?: string | undefined;
  /** The claim `sub` alone: who sees what depends on the user. A program is none, whatever its \`client_id\`. */
  readonly user?: string | undefined;
  /** Whose idempotency keys the request uses: '' where no token is required, and `undefined` when the token does not say. */
  readonly keyOwner: string | undefined;
  /** The scopes of the token; `undefined` where no token is required. */
  readonly scopes?: readonly string[];
}

/** The event of API Gateway. The pipeline adds the session and the caller, and replaces the text of the body by its value. */
export type PipelineEvent = Omit<APIGatewayProxyEventV2, 'body'> & {
  body?: unknown;
  session?: Session;
  caller?: Caller;
  /** What the rate limit knows of the request, if there is one. */
  limited?: {
    readonly units: TenantUnits;
    readonly quota: number;
    readonly resetSeconds: number;
    headers?: Readonly<Record<string, string>>;
  };
  requestContext: {
    authorizer?: { jwt?: { claims: Record<string, unknown> } };
  };
};

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
