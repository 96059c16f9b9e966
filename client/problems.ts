import type { ProblemStatuses } from './types.ts';

/** One thing that is wrong, and where: in the body (a JSON pointer), or a parameter of the query or a header. */
export type Fault =
  | { readonly pointer: string; readonly parameter?: never; readonly detail: string }
  | { readonly parameter: string; readonly pointer?: never; readonly detail: string };

interface Described<Code extends string, Status extends number> {
  readonly code: Code;
  readonly status: Status;
  /** The kind of problem in words. */
  readonly title: string;
  /** What happened this time. */
  readonly detail: string;
}

/** A problem of the service. `type` is the address of its explanation. */
type ServiceProblem = {
  [Code in keyof ProblemStatuses]: Described<Code, ProblemStatuses[Code]> & {
    readonly type: string;
    readonly instance: string;
    readonly requestId: string;
  } & (Code extends 'invalid-request' ? { readonly errors: readonly Fault[] } : unknown);
}[keyof ProblemStatuses];

/** What the gateway says before a request arrives at the service, or anything else in between. */
type GatewayProblem =
  | Described<'unauthorized', 401>
  | Described<'forbidden', 403>
  | Described<'too-many-requests', 429>
  | Described<'unexpected', number>;

/** Everything that a request can be refused with, told apart by `code`. */
export type Problem = ServiceProblem | GatewayProblem;

export type ProblemCode = Problem['code'];

/** A request was refused; `problem` says why. */
export class ProblemError<Kind extends Problem = Problem> extends Error {
  readonly problem: Kind;

  constructor(problem: Kind) {
    super(`${problem.status} ${problem.title}: ${problem.detail}`);
    this.name = 'ProblemError';
    this.problem = problem;
  }
}

/** The service did not answer: each try failed, or was redirected. `cause` is what the last try got instead. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown, message = `There is no answer from ${url}.`) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}

/**
 * Whether a request was refused for this reason.
 * @param code any, when it is left out.
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

/** The problem that an answer holds. */
export function problemOf(url: string, status: number, mediaType: string, text: string): Problem {
  if (/^application\/problem\+json\b/.test(mediaType)) {
    const { type, errors, ...rest } = JSON.parse(text) as { type: string; errors?: readonly Fault[] };
    const code = type.slice(type.indexOf('#') + 1);
    const address = new URL(type, url).href;
    return {
      ...rest,
      type: address,
      code,
      ...(code === 'invalid-request' && { errors: errors ?? [] }),
    } as Problem;
  }
  const title = ofGateway[status]
    ? 'The gateway refuses the request'
    : 'The answer is not one of the service';
  return { code: ofGateway[status] ?? 'unexpected', status, title, detail: text.slice(0, 500) } as Problem;
}
