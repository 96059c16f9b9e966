/** What the form of an operation has, and the request that it sends. */

import { newId } from '../../client/ids.ts';
import { currentParameters } from '../openapi/resolve.ts';
import { type SampleRequest, sampleRequest } from '../openapi/samples/request.ts';
import type { OpenApiDocument, Parameter } from '../openapi/types.ts';

/** Operators of filters as words. What has none is shown as it is. */
export const operatorWords: Readonly<Record<string, string>> = {
  '': 'is',
  ne: 'is not',
  in: 'is one of',
  notIn: 'is none of',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  startsWith: 'begins with',
  contains: 'contains',
  all: 'contains all of',
  isNull: 'is null',
  isEmpty: 'is empty',
};

interface FormFilter {
  readonly field: string;
  /** Empty for equality. */
  readonly operator: string;
  readonly value: string;
}

/** What a reader has typed. */
interface FormValues {
  /** By place and name, such as `query page`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly filters: readonly FormFilter[];
  /** JSON; empty for none. */
  readonly body: string;
}

interface Form {
  readonly sample: SampleRequest;
  readonly parameters: readonly Parameter[];
  /** Operators of the fields that can be filtered. */
  readonly operators: Readonly<Record<string, readonly string[]>>;
  /** The values of the sample. */
  readonly values: FormValues;
}

export const nameOf = (parameter: Pick<Parameter, 'in' | 'name'>): string =>
  `${parameter.in} ${parameter.name}`;

/** The day on which the examples of the documentation happen. */
const exampleDay = '2026-03-09';

/** Returns a text whose days lie as far from `now` as they do from the day of the examples, so that a sample finds something. */
export const withCurrentDays = (text: string, now: Date): string =>
  text.replaceAll(/(?<=")\d{4}-\d\d-\d\d(?=")/g, (day) => {
    const days = Math.floor((now.getTime() - Date.parse(exampleDay)) / 86_400_000);
    return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
  });

const filterParts = (name: string): [field: string, operator: string] => {
  const [, field = name, operator = ''] = /^(\w+)\[(\w+)\]$/.exec(name) ?? [];
  return [field, operator];
};

/** Returns the form of an operation; `undefined` if the document has no such operation. */
export function formOf(document: OpenApiDocument, operationId: string): Form | undefined {
  const places = Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ template, method, operation })),
  );
  const place = places.find(({ operation }) => operation.operationId === operationId);
  if (!place) return undefined;
  const sample = sampleRequest(document, place.template, place.method, place.operation);
  const all = currentParameters(document, place.operation);
  // A field with several operators is a filter; one without is an option, such as `page`.
  const named = all.filter((parameter) => parameter.in === 'query').map(({ name }) => filterParts(name));
  const fields = new Set(named.filter(([, operator]) => operator !== '').map(([field]) => field));
  const operators = Object.fromEntries(
    [...fields].map((field) => [
      field,
      named.filter(([own]) => own === field).map(([, operator]) => operator),
    ]),
  );
  const isFilter = (name: string): boolean => filterParts(name)[0] in operators;
  const query = sample.query.filter(([name]) => !isFilter(name));
  const parameters = [
    ...(sample.id === undefined ? [] : [['path id', sample.id] as const]),
    ...query.map(([name, value]) => [`query ${name}`, value] as const),
  ];
  return {
    sample,
    parameters: all.filter((parameter) => parameter.in !== 'query' || !isFilter(parameter.name)),
    operators,
    values: {
      parameters: Object.fromEntries(parameters),
      filters: sample.query
        .filter(([name]) => isFilter(name))
        .map(([name, value]) => {
          const [field, operator] = filterParts(name);
          return { field, operator, value };
        }),
      body: sample.body === undefined ? '' : JSON.stringify(sample.body, null, 2),
    },
  };
}

/**
 * Returns the request that a form describes. @param origin of the service.
 * @throws SyntaxError when the body is no JSON.
 */
export function requestOf({ sample, parameters }: Form, values: FormValues, origin: string): SampleRequest {
  const given = (place: Parameter['in']): [string, string][] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter): [string, string] => [
        parameter.name,
        values.parameters[nameOf(parameter)]?.trim() ?? '',
      ])
      .filter(([, value]) => value !== '');
  const [[, id = ''] = []] = given('path');
  const headers = given('header');
  const { body: _, ...rest } = sample;
  return {
    ...rest,
    url: origin + sample.template.replace('{id}', encodeURIComponent(id)),
    query: [
      ...given('query'),
      ...values.filters
        .filter(({ field }) => field !== '')
        .map(({ field, operator, value }): [string, string] => [
          operator === '' ? field : `${field}[${operator}]`,
          value.trim(),
        ]),
    ],
    headers,
    hasNewKey: sample.hasNewKey && !headers.some(([name]) => name === 'Idempotency-Key'),
    ...(values.body.trim() !== '' && { body: JSON.parse(values.body) as unknown }),
  };
}

/** Returns how many entities a request deletes, without those that belong to them. */
export function deletions({ method, body }: Pick<SampleRequest, 'method' | 'body'>): number {
  if (method === 'DELETE') return 1;
  const { operations } = (body ?? {}) as { operations?: unknown };
  return Array.isArray(operations)
    ? operations.filter((one: { operation?: unknown } | null) => one?.operation === 'delete').length
    : 0;
}

/** Returns what `fetch` takes. @param token is not in any sample. */
export function fetchArguments(
  { method, url, query, headers = [], hasNewKey, body }: SampleRequest,
  token: string,
): [string, { method: string; headers: Record<string, string>; body?: string }] {
  const parameters = new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]));
  // Commas separate values, unless they are encoded.
  const search = `${parameters}`.replaceAll('%2C', ',');
  return [
    search === '' ? url : `${url}?${search}`,
    {
      method,
      headers: {
        ...Object.fromEntries(headers),
        ...(hasNewKey && { 'Idempotency-Key': newId() }),
        ...(token !== '' && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    },
  ];
}
