/** What operations answer: what they are for, and every problem they can have. */

import { explanations } from '../../functions/documentation/pages/problem-explanations.ts';
import { type Contract, isConditionalWrite, scopeOf } from '../../functions/shared/contract/contract.ts';
import { catalogue, type ProblemCode, problemType } from '../../functions/shared/http/problems.ts';
import { isRead } from './parameters.ts';
import { words } from './resources.ts';
import { pascal } from './schemas.ts';
import {
  type Content,
  type Header,
  type Link,
  type Reference,
  type Response,
  referTo,
  type Schema,
} from './types.ts';

const text = (maxLength = 255): Schema => ({ type: 'string', maxLength });

export const headers: Readonly<Record<string, Header>> = {
  ETag: {
    description: 'The version of what is answered, for `If-Match` and `If-None-Match`.',
    required: true,
    schema: { type: 'string', maxLength: 64, pattern: '^"[\\w-]+"$' },
    example: '"7a2c4d8f0e36-3"',
  },
  'Cache-Control': {
    description: 'What caches may do with the answer.',
    required: true,
    schema: text(),
    example: 'private, no-cache',
  },
  'Refusal-Cache-Control': {
    description: "What caches may do with the refusal; the gateway's own do not say.",
    schema: text(),
    example: 'no-store',
  },
  Link: {
    description:
      'The first, previous, next and last page (RFC 8288) with the same filters. Absent when the query is longer than 2,048 bytes.',
    schema: text(10_000),
    example: '</v1/tasks?page=1&limit=20>; rel="first", </v1/tasks?page=3&limit=20>; rel="last"',
  },
  Location: {
    description: 'The path of what was created.',
    required: true,
    schema: { type: 'string', format: 'uri-reference', maxLength: 300 },
    example: '/v1/tags/019b2f4f-2a95-7be2-8d67-c05a1b9e3f42',
  },
  'Idempotency-Replayed': {
    description: 'This is the answer to an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again.',
    schema: { type: 'string', maxLength: 10, pattern: '^\\d+$' },
    example: '1',
  },
  Accept: {
    description: 'The media type that is taken.',
    schema: text(),
    example: 'application/json',
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the token (RFC 6750).',
    schema: text(2_000),
    example: 'Bearer scope="" error="invalid_token"',
  },
  'Access-Control-Allow-Origin': {
    description: 'Which other origins may read the answer; for requests from one.',
    schema: text(),
    example: '*',
  },
  'Content-Security-Policy': {
    description: 'What a page may load.',
    required: true,
    schema: text(1_000),
  },
  'X-Content-Type-Options': {
    description: 'Browsers take the media type at its word.',
    required: true,
    schema: { type: 'string', enum: ['nosniff'] },
  },
  'Refusal-Content-Type-Options': {
    description: "Browsers take the media type at its word; the gateway's own refusals do not say.",
    schema: { type: 'string', enum: ['nosniff'] },
  },
};

/** Headers by their names, and those of every answer. */
const header = (...names: (keyof typeof headers)[]): Record<string, Reference> =>
  Object.fromEntries(
    [...names, 'Access-Control-Allow-Origin', 'X-Content-Type-Options'].map((name) => [
      name,
      referTo('headers', name),
    ]),
  );

/** The statuses that the gateway has answers of its own for, in its own form. */
const ofGateway: Readonly<Record<number, string>> = {
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
    example: { message: ofGateway[status] },
  },
});

const codes = Object.keys(catalogue) as ProblemCode[];

const problemExample = (code: ProblemCode): object => ({
  type: problemType(code),
  ...catalogue[code],
  detail: explanations[code].example,
  instance: code === 'headers-too-large' || code === 'malformed-request' ? '/' : '/v1/projects',
  requestId: 'JKJaXmPLvHcESHA=',
  ...(code === 'invalid-request' && { errors: [{ pointer: '/name', detail: explanations[code].example }] }),
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
        own.map((code) => [code, { summary: catalogue[code].title, value: problemExample(code) }]),
      ),
    },
  };
}

/** The headers that some problems have besides. */
const problemHeaders: Readonly<Record<number, Record<string, Reference>>> = {
  401: header('WWW-Authenticate'),
  403: { ...header('WWW-Authenticate'), 'Cache-Control': referTo('headers', 'Refusal-Cache-Control') },
  415: header('Accept'),
  429: header('Retry-After'),
  503: header('Retry-After'),
};

const refusals: Readonly<Record<number, string>> = {
  401: 'There is no valid token.',
  403: 'The token does not have the scope of this operation, or does not say whose data it is for.',
  429: 'There are too many requests at once.',
};

function refusal(status: number): Response {
  const own = codes.filter((code) => catalogue[code].status === status);
  return {
    description:
      refusals[status] ??
      `${own.map((code) => `[${catalogue[code].title}](${problemType(code)})`).join(', or ')}.`,
    headers: {
      ...header(...(own.length > 0 ? ['Cache-Control'] : [])),
      ...problemHeaders[status],
      'X-Content-Type-Options': referTo('headers', 'Refusal-Content-Type-Options'),
    },
    content: {
      ...(own.length > 0 && problemContent(status, own)),
      ...(ofGateway[status] && gatewayContent(status)),
    },
  };
}

const refusalName = (status: number, method: string): string =>
  `Refusal${status}${method === 'HEAD' ? 'Head' : ''}`;

/** The answer to `HEAD`: that to `GET`, without content (RFC 9110, 9.3.2). */
const withoutContent = ({ description, headers: own }: Response): Response => ({
  description,
  headers: own ?? {},
});

/** All answers that many operations share: those that are problems. */
export const refusalResponses: Readonly<Record<string, Response>> = Object.fromEntries(
  [...new Set([...Object.keys(ofGateway).map(Number), ...codes.map((code) => catalogue[code].status)])]
    // No operation answers 405: it is for methods that a path does not have.
    .filter((status) => status !== 405)
    .sort((one, other) => one - other)
    .flatMap((status) => {
      const response = refusal(status);
      return [
        [refusalName(status, 'GET'), response],
        // What only writing meets has no HEAD.
        ...([412, 413, 415, 422].includes(status)
          ? []
          : [[refusalName(status, 'HEAD'), withoutContent(response)]]),
      ] as const;
    }),
);

/** The statuses of the problems that an operation can have. */
function refusalStatuses(contract: Contract): number[] {
  const { method, path, success, body } = contract;
  const isOne = path.includes('{') && success !== 'list';
  return [
    400,
    ...(scopeOf(contract) ? [401, 403] : []),
    ...(isOne ? [404] : []),
    ...(isConditionalWrite(contract) ? [412] : []),
    ...(body ? [413, 415] : []),
    ...(method === 'POST' ? [422] : []),
    429,
    431,
    500,
    503,
  ];
}

/** Where an operation's entity can be read, changed and deleted (the ids are those of `contract.ts`). */
function links({ resource }: Contract): Record<string, Link> {
  if (!resource) return {};
  const one = pascal(resource.kind);
  const verbs = ['read', 'replace', 'update', 'delete'];
  return Object.fromEntries(
    verbs.map((verb) => [
      verb,
      {
        operationId: `${verb}${one}`,
        description: `The id is that of ${verb}${one}.`,
        parameters: { id: '$response.body#/id' },
      },
    ]),
  );
}

const examplePage = (example: unknown): object => ({ data: [example], total: 41, page: 1, totalPages: 3 });

function pageContent({ mediaTypes = [] }: Contract): Content {
  const content = (mediaType: string): Content[string] =>
    mediaType === 'application/json'
      ? { schema: { type: 'object', description: 'This document.' } }
      : { schema: { type: 'string', maxLength: 5_000_000, description: 'For browsers.' } };
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content(mediaType)]));
}

/** What an operation answers when all went well. */
function success(contract: Contract): [status: string, response: Response] {
  const { method, resource } = contract;
  const shown = resource ? pascal(resource.kind) : '';
  const example = resource && words[resource.kind].example;
  const json = (schema: string, value: unknown): Content => ({
    'application/json': { schema: referTo('schemas', schema), example: value },
  });
  const replayed = method === 'POST' ? header('Idempotency-Replayed') : {};
  switch (contract.success) {
    case 'list':
      return [
        '200',
        {
          description: `A page of ${resource?.plural}; an empty one when nothing matches.`,
          headers: header('ETag', 'Cache-Control', 'Link'),
          content: json(`${shown}List`, examplePage(example)),
        },
      ];
    case 'entity':
      return [
        '200',
        {
          description: `The ${resource?.kind}.`,
          headers: { ...header('ETag', 'Cache-Control'), ...replayed },
          content: json(shown, example),
        },
      ];
    case 'created':
      return [
        '201',
        {
          description: `The new ${resource?.kind}.`,
          headers: { ...header('ETag', 'Cache-Control', 'Location'), ...replayed },
          content: json(shown, example),
          links: links(contract),
        },
      ];
    case 'deleted':
      return ['204', { description: 'It is deleted.', headers: header('Cache-Control') }];
    case 'health':
      return [
        '200',
        {
          description: 'All is well.',
          headers: header('Cache-Control'),
          content: json('Health', { status: 'ok' }),
        },
      ];
    case 'staticPage':
      return [
        '200',
        {
          description: 'The page or file.',
          headers: header('ETag', 'Cache-Control', 'Content-Security-Policy'),
          content: pageContent(contract),
        },
      ];
  }
}

const notModified = ({ success: kind }: Contract): Response => ({
  description: 'What the caller has is still current.',
  headers: header('ETag', 'Cache-Control', ...(kind === 'list' ? ['Link'] : [])),
});

/** All answers of an operation to one of its methods. */
export function responsesOf(contract: Contract, method: string): Record<string, Response | Reference> {
  const [status, response] = success(contract);
  return {
    [status]: method === 'HEAD' ? withoutContent(response) : response,
    ...(isRead(contract) && { 304: notModified(contract) }),
    ...Object.fromEntries(
      refusalStatuses(contract).map((refused) => [
        refused,
        referTo('responses', refusalName(refused, method)),
      ]),
    ),
  };
}
