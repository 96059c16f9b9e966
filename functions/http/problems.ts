/** Errors in terms of HTTP: one catalogue of codes, and one mapping from the errors of the store. */
import { allProjectsScope } from '../contract/scopes.ts';
import {
  BatchTooLarge,
  ClockWrong,
  ContradictingField,
  CursorExpired,
  EntityNotFound,
  IdempotencyKeyReused,
  IdTaken,
  KeysThrottled,
  NeedsFullSight,
  NotAMember,
  ReadBudgetExceeded,
  ReferenceNotFound,
  RequiredReferenceMissing,
  SequencerBehind,
  SightChanged,
  StoreUnavailable,
  TooManyJobs,
  UnknownFormat,
  UnusableId,
  ValueTaken,
  VersionMismatch,
} from '../engine/model/errors.ts';
import { environment } from '../runtime/environment.ts';
import { randomInteger } from '../runtime/time-and-chance.ts';
import { versionTag } from './entity-tags.ts';

/** Every type of problem. The code is the last part of its `type`. */
export const catalogue = {
  'malformed-body': { status: 400, title: 'The body is not valid JSON' },
  'malformed-request': { status: 400, title: 'The request is not valid HTTP' },
  'invalid-request': { status: 400, title: 'The request is not valid' },
  'no-tenant': { status: 403, title: 'The token names no tenant' },
  'missing-scope': { status: 403, title: 'The token lacks a scope' },
  'not-a-member': { status: 403, title: 'Only members may change this' },
  'not-found': { status: 404, title: 'Not found' },
  'live-is-off': { status: 404, title: 'Changes are not announced' },
  'method-not-allowed': { status: 405, title: 'The path does not have this method' },
  'reference-missing': { status: 409, title: 'An entity that it belongs to does not exist' },
  'subject-taken': { status: 409, title: 'Another user has the subject' },
  'cursor-expired': { status: 410, title: 'The cursor is too old' },
  'version-mismatch': { status: 412, title: 'The resource has changed' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body is not plain JSON' },
  'idempotency-key-reused': { status: 422, title: 'The idempotency key was used for another request' },
  'clone-too-large': { status: 422, title: 'The project has too many tasks to be cloned' },
  'too-many-requests': { status: 429, title: 'Too many requests' },
  'headers-too-large': { status: 431, title: 'The request line and headers are too large' },
  'internal-error': { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
} as const;

export type ProblemCode = keyof typeof catalogue;

/** Returns the `type` of a problem: a reference to its explanation. */
export const problemType = (code: ProblemCode): string => `/docs/problems#${code}`;

/** One mistake and its place: a JSON pointer into the body, or the name of a query parameter or header. */
export type ValidationIssue = { readonly detail: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
);

/** An error with a response. Its message is for the caller. */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly issues: readonly ValidationIssue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      readonly issues?: readonly ValidationIssue[];
      readonly headers?: Readonly<Record<string, string>>;
      readonly cause?: unknown;
    } = {},
  ) {
    super(detail, { cause: more.cause });
    this.name = 'Problem';
    this.code = code;
    this.issues = more.issues ?? [];
    this.headers = more.headers ?? {};
  }
}

export const maxIssues = 50;

/** Seconds within which feeds begin again after a change of what their callers see. */
const maxSpreadSeconds = 30;

/** Different details of issues that `detail` repeats. */
const maxIssuesInDetail = 3;

export const invalidRequest = (issues: readonly ValidationIssue[]): Problem => {
  const details = [...new Set(issues.map(({ detail }) => detail))].slice(0, maxIssuesInDetail);
  return new Problem('invalid-request', details.join(' '), { issues: issues.slice(0, maxIssues) });
};

function causeOf(error: StoreUnavailable): string {
  if (error instanceof ClockWrong) return 'The clock of the service is wrong.';
  if (error instanceof SequencerBehind)
    return 'The data of the service was restored, and is not repaired yet.';
  if (error instanceof KeysThrottled) return 'Too many requests use the same data at this time.';
  return error.isContention
    ? 'Other requests kept changing the same entities.'
    : 'The request did not finish in time.';
}

const outcomeOf = ({ isInDoubt }: StoreUnavailable): string =>
  isInDoubt
    ? 'The database did not respond, so it is not known whether the request was applied. An Idempotency-Key, or an id of your own, makes it safe to send it again.'
    : 'The request was not applied. Send it again, with the same Idempotency-Key if it has one.';

/** Returns what is wrong with the request that caused an error of the store; nothing when the request is valid. */
function issuesOf(error: unknown): readonly ValidationIssue[] {
  if (error instanceof UnusableId) return [{ parameter: 'id', detail: `"id" ${error.message}.` }];
  if (error instanceof ReferenceNotFound) {
    return error.references.map(({ pointer, kind }) => ({
      pointer,
      detail: `There is no ${kind} with this id.`,
    }));
  }
  if (error instanceof ContradictingField) return [{ pointer: error.pointer, detail: error.message }];
  if (error instanceof BatchTooLarge) return [{ pointer: '/operations', detail: error.message }];
  if (error instanceof ReadBudgetExceeded && error.isOfRequest) {
    const detail = `${error.message} Ask for fewer entities on a page, with a lower "limit".`;
    return [{ parameter: 'limit', detail }];
  }
  return [];
}

/** Returns the problem of an error that ends by itself, or by what an operator does; `undefined` for another error. */
function toUnavailable(error: unknown): Problem | undefined {
  const unavailable = (detail: string, retryAfter: string): Problem =>
    new Problem('unavailable', detail, { cause: error, headers: { 'retry-after': retryAfter } });
  if (error instanceof ReadBudgetExceeded)
    return unavailable(`${error.message} Ask for fewer entities on a page, or with other filters.`, '60');
  // It ends with the deployment or the rollback that is in progress, or by the runbook.
  if (error instanceof UnknownFormat)
    return unavailable('Another release of the service has stored what this one cannot read.', '60');
  if (!(error instanceof StoreUnavailable)) return undefined;
  return unavailable(`${causeOf(error)} ${outcomeOf(error)}`, '1');
}

/** Returns the problem of an error about what the caller sees or has; `undefined` for another error. */
function toSightProblem(error: unknown): Problem | undefined {
  if (error instanceof IdTaken) return new Problem('version-mismatch', error.message, { cause: error });
  if (error instanceof NotAMember) return new Problem('not-a-member', error.message, { cause: error });
  if (error instanceof NeedsFullSight) {
    const name = environment.scopePrefix() + allProjectsScope;
    const detail = `${error.message} This request needs a token with the scope "${name}".`;
    return new Problem('missing-scope', detail, { cause: error });
  }
  if (error instanceof CursorExpired || error instanceof SightChanged) {
    const remedy =
      'Begin again without "since", and then delete the entities that you have and did not get again.';
    // All who see a project begin again when it is closed: not all at once.
    const wait = { 'retry-after': String(randomInteger(1, maxSpreadSeconds + 1)) };
    const headers = error instanceof SightChanged ? wait : {};
    return new Problem('cursor-expired', `${error.message} ${remedy}`, { cause: error, headers });
  }
  return undefined;
}

/** Returns the problem of an error. A problem of an unexpected error says nothing about its cause. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const issues = issuesOf(error);
  if (issues.length > 0) return invalidRequest(issues);
  if (error instanceof EntityNotFound) return new Problem('not-found', error.message, { cause: error });
  if (error instanceof VersionMismatch) {
    const headers = { etag: versionTag(error.id, error.version) };
    return new Problem('version-mismatch', error.message, { cause: error, headers });
  }
  const ofSight = toSightProblem(error);
  if (ofSight) return ofSight;
  if (error instanceof IdempotencyKeyReused) {
    return new Problem('idempotency-key-reused', error.message, { cause: error });
  }
  if (error instanceof RequiredReferenceMissing || error instanceof ValueTaken) {
    const issues = [{ pointer: error.pointer, detail: error.message }];
    const code = error instanceof ValueTaken ? 'subject-taken' : 'reference-missing';
    return new Problem(code, error.message, { issues, cause: error });
  }
  if (error instanceof TooManyJobs) {
    const detail = `${error.message} Send the request again after the seconds in Retry-After.`;
    return new Problem('too-many-requests', detail, { cause: error, headers: { 'retry-after': '10' } });
  }
  const internal = 'The cause has been logged under the requestId.';
  return toUnavailable(error) ?? new Problem('internal-error', internal, { cause: error });
}

/**
 * Returns a path as a URI reference. The gateway has decoded it: a "#" must not begin a fragment, and two slashes at its beginning
 * must not begin a host name (RFC 3986, 4.2).
 */
export const instanceOf = (path: string): string =>
  encodeURI(path.toWellFormed())
    .replaceAll('#', '%23')
    .replace(/^(?=\/\/)/, '/.');

/** Returns the response of a problem (RFC 9457). */
export function problemResponse(problem: Problem, at: { readonly path: string; readonly requestId: string }) {
  const { status, title } = catalogue[problem.code];
  return {
    statusCode: status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...problem.headers },
    body: JSON.stringify({
      type: problemType(problem.code),
      title,
      status,
      detail: problem.message,
      instance: instanceOf(problem.code === 'headers-too-large' ? '/' : at.path),
      requestId: at.requestId,
      ...(problem.issues.length > 0 && { errors: problem.issues }),
    }),
  };
}
