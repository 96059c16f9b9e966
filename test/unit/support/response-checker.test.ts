import type { SentResponse } from '#lib/local/http-api.ts';
import { ResponseChecker } from '#test/support/response-checker.ts';

/** The check that stands behind all suites must see what is wrong. */

const declared = ResponseChecker.ofContracts();

const tag = {
  id: '019b2f4f-2a95-7be2-8d67-c05a1b9e3f42',
  name: 'design',
  status: 'active',
  color: '#ff8800',
  description: '',
  organizationId: null,
  createdAt: '2026-03-02T09:15:27.318Z',
  updatedAt: '2026-03-02T09:15:27.318Z',
};

const good: SentResponse = {
  method: 'GET',
  path: `/v1/tags/${tag.id}`,
  status: 200,
  headers: new Map([
    ['content-type', 'application/json'],
    ['etag', '"c05a1b9e3f42-1"'],
    ['cache-control', 'private, no-cache'],
    ['x-content-type-options', 'nosniff'],
  ]),
  text: JSON.stringify(tag),
};

const withHeader = (name: string, value?: string): SentResponse => {
  const headers = new Map(good.headers);
  if (value === undefined) headers.delete(name);
  else headers.set(name, value);
  return { ...good, headers };
};

test('a response that matches its declaration has no differences', () => {
  expect(declared.differences(good)).toEqual([]);
  expect(declared.differences({ ...good, method: 'HEAD', text: '' })).toEqual([]);
});

test.each<[string, SentResponse, RegExp]>([
  ['another status', { ...good, status: 409 }, /does not declare 409/],
  ['an undeclared field', { ...good, text: JSON.stringify({ ...tag, pk: 'public#tag' }) }, /unevaluated.*pk/],
  ['a missing field', { ...good, text: JSON.stringify({ ...tag, color: undefined }) }, /color/],
  [
    'a field of another type',
    { ...good, text: JSON.stringify({ ...tag, description: null }) },
    /description/,
  ],
  ['invalid JSON', { ...good, text: '{' }, /not JSON/],
  ['content for HEAD', { ...good, method: 'HEAD' }, /none is declared/],
  ['an undeclared header', withHeader('x-powered-by', 'us'), /x-powered-by is not declared/],
  ['a missing header', withHeader('cache-control'), /cache-control is missing/],
  ['a header of another format', withHeader('etag', 'W/"1"'), /etag.*pattern/],
  ['another media type', withHeader('content-type', 'text/plain'), /text\/plain is not declared/],
  ['a success for a path without an operation', { ...good, path: '/v1/nothing' }, /the status is 200/],
  ['an error in another format', { ...good, path: '/v1/nothing', status: 404 }, /requestId/],
])('reports %s', (_, response, difference) => {
  expect(declared.differences(response).join('\n')).toMatch(difference);
});
