import type { ProblemStatuses } from './types.ts';

/** One validation issue and its location: a JSON pointer into the body, or the name of a query parameter or header. */
export type ValidationIssue =
  | { readonly pointer: string; readonly parameter?: never; readonly detail: string }
  | { readonly parameter: string; readonly pointer?: never; readonly detail: string };

interface Described<Code extends string, Status extends number> {
  readonly code: Code;
  readonly status: Status;
  /** The type of problem as text. */
  readonly title: string;
  /** The cause of this problem. */
  readonly detail: string;
}

/** A problem that the service returns. `type` is the URL of its explanation. */
type ServiceProblem = {
  [Code in keyof ProblemStatuses]: Described<Code, ProblemStatuses[Code]> & {
    readonly type: string;
    readonly instance: string;
    readonly requestId: string;
  } & (Code extends 'invalid-request'
      ? { readonly errors: readonly ValidationIssue[] }
      : // Of a batch.
        { readonly errors?: readonly ValidationIssue[] | undefined });
}[keyof ProblemStatuses];

/** A problem of the gateway, or of another intermediary before the service. */
type GatewayProblem =
  | Described<'unauthorized', 401>
  | Described<'forbidden', 403>
  | Described<'too-many-requests', 429>
  | Described<'unexpected', number>;

/** All problems of failed requests. `code` distinguishes them. */
export type Problem = ServiceProblem | GatewayProblem;

export type ProblemCode = Problem['code'];

/** The error of a request that the service or the gateway rejected. `problem` contains the reason. */
export class ProblemError<Kind extends Problem = Problem> extends Error {
  readonly problem: Kind;
  /** Milliseconds that the response asks to wait before the next request, up to a minute; 0 if it asks for none. */
  readonly retryAfterMs: number;
  /** Whether an earlier attempt may have been applied: its response was lost, and it had no idempotency key. */
  readonly mayBeApplied: boolean;

  constructor(problem: Kind, retryAfterMs = 0, mayBeApplied = false) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
    this.name = 'ProblemError';
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
    this.mayBeApplied = mayBeApplied;
  }
}

/** The error of a request without a response, or with a redirect. `cause` is the error of the last attempt. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown, message = `${url} did not respond.`) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/**
 * Returns whether an error is a `ProblemError` with this code.
 * @param code without it, every code matches.
 * @example
 * await client.tasks.delete(id).catch((error) => {
 *   if (!isProblem(error, 'not-found')) throw error;
 * });
 */
export function isProblem<Code extends ProblemCode>(
  error: unknown,
  code?: Code,
): error is ProblemError<Extract<Problem, { code: Code }>> {
  return error instanceof ProblemError && (code === undefined || error.problem.code === code);
}

const ofGateway: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  429: 'too-many-requests',
};

/** Returns an absolute URL. `URL` is incomplete in React Native. */
const absolute = (url: string, reference: string): string =>
  /^[a-z][a-z\d+.-]*:/i.test(reference) ? reference : url + reference;

/**
 * Returns what to do about a token that the gateway refused.
 * @param url of the service: one on this machine has an issuer of its own.
 * @param challenge the header `WWW-Authenticate`, which names the scope. Pages of other origins do not see it.
 */
function tokenAdvice(url: string, status: 401 | 403, challenge: string | null): string {
  const command = /^http:\/\/(?:localhost|127\.)/.test(url) ? `token local --url ${url}` : 'token';
  if (status === 401)
    return `The token is missing, has expired, or is from another issuer. In the folder of the service, "npx pm-api ${command}" prints a new one.`;
  const [, scope] = /\bscope="([^"]+)"/.exec(challenge ?? '') ?? [];
  return `The token lacks the scope ${scope ? `"${scope}"` : 'of this operation'}. Request it when you sign in. A role can exclude it.`;
}

/** Returns the message of an error that API Gateway made; `undefined` for any other text. */
function gatewayMessage(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { message?: string }).message;
  } catch {
    return undefined;
  }
}

export function problemOf(url: string, status: number, headers: Headers, text: string): Problem {
  if (/^application\/problem\+json\b/.test(headers.get('content-type') ?? '')) {
    const { type, errors, ...rest } = JSON.parse(text) as {
      type: string;
      errors?: readonly ValidationIssue[];
    };
    const code = type.slice(type.indexOf('#') + 1);
    return {
      ...rest,
      type: absolute(url, type),
      code,
      ...(errors ? { errors } : code === 'invalid-request' && { errors: [] }),
    } as Problem;
  }
  const title = ofGateway[status]
    ? 'The gateway rejected the request'
    : 'The response is not from the service';
  const message = gatewayMessage(text);
  const isAboutToken = message !== undefined && (status === 401 || status === 403);
  const detail = isAboutToken
    ? tokenAdvice(url, status, headers.get('www-authenticate'))
    : (message ?? text.slice(0, 500));
  return { code: ofGateway[status] ?? 'unexpected', status, title, detail } as Problem;
}
