import { type Contract, isConditionalWrite, needsToken, pascal } from '../../functions/contract/contract.ts';
import { decidesWhoViewersAre, isGuard } from '../../functions/engine/model/access.ts';
import { referencesOf } from '../../functions/engine/model/relations.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/http/problems.ts';
import { headerReferences } from './headers.ts';
import { takesIdempotencyKey } from './parameters.ts';
import { problemExample } from './problem-examples.ts';
import { type Content, type Reference, type Response, referTo } from './types.ts';

/** Messages of API Gateway by status. The gateway sends these errors itself, in its own format. */
const gatewayMessages: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

const gatewayContent = (status: number): Content => ({
  'application/json': {
    schema: referTo('schemas', 'GatewayMessage'),
    example: { message: gatewayMessages[status] },
  },
});

function problemContent(status: number, own: readonly ProblemCode[]): Content {
  return {
    'application/problem+json': {
      schema: {
        allOf: [
          referTo('schemas', 'Problem'),
          {
            type: 'object',
            properties: {
              type: { type: 'string', enum: own.map(problemType) },
              status: { type: 'integer', format: 'int32', minimum: 400, maximum: 599, enum: [status] },
            },
          },
        ],
      },
      examples: Object.fromEntries(
        own.map((code) => [code, { summary: catalogue[code].title, value: problemExample(code).body }]),
      ),
    },
  };
}

const problemHeaders: Readonly<Record<number, Record<string, Reference>>> = {
  401: headerReferences('WWW-Authenticate'),
  403: {
    ...headerReferences('WWW-Authenticate'),
    'Cache-Control': referTo('headers', 'Error-Cache-Control'),
  },
  410: headerReferences('Retry-After'),
  412: { ETag: referTo('headers', 'Current-ETag') },
  415: headerReferences('Accept', 'Accept-Encoding'),
  429: {
    ...headerReferences('Retry-After'),
    'Cache-Control': referTo('headers', 'Error-Cache-Control'),
  },
  503: headerReferences('Retry-After'),
};

const descriptions: Readonly<Record<number, string>> = {
  401: 'The token is missing or invalid.',
  403: 'The token lacks a scope that this request needs, or does not name a tenant; or only members may change this.',
  429: 'The request rate of the tenant or of all clients is too high.',
};

/** Returns whether an operation can change whom tokens are for. */
const saysWhoIsWho = ({ method, resource }: Contract): boolean =>
  method !== 'GET' && resource !== undefined && decidesWhoViewersAre(resource.kind);

/** Returns whether an operation can change who sees an entity: that entity, or one of its members. */
function changesMembers(contract: Contract): boolean {
  const { success, body, resource } = contract;
  if (saysWhoIsWho(contract) && (success === 'batch' || success === 'deleted')) return true;
  const isChange =
    success === 'batch' || (isConditionalWrite(contract) && body !== undefined && !body.optional);
  return isChange && 'members' in (resource?.access ?? {});
}

/** Returns whether the response to a repeated creation can be of what the caller does not see any more. */
const isHiddenLater = ({ success, resource }: Contract): boolean =>
  success === 'created' && resource?.access !== undefined;

/** Returns whether an entity can come back only with the one that it refers to. */
const needsParent = ({ resource }: Contract): boolean =>
  resource !== undefined &&
  referencesOf(resource.kind).some((relation) => relation.isRequired || isGuard(relation));

/** Returns whether an operation can change what only callers who see all may change. */
const needsFullSight = (contract: Contract): boolean =>
  saysWhoIsWho(contract) ||
  changesMembers(contract) ||
  (contract.success === 'created' &&
    !contract.path.includes('{') &&
    'members' in (contract.resource?.access ?? {}));

/** Returns the problems that an operation can respond with, by status. A status without problems is a response of the gateway. */
export function problemsOf(contract: Contract): Map<number, readonly ProblemCode[]> {
  const { method, path, success, body, resource, additionalScope } = contract;
  const isBatch = success === 'batch';
  const givesSubject = body !== undefined && resource !== undefined && resource.unique !== undefined;
  const isRestore = path.endsWith('/restore');
  const isOne = path.includes('{') && success !== 'list';
  const expands =
    method === 'GET' &&
    !['changes', 'history'].includes(success) &&
    Object.keys(resource?.expansions ?? {}).length > 0;
  const when = (condition: boolean, ...codes: ProblemCode[]): ProblemCode[] => (condition ? codes : []);
  const codes: readonly ProblemCode[] = [
    ...when(body !== undefined, 'malformed-body'),
    'invalid-request',
    ...when(needsToken(contract), 'no-tenant'),
    ...when(additionalScope !== undefined || expands || needsFullSight(contract), 'missing-scope'),
    ...when(changesMembers(contract), 'not-a-member'),
    ...when(isOne || isBatch || isHiddenLater(contract), 'not-found'),
    ...when(success === 'live', 'live-is-off'),
    ...when(givesSubject, 'subject-taken'),
    ...when(isRestore && needsParent(contract), 'reference-missing'),
    ...when(success === 'changes', 'cursor-expired'),
    ...when(isConditionalWrite(contract) || isBatch, 'version-mismatch'),
    ...when(body !== undefined, 'body-too-large', 'unsupported-media-type'),
    // A body that can only be empty is never another one.
    ...when(takesIdempotencyKey(contract) && (body?.writable.length ?? 0) > 0, 'idempotency-key-reused'),
    ...when(path.endsWith('/clone'), 'clone-too-large'),
    'too-many-requests',
    'headers-too-large',
    'internal-error',
    'unavailable',
  ];
  const byStatus = new Map<number, readonly ProblemCode[]>(needsToken(contract) ? [[401, []]] : []);
  for (const code of codes) {
    const { status } = catalogue[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([one], [other]) => one - other));
}

function errorResponse(status: number, own: readonly ProblemCode[]): Response {
  return {
    description:
      descriptions[status] ??
      `${own.map((code) => `[${catalogue[code].title}](${problemType(code)})`).join(', or ')}.`,
    headers: {
      ...headerReferences(...(own.length > 0 ? ['Cache-Control'] : [])),
      ...problemHeaders[status],
      'X-Content-Type-Options': referTo('headers', 'Error-Content-Type-Options'),
    },
    content: {
      ...(own.length > 0 && problemContent(status, own)),
      ...(gatewayMessages[status] && gatewayContent(status)),
    },
  };
}

/** Problems that few operations have beside the others of the same status. They are part of the name of a response. */
const rareProblems: readonly ProblemCode[] = [
  'live-is-off',
  'malformed-body',
  'missing-scope',
  'not-a-member',
  'reference-missing',
  'clone-too-large',
];

/** Returns the name of a response, such as `Error400` and, with a body, `Error400MalformedBody`. */
export function errorResponseName(status: number, codes: readonly ProblemCode[]): string {
  const rare = codes
    .filter((code) => rareProblems.includes(code))
    .map((code) => code.split('-').map(pascal).join(''));
  return `Error${status}${rare.join('')}`;
}

/** Returns the responses of all operations, by name. */
export function errorResponses(contracts: readonly Contract[]): Readonly<Record<string, Response>> {
  const named = new Map<string, Response>();
  for (const contract of contracts) {
    for (const [status, codes] of problemsOf(contract))
      named.set(errorResponseName(status, codes), errorResponse(status, codes));
  }
  return Object.fromEntries([...named].sort(([one], [other]) => (one < other ? -1 : 1)));
}
