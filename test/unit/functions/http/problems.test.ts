import { versionTag } from '#functions/http/entity-tags.ts';
import {
  invalidRequest,
  Problem,
  problemResponse,
  problemType,
  toProblem,
} from '#functions/http/problems.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import {
  ConditionFailed,
  EntityNotFound,
  IdempotencyKeyReused,
  ReferenceNotFound,
  StoreUnavailable,
  VersionMismatch,
} from '#functions/store/model/errors.ts';

const parts = ({ code, message, issues, headers, cause }: Problem) => ({
  code,
  message,
  issues,
  headers,
  cause,
});

const { after: stored } = buildCreate('task', { name: 'x', status: 'open' }, Date.now());
const { id } = stored.entity;

describe('toProblem', () => {
  test('returns a problem as it is', () => {
    const problem = new Problem('no-tenant', 'The token names no tenant.');
    expect(toProblem(problem)).toBe(problem);
  });

  test('returns 404 not-found for an entity that does not exist', () => {
    const error = new EntityNotFound('project', id);
    expect(parts(toProblem(error))).toEqual({
      code: 'not-found',
      message: `There is no project with the id ${id}.`,
      issues: [],
      headers: {},
      cause: error,
    });
  });

  test('returns 412 version-mismatch for another version', () => {
    const error = new VersionMismatch(stored, 'some versions');
    expect(parts(toProblem(error))).toEqual({
      code: 'version-mismatch',
      message: `The task ${id} has changed since the version that If-Match names. Read it again.`,
      issues: [],
      headers: { etag: versionTag(id, 1) },
      cause: error,
    });
  });

  test('returns 422 idempotency-key-reused for a key of another body', () => {
    const error = new IdempotencyKeyReused();
    expect(parts(toProblem(error))).toEqual({
      code: 'idempotency-key-reused',
      message: 'This Idempotency-Key was used before, with another body. Use a new key for a new request.',
      issues: [],
      headers: {},
      cause: error,
    });
  });

  test('returns 400 invalid-request with every reference to an entity that does not exist', () => {
    const error = new ReferenceNotFound([
      { pointer: '/projectId', kind: 'project' },
      { pointer: '/tagIds/2', kind: 'tag' },
    ]);
    expect(parts(toProblem(error))).toEqual({
      code: 'invalid-request',
      message: 'There is no project with this id. There is no tag with this id.',
      issues: [
        { pointer: '/projectId', detail: 'There is no project with this id.' },
        { pointer: '/tagIds/2', detail: 'There is no tag with this id.' },
      ],
      headers: {},
      cause: undefined,
    });
  });

  test('returns 503 unavailable with a time to wait when DynamoDB does not respond', () => {
    const error = new StoreUnavailable(new Error('socket hang up'));
    expect(parts(toProblem(error))).toEqual({
      code: 'unavailable',
      message:
        'The request did not finish in time. It is safe to send the request again, with the same Idempotency-Key if it has one.',
      issues: [],
      headers: { 'retry-after': '1' },
      cause: error,
    });
  });

  test('returns 503 with a detail of its own when other requests kept changing the entities', () => {
    expect(toProblem(new StoreUnavailable(new Error('conflict'), true)).message).toBe(
      'Other requests kept changing the same entities. It is safe to send the request again, with the same Idempotency-Key if it has one.',
    );
  });

  test.each([
    new TypeError('secret'),
    new ConditionFailed([0], new Error('secret')),
    'secret',
    undefined,
    null,
    { code: 'not-found', message: 'secret' },
  ])('returns 500 internal-error without the cause in its message for %p', (error) => {
    expect(parts(toProblem(error))).toEqual({
      code: 'internal-error',
      message: 'The cause has been logged under the requestId.',
      issues: [],
      headers: {},
      cause: error,
    });
  });
});

describe('invalidRequest', () => {
  const issues = (count: number) =>
    Array.from({ length: count }, (_, position) => ({
      pointer: `/tagIds/${position}`,
      detail: `Issue ${position}.`,
    }));

  test('repeats the details of the first three issues', () => {
    expect(invalidRequest(issues(1)).message).toBe('Issue 0.');
    expect(invalidRequest(issues(3)).message).toBe('Issue 0. Issue 1. Issue 2.');
    expect(invalidRequest(issues(4)).message).toBe('Issue 0. Issue 1. Issue 2.');
  });

  test('names the first 50 issues', () => {
    expect(invalidRequest(issues(50)).issues).toEqual(issues(50));
    expect(invalidRequest(issues(51)).issues).toEqual(issues(50));
  });
});

test('problemType returns a reference to the explanation of the problem', () => {
  expect(problemType('not-found')).toBe('/docs/problems#not-found');
});

describe('problemResponse', () => {
  const at = { path: '/v1/projects/7', requestId: 'request-1' };

  test('returns the status, the title and the detail of the problem', () => {
    const { body, ...rest } = problemResponse(
      new Problem('not-found', 'There is no project with this id.'),
      at,
    );
    expect(rest).toEqual({
      statusCode: 404,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    });
    expect(JSON.parse(body ?? '')).toEqual({
      type: '/docs/problems#not-found',
      title: 'Not found',
      status: 404,
      detail: 'There is no project with this id.',
      instance: '/v1/projects/7',
      requestId: 'request-1',
    });
  });

  test('returns the issues and the headers of the problem', () => {
    const issues = [{ pointer: '/name', detail: 'must be a string' }];
    const problem = new Problem('invalid-request', 'must be a string', { issues, headers: { allow: 'GET' } });
    const { headers, body } = problemResponse(problem, at);
    expect(headers).toEqual({
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      allow: 'GET',
    });
    expect(JSON.parse(body ?? '').errors).toEqual([{ pointer: '/name', detail: 'must be a string' }]);
  });

  test('does not contain the cause', () => {
    const { body } = problemResponse(toProblem(new Error('secret')), at);
    expect(body).not.toContain('secret');
  });

  test.each([
    ['spaces and non-ASCII characters encoded', '/v1/tasks/a ü', '/v1/tasks/a%20%C3%BC'],
    ['no fragment', '/v1/tasks/a#b', '/v1/tasks/a%23b'],
    ['no host name', '//example.com/v1', '/.//example.com/v1'],
    ['a percent sign encoded', '/v1/100%', '/v1/100%25'],
    ['half of a surrogate pair replaced', '/v1/\ud83d', '/v1/%EF%BF%BD'],
  ])('returns a path as a URI reference: %s', (_, path, instance) => {
    const { body } = problemResponse(new Problem('not-found', ''), { path, requestId: '' });
    expect(JSON.parse(body ?? '').instance).toBe(instance);
  });

  test('returns "/" as the path when the headers are too large to repeat it', () => {
    const { body } = problemResponse(new Problem('headers-too-large', ''), at);
    expect(JSON.parse(body ?? '').instance).toBe('/');
  });
});
