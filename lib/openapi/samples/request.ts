/** A typical request of an operation: what every sample sends. */
import { exampleOrigin } from '../../pages/html.ts';
import type { OpenApiDocument, Operation, Parameter } from '../types.ts';

export interface SampleRequest {
  /** In capital letters. */
  readonly method: string;
  readonly operationId: string;
  readonly template: string;
  /** Address without query. */
  readonly url: string;
  readonly id?: string;
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Headers besides the token and the content type. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: unknown;
  readonly needsToken: boolean;
}

const resolved = (document: OpenApiDocument, { parameters = [] }: Operation): Parameter[] =>
  parameters.map((parameter) =>
    '$ref' in parameter
      ? (document.components.parameters[parameter.$ref.split('/').at(-1) ?? ''] as Parameter)
      : parameter,
  );

/** The query of a list, from the example in its description: `GET /v1/tasks?…`. */
export function exampleQuery({ description = '' }: Operation): [string, string][] {
  const [, query = ''] = /`GET [^?`]+\?([^`]+)`/.exec(description) ?? [];
  return query
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => pair.split(/=(.*)/s, 2) as [string, string]);
}

/** Headers that a sample sends: a guard of a write, and the key of a safe retry. */
const sampleHeaders = new Set(['If-Match', 'Idempotency-Key']);

export function sampleRequest(
  document: OpenApiDocument,
  template: string,
  method: string,
  operation: Operation,
): SampleRequest {
  const parameters = resolved(document, operation);
  const found = parameters.find((parameter) => parameter.in === 'path')?.example;
  const id = found === undefined ? undefined : String(found);
  // The reader does not have the version that an entity had before its deletion.
  const isRestore = template.endsWith('/restore');
  const isCreation = operation.operationId.startsWith('create');
  const body = operation.requestBody?.content['application/json']?.example;
  return {
    method: method.toUpperCase(),
    operationId: operation.operationId,
    template,
    url: exampleOrigin + template.replace('{id}', id ?? ''),
    ...(id !== undefined && { id }),
    query: method === 'get' ? exampleQuery(operation) : [],
    headers: parameters
      .filter(({ name }) => sampleHeaders.has(name) && (name === 'If-Match' ? !isRestore : isCreation))
      .map(({ name, example }) => [name, String(example)] as const),
    ...(body !== undefined && { body }),
    needsToken: operation.security.length > 0,
  };
}

/** Returns the address with its query, which is readable: brackets and commas need no encoding for these programs. */
export const addressOf = ({ url, query }: SampleRequest): string =>
  query.length === 0 ? url : `${url}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`;

export const indented = (text: string, indent: string): string => text.replaceAll('\n', `\n${indent}`);
