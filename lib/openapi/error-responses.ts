import { type Contract, isConditionalWrite, needsToken } from '../../functions/contract/contract.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/http/problems.ts';
import { referencesOf } from '../../functions/store/model/relations.ts';
import { subjectField } from '../../functions/store/model/subject.ts';
import { problemCodes, problemExample } from '../pages/problem-examples.ts';
import { headerReferences } from './headers.ts';
import { takesIdempotencyKey } from './parameters.ts';
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
  403: 'The token lacks the scope of this operation, or does not name a tenant.',
  429: 'The request rate of the tenant or of all clients is too high.',
};

function errorResponse(status: number): Response {
  const own = problemCodes.filter((code) => catalogue[code].status === status);
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

export const errorResponseName = (status: number, method: string): string =>
  `Error${status}${method === 'HEAD' ? 'Head' : ''}`;

/** Returns the response to `HEAD`: the response to `GET` without content (RFC 9110, section 9.3.2). */
export const withoutContent = ({ description, headers }: Response): Response => ({ description, headers });

export const errorResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  [
    ...new Set([
      ...Object.keys(gatewayMessages).map(Number),
      ...problemCodes.map((code) => catalogue[code].status),
    ]),
  ]
    // 405 is the response to a method that a path does not have, so no operation has it.
    .filter((status) => status !== 405)
    .sort((one, other) => one - other)
    .flatMap((status) => {
      const response = errorResponse(status);
      return [
        [errorResponseName(status, 'GET'), response],
        // Only write operations have these statuses, so HEAD has none of them.
        ...([409, 412, 413, 415, 422].includes(status)
          ? []
          : [[errorResponseName(status, 'HEAD'), withoutContent(response)]]),
      ] as const;
    }),
);

export function errorStatuses(contract: Contract): number[] {
  const { path, success, body, resource } = contract;
  const isBatch = success === 'batch';
  const givesSubject = body !== undefined && resource !== undefined && subjectField in resource.fields;
  const needsParent =
    resource !== undefined && referencesOf(resource.kind).some(({ isRequired }) => isRequired);
  const mayConflict = givesSubject || (needsParent && path.endsWith('/restore'));
  const isOne = path.includes('{') && success !== 'list';
  return [
    400,
    ...(needsToken(contract) ? [401, 403] : []),
    ...(isOne || isBatch ? [404] : []),
    ...(mayConflict ? [409] : []),
    ...(success === 'changes' ? [410] : []),
    ...(isConditionalWrite(contract) || isBatch ? [412] : []),
    ...(body ? [413, 415] : []),
    ...(takesIdempotencyKey(contract) ? [422] : []),
    429,
    431,
    500,
    503,
  ];
}
