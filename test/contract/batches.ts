/** Sends batches: for the tests of batches, and for tests that need many entities. */
import { expectStatus } from './problem.ts';
import { type Entity, type Kind, resourceOf } from './resources.ts';
import { type Json, type JsonObject, request, type TestResponse } from './service.ts';

interface BatchResult {
  status: number;
  etag?: string;
  body?: Entity;
}

const maxOperations = 25;

/** An id that no entity has. */
export const unknownId = '01890000-0000-7000-8000-000000000000';

export const sendBatch = (
  kind: Kind,
  operations: Json,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  request('POST', `${resourceOf(kind).path}/batch`, { body: { operations }, headers });

/**
 * Creates entities with the required fields and those of `bodies`, 25 in a batch. Tests that need many entities and are not about creating
 * them use it.
 */
export async function createMany(kind: Kind, bodies: readonly JsonObject[]): Promise<Entity[]> {
  const { required, minimal } = resourceOf(kind);
  const created: Entity[] = [];
  for (let first = 0; first < bodies.length; first += maxOperations) {
    const operations = bodies.slice(first, first + maxOperations).map(async (fields) => {
      const needed = required.every((field) => field in fields) ? {} : await minimal();
      return { operation: 'create', body: { ...needed, ...fields } };
    });
    const results = resultsOf(await sendBatch(kind, await Promise.all(operations)));
    created.push(...results.map(({ body }) => body as Entity));
  }
  return created;
}

export const times = (count: number, fields: JsonObject = {}): JsonObject[] =>
  Array.from({ length: count }, () => fields);

/** Returns the results of a batch that was applied. */
export function resultsOf(response: TestResponse): BatchResult[] {
  expectStatus(response, 200);
  return (response.body as { results: BatchResult[] }).results;
}
