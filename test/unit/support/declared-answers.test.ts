import type { SentResponse } from '../../../lib/local/gateway.ts';
import { DeclaredAnswers } from '../../support/declared-answers.ts';

/** The check that stands behind all suites must see what is wrong. */

const declared = DeclaredAnswers.fromFile();

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

test('an answer as declared has no fault', () => {
  expect(declared.faults(good)).toEqual([]);
  expect(declared.faults({ ...good, method: 'HEAD', text: '' })).toEqual([]);
});

test.each<[string, SentResponse, RegExp]>([
  ['another status', { ...good, status: 409 }, /does not declare 409/],
  ['a member too many', { ...good, text: JSON.stringify({ ...tag, pk: 'public#tag' }) }, /unevaluated.*pk/],
  ['a member missing', { ...good, text: JSON.stringify({ ...tag, color: undefined }) }, /color/],
  [
    'a member of another type',
    { ...good, text: JSON.stringify({ ...tag, description: null }) },
    /description/,
  ],
  ['what is not JSON', { ...good, text: '{' }, /not JSON/],
  ['content for HEAD', { ...good, method: 'HEAD' }, /none is declared/],
  ['a header too many', withHeader('x-powered-by', 'us'), /x-powered-by is not declared/],
  ['a header missing', withHeader('etag'), /etag is missing/],
  ['a header of another form', withHeader('etag', 'W/"1"'), /etag.*pattern/],
  ['another media type', withHeader('content-type', 'text/plain'), /text\/plain is not declared/],
  ['a success where there is no operation', { ...good, path: '/v1/nothing' }, /the status is 200/],
  ['a refusal in another form', { ...good, path: '/v1/nothing', status: 404 }, /requestId/],
])('%s is a fault', (_, answer, fault) => {
  expect(declared.faults(answer).join('\n')).toMatch(fault);
});
