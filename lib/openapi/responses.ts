import { type Contract, pascal } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { errorResponseName, problemsOf } from './error-responses.ts';
import { batchResultsExample, createdExample, entityExample, listExamples } from './examples.ts';
import { headerReferences } from './headers.ts';
import { historyExample } from './history.ts';
import { deletedExample } from './list-parameters.ts';
import { isRead } from './parameters.ts';
import { docsOf } from './resources.ts';
import { type Content, type Link, type Reference, type Response, referTo } from './types.ts';

function links({ resource }: Contract): Record<string, Link> {
  if (!resource) return {};
  const one = pascal(resource.kind);
  const verbs = ['read', 'replace', 'update', 'delete'];
  return Object.fromEntries(
    verbs.map((verb) => [
      verb,
      {
        operationId: `${verb}${one}`,
        description: `The id is the parameter of ${verb}${one}.`,
        parameters: { id: '$response.body#/id' },
      },
    ]),
  );
}

/** Returns the header of the version of a read. It can be absent where references can be expanded. */
const entityTagHeader = ({ resource, method }: Contract): Record<string, Reference> =>
  method === 'GET' && resource && Object.keys(resource.expansions).length > 0
    ? { ETag: referTo('headers', 'Expandable-ETag') }
    : headerReferences('ETag');

function signedInUserResponse({ resource }: Contract): Response {
  const user = resource && docsOf(resource).example;
  const scopes = ['users:read', 'tasks:read', 'tasks:write'];
  return {
    description: 'Who the token is for.',
    headers: headerReferences('ETag', 'Cache-Control'),
    content: json('SignedInUser', { subject: user?.['subject'], tenant: 'acme', scopes, user }),
  };
}

const liveExample = {
  url: 'wss://example.appsync-realtime-api.eu-central-1.amazonaws.com/event/realtime',
  host: 'example.appsync-api.eu-central-1.amazonaws.com',
  channels: { tasks: '/changes/9f86d081884c7d659a2feaa0c55ad015/tasks' },
  seenThrough: { tasks: ['projects'] },
  spreadMs: 0,
  endpoint: 'https://example.appsync-api.eu-central-1.amazonaws.com/event',
};

const listHeaders = (contract: Contract): Record<string, Reference> => ({
  ...entityTagHeader(contract),
  ...headerReferences('Cache-Control', 'Link', 'X-Total-Count'),
});

function listResponse(contract: Contract): Response {
  const { resource } = contract;
  return {
    description: `A page of ${resource?.plural}. It is empty when nothing matches.`,
    headers: listHeaders(contract),
    content: {
      'application/json': {
        schema: referTo('schemas', `${resource ? pascal(resource.kind) : ''}List`),
        ...(resource && { examples: listExamples(resource) }),
      },
    },
  };
}

const json = (schema: string, value: unknown): Content => ({
  'application/json': { schema: referTo('schemas', schema), example: value },
});

const changesResponse = (resource: Resource): Response => ({
  description: `Changes of ${resource.plural}. A page can be empty although more pages follow.`,
  headers: headerReferences('Cache-Control'),
  content: json(`${pascal(resource.kind)}ChangesPage`, {
    data: [docsOf(resource).example],
    removed: ['019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36'],
    cursor: 'AUzBjRAkOGuCAZCRj6eYZgAAAA',
    position: 1_234,
    hasMore: false,
  }),
});

const historyResponse = (resource: Resource): Response => ({
  description: `Changes of the ${resource.kind}.`,
  headers: headerReferences('ETag', 'Cache-Control'),
  content: json(`${pascal(resource.kind)}History`, historyExample(resource)),
});

function deletedListResponse(contract: Contract): Response {
  const { kind, plural } = contract.resource as Resource;
  const one = { ...docsOf({ kind }).example, ...deletedExample, deletedWith: null, restores: 0 };
  return {
    description: `A page of deleted ${plural} that can be restored.`,
    headers: listHeaders(contract),
    content: json(`Deleted${pascal(kind)}List`, { data: [one], total: 1, page: 1, limit: 20, totalPages: 1 }),
  };
}

function createdResponse(contract: Contract): Response {
  const { resource } = contract;
  return {
    description: `The new ${resource?.kind}.`,
    headers: headerReferences('ETag', 'Cache-Control', 'Location', 'Idempotency-Replayed'),
    ...(resource && { content: json(pascal(resource.kind), createdExample(contract)) }),
    links: links(contract),
  };
}

const ok = (
  description: string,
  headers: Response['headers'],
  content: Content,
): [status: string, response: Response] => ['200', { description, headers, content }];

function success(contract: Contract): [status: string, response: Response] {
  const { method, resource } = contract;
  const shown = resource ? pascal(resource.kind) : '';
  const replayed = method === 'GET' ? {} : headerReferences('Idempotency-Replayed');
  switch (contract.success) {
    case 'list':
      return ['200', listResponse(contract)];
    case 'changes':
      return ['200', changesResponse(resource as Resource)];
    case 'history':
      return ['200', historyResponse(resource as Resource)];
    case 'deletedList':
      return ['200', deletedListResponse(contract)];
    case 'entity':
      return ok(
        `The ${resource?.kind}.`,
        { ...entityTagHeader(contract), ...headerReferences('Cache-Control'), ...replayed },
        json(shown, entityExample(contract)),
      );
    case 'created':
      return ['201', createdResponse(contract)];
    case 'batch':
      return ok(
        'All operations are applied.',
        { ...headerReferences('Cache-Control'), ...replayed },
        json(`${shown}BatchResults`, resource && batchResultsExample(resource)),
      );
    case 'deleted':
      return [
        '204',
        {
          description: 'The entity is deleted.',
          headers: headerReferences('Cache-Control', 'Idempotency-Replayed'),
        },
      ];
    case 'signedInUser':
      return ['200', signedInUserResponse(contract)];
    case 'live':
      return ok(
        'Where changes are announced.',
        headerReferences('ETag', 'Cache-Control'),
        json('Live', liveExample),
      );
    case 'health':
      return ok(
        'The service is healthy.',
        headerReferences('Cache-Control'),
        json('Health', { status: 'ok' }),
      );
  }
}

const notModified = ({ success: kind }: Contract): Response => ({
  description: 'The version of the caller is current.',
  headers: headerReferences(
    'ETag',
    'Cache-Control',
    ...(kind === 'list' || kind === 'deletedList' ? ['Link', 'X-Total-Count'] : []),
  ),
});

export function responsesOf(contract: Contract): Record<string, Response | Reference> {
  const [status, response] = success(contract);
  return {
    [status]: response,
    ...(contract.method === 'PUT' && { 201: createdResponse(contract) }),
    ...(isRead(contract) && { 304: notModified(contract) }),
    ...Object.fromEntries(
      [...problemsOf(contract)].map(([errorStatus, codes]) => [
        errorStatus,
        referTo('responses', errorResponseName(errorStatus, codes)),
      ]),
    ),
  };
}
