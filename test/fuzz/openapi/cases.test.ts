import { readFileSync } from 'node:fs';
import { committedFile } from '#lib/openapi/committed-document.ts';
import type { OpenApiDocument, Schema } from '#lib/openapi/types.ts';
import { fc, firstSeed } from '#test/support/fast-check.ts';
import { provideFetchedService } from '#test/support/in-process-fetch.ts';
import { isFullRun, isNight, runs } from '#test/support/runs.ts';
import { type Case, casesOf, KnownId } from './cases.ts';

/** Requests that only the OpenAPI document describes. The service in the process compares each response with the document. */

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
const service = provideFetchedService();

/** The ids of created entities by kind, newest first. Newer ones are more likely to still exist. */
const known = new Map<string, string[]>();

function filled(value: unknown): unknown {
  if (value instanceof KnownId) {
    const all = known.get(value.kind) ?? [];
    return all[value.choice % all.length] ?? 'none';
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, filled(field)]));
}

interface TestResponse {
  readonly status: number;
  readonly text: string;
  readonly path: string;
}

/** As the server of Node.js gives them to the gateway. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));

async function send({
  method,
  path,
  pathValues,
  query,
  headers,
  body,
  rawBody,
  mediaType,
}: Case): Promise<TestResponse> {
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(filled(pathValues[name]))),
  );
  // Literal commas separate the values of a list: `explode` is false.
  const parameters = query.map(([name, value]) => {
    const values = [filled(value)].flat().map((one) => encodeURIComponent(String(one).toWellFormed()));
    return `${encodeURIComponent(name)}=${values.join(',')}`;
  });
  const sent = rawBody ?? (body === undefined ? undefined : JSON.stringify(filled(body)));
  const content = sent === undefined ? {} : { 'content-type': mediaType ?? 'application/json' };
  const response = await service.request(
    method,
    `${target}?${parameters.join('&')}`,
    lowerCased({ ...(filled(headers) as Record<string, string>), ...content }),
    Buffer.from(sent ?? ''),
  );
  return { ...response, path: target };
}

/** Adds the id of a created entity, and removes ids of deleted entities. */
function remember({ operation, pathValues }: Case, { status, text, path }: TestResponse): void {
  const kind = operation.tags[0]?.toLowerCase().replace(/s$/, '') ?? '';
  if (status === 201)
    known.set(kind, [(JSON.parse(text) as { id: string }).id, ...(known.get(kind) ?? [])].slice(0, 8));
  if (status === 204 || (status === 404 && 'id' in pathValues)) {
    for (const [one, all] of known)
      known.set(
        one,
        all.filter((id) => !path.includes(id)),
      );
  }
}

/** Returns the schemas of the value at a place of a body: several if there are alternatives. */
function schemasAt(schema: Schema, place: readonly string[]): Schema[] {
  const { $ref, items, properties = {}, oneOf } = schema;
  if ($ref) return schemasAt(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, place);
  if (oneOf) return oneOf.flatMap((one) => schemasAt(one, place));
  const [part, ...rest] = place;
  if (part === undefined) return [schema];
  const next = items ?? properties[part];
  return next ? schemasAt(next, rest) : [];
}

/** Returns whether no schema can express the reason of an error: an unknown reference, a reused key, or an `id`, which `PUT` ignores and `POST` refuses. */
function isExpectedError({ operation, headers }: Case, { status, text }: TestResponse): boolean {
  if (status === 422) return Object.keys(headers).some((name) => name === 'Idempotency-Key');
  if (status !== 400 || text === '') return false;
  const schema = operation.requestBody?.content['application/json']?.schema ?? {};
  const { errors = [] } = JSON.parse(text) as {
    errors?: readonly { pointer?: string; parameter?: string }[];
  };
  return errors.every(
    ({ pointer = '', parameter }) =>
      // An id that a caller has made must be a UUID of version 7; others are only unknown.
      (parameter === 'id' && 'If-None-Match' in headers) ||
      // A batch whose first failing operation is invalid also names operations with a stale version.
      /^(?:\/operations\/\d+\/ifMatch|(?:\/operations\/\d+\/body)?\/id)$/.test(pointer) ||
      schemasAt(schema, pointer.split('/').slice(1)).some((one) => 'x-reference' in one),
  );
}

/**
 * Sends a request.
 * @returns the class of the status, such as `2xx`, or `rejected` for an expected error.
 */
async function kindOfResponse(one: Case): Promise<string> {
  const response = await send(one);
  const { operation, wrong } = one;
  const description = `${operation.operationId} (${wrong ?? 'valid'}): ${response.status} ${response.text.slice(0, 500)}`;
  remember(one, response);
  const isRejected = [400, 413, 415, 422].includes(response.status);
  const isRight =
    wrong === undefined ? !isRejected || isExpectedError(one, response) : response.status >= 400;
  expect(response.status < 500 && isRight ? '' : description).toBe('');
  if (wrong !== undefined) return 'rejected';
  return String(response.status).replace(/..$/, 'xx');
}

/** Requests of the first turn. */
const firstRuns = isNight ? 5_000 : runs(200, 600);

/** Further turns go on until each operation has responded with a success and an error. A short run has none. */
const maxTurns = runs(1, 25);

test('requests generated from the document return declared responses', async () => {
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const kinds = new Map(operations.map(({ operationId }) => [operationId, new Set<string>()]));
  /** Returns operations without a success or without an error so far. A turn can miss some, such as large batches. */
  const incomplete = (): string[] =>
    [...kinds].flatMap(([id, seen]) => (seen.has('2xx') && seen.has('rejected') ? [] : [id]));
  const tagOf = new Map(operations.map(({ operationId, tags }) => [operationId, tags[0]]));
  /** Returns these operations, and what creates the entities that they need. */
  const withCreations = (ids: readonly string[]): string[] => {
    const tags = new Set(ids.map((id) => tagOf.get(id)));
    const isCreation = (id: string): boolean => id.startsWith('create') && tags.has(tagOf.get(id));
    return [...new Set([...ids, ...[...tagOf.keys()].filter(isCreation)])];
  };
  const cases = casesOf(document);
  for (let turn = 1; turn <= maxTurns && incomplete().length > 0; turn += 1) {
    const frequent = turn === 1 ? [] : withCreations(incomplete());
    await fc.assert(
      fc.asyncProperty(cases(frequent), async (one) => {
        kinds.get(one.operation.operationId)?.add(await kindOfResponse(one));
      }),
      { numRuns: turn === 1 ? firstRuns : 150, seed: firstSeed + turn, endOnFailure: true },
    );
  }
  if (isFullRun) expect(incomplete()).toEqual([]);
});
