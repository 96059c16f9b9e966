/** A typical request of an operation: what every sample sends. */
import { currentParameters } from '../resolve.ts';
import type { OpenApiDocument, Operation } from '../types.ts';

/** Stands for the address of the service in every example. The site shows its own instead. */
export const exampleOrigin = 'https://api.example.com';

export interface SampleRequest {
  /** In capital letters. */
  readonly method: string;
  readonly operationId: string;
  readonly template: string;
  /** Address without query. */
  readonly url: string;
  readonly id?: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Headers that a reader has typed. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Whether it has a new `Idempotency-Key` each time: with the same one, the second creation would create nothing. */
  readonly hasNewKey: boolean;
  readonly body?: unknown;
  readonly needsToken: boolean;
}

/** The query of a list, from the example in its description: `GET /v1/tasks?…`. */
function exampleQuery({ description = '' }: Operation): [string, string][] {
  const [, query = ''] = /`GET [^?`]+\?([^`]+)`/.exec(description) ?? [];
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(/=(.*)/s, 2) as [string, string]);
}

export function sampleRequest(
  document: OpenApiDocument,
  template: string,
  method: string,
  operation: Operation,
): SampleRequest {
  const found = currentParameters(document, operation).find((parameter) => parameter.in === 'path')?.example;
  const id = found === undefined ? undefined : String(found);
  const body = operation.requestBody?.content['application/json']?.example;
  return {
    method: method.toUpperCase(),
    operationId: operation.operationId,
    template,
    url: exampleOrigin + template.replace('{id}', id ?? ''),
    ...(id !== undefined && { id }),
    query: method === 'get' ? exampleQuery(operation) : [],
    // Without `If-Match`: no sample knows the version of an entity of the reader's service.
    hasNewKey: operation.operationId.startsWith('create'),
    ...(body !== undefined && { body }),
    needsToken: operation.security.length > 0,
  };
}

/** Returns the address with its query, which is readable: brackets and commas need no encoding for these programs. */
export const addressOf = ({ url, query }: SampleRequest): string =>
  query.length === 0 ? url : `${url}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;

export const indented = (text: string, indent: string): string => text.replaceAll('\n', `\n${indent}`);
