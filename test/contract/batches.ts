/** What the tests of batches share. */
import { type Entity, type Kind, resourceOf } from './resources.ts';
import { type Json, request, type TestResponse } from './service.ts';

/** The result of one operation of a batch. */
export interface BatchResult {
  status: number;
  etag?: string;
  body?: Entity;
}

/** An id that no entity has. */
export const unknownId = '01890000-0000-7000-8000-000000000000';

/** Sends a batch to a collection. */
export const sendBatch = (
  kind: Kind,
  operations: Json,
  headers: Record<string, string> = {},
): Promise<TestResponse> =>
  request('POST', `${resourceOf(kind).path}/batch`, { body: { operations }, headers });

/** Returns the results of a batch that was applied. */
export function resultsOf(response: TestResponse): BatchResult[] {
  expect([response.status, response.text]).toEqual([200, expect.any(String)]);
  expect(response.headers.get('content-type')).toMatch(/^application\/json\b/);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const body = response.body as { results: BatchResult[] };
  expect(Object.keys(body)).toEqual(['results']);
  return body.results;
}
