import { routes } from '#functions/routes.ts';
import { fc } from '../support/fast-check.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';
import { isFullRun, isNight, runs } from '../support/runs.ts';

/** Generated invalid requests: no response has a status of 500 or more, and every error is a problem document. */

const service = provideFetchedService({ allowedOrigins: ['*'] });

/** Statuses of the responses. */
const seen = new Set<number>();

const hostile = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', 'pk', 'sk', 'byStatus', 'version', 'SELECT', 'status'],
  ...['$ne', '../..', '%00', '%', '%E0%A4%A', '\\', '"', "'", '{', '[', 'null', 'NaN', '-1', '0', '1e999'],
  ...['#a', ':b', '99999999999999999999', '𝒳', '\u202e', 'x'.repeat(3_000)],
);
const word = fc.oneof(hostile, fc.string({ maxLength: 20 }));
const encoded = word.map((text) => encodeURIComponent(text.toWellFormed()));
const segment = fc.oneof(encoded, fc.constantFrom('%zz', '..', '.', '%2F', '%3F', ';', '+'));
const template = fc.constantFrom(...routes.map(({ contract }) => contract.path));
const path = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(template, segment).map(([known, id]) => known.replace('{id}', id)) },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`) },
);
const known = fc.constantFrom(
  ...['page', 'limit', 'sortBy', 'sort_by', 'sortOrder', 'name', 'tagIds', 'id', 'fields', 'expand'],
  ...['countBy', 'name[contains]', 'name[in]', 'createdAt[lt]', 'id[gt]', 'description[ne]', 'name[]'],
  ...['name[in', '[in]'],
);
const parameter = fc.tuple(fc.oneof(encoded, known), encoded).map((pair) => pair.join('='));
const query = fc.array(parameter, { maxLength: 24 }).map((pairs) => pairs.join('&'));
const header = fc.constantFrom(
  ...['"x"', '"', 'W/"1"'].map((value) => ['if-match', value]),
  ...['*', '"'.repeat(99)].map((value) => ['if-none-match', value]),
  ...['k'.repeat(300), ' ', 'key'].map((value) => ['idempotency-key', value]),
  ...['application/json; charset=utf-16', 'text/plain', '', 'application/+json'].map((value) => [
    'content-type',
    value,
  ]),
  ['content-encoding', 'gzip'],
  ['accept', 'text/html'],
  ['origin', 'null'],
  ['authorization', 'Bearer x'],
  ['x-http-method-override', 'DELETE'],
);
const field = fc.oneof(
  word,
  fc.constantFrom('name', 'organizationId', 'tagIds', 'dueDate', 'email', 'createdAt'),
);
const fields = fc.dictionary(field, fc.oneof(fc.jsonValue({ maxDepth: 3 }), word), { maxKeys: 8 });
const operation = fc.record(
  {
    operation: fc.oneof(fc.constantFrom('create', 'update', 'delete'), word),
    id: fc.oneof(word, fc.jsonValue({ maxDepth: 1 })),
    ifMatch: fc.oneof(fc.constantFrom('*', '"x"', 'W/"1"', '"'), word),
    body: fc.oneof(fields, fc.jsonValue({ maxDepth: 2 })),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  fc.constantFrom(
    ...['', '{"a":', '\u0000', '"x"', '[]', 'null', '1e999', '{"name":1}', '{"name":"\\ud800"}'],
    '{"operations":[{"operation":"create","body":{"name":"x","__proto__":{"status":"x"}}}]}',
    '{"__proto__":{"status":"x"},"name":"x"}',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    `{"name":"${'x'.repeat(300_000)}"}`,
  ),
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 6 }),
  fields.map((value) => JSON.stringify(value)),
  fc.array(operation, { maxLength: 27 }).map((operations) => JSON.stringify({ operations })),
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE');

test('generated invalid requests return no 5xx, and every error is a problem document', async () => {
  const request = fc.tuple(method, path, query, fc.array(header, { maxLength: 4 }), body);
  const property = fc.asyncProperty(request, async ([verb, target, parameters, headers, content]) => {
    const all: Record<string, string> = Object.fromEntries([
      ['content-type', 'application/json'],
      ...headers,
    ]);
    // The client rejects other characters.
    const safeTarget = `${target}?${parameters}`.replaceAll(/[^\u0021-\u007e]/g, '_').slice(0, 9_000);
    const sent = verb === 'TRACE' ? undefined : Buffer.from(content.toWellFormed());
    const { status, headers: received, text } = await service.request(verb, safeTarget, all, sent);
    const mediaType = received['content-type'] ?? '';
    seen.add(status);
    expect(status).toBeLessThan(500);
    if (status < 400 || verb === 'HEAD') return;
    // For browsers, a wrong address outside of the API is a page.
    const isPage = status === 404 && all['accept'] === 'text/html' && !safeTarget.startsWith('/v1/');
    expect(mediaType).toMatch(
      isPage ? /^text\/html|^application\/problem\+json$/ : /^application\/problem\+json$/,
    );
    if (mediaType.startsWith('text/html')) return;
    const type = expect.stringContaining('/docs/problems#');
    expect(JSON.parse(text)).toMatchObject({ status, type });
    expect(text).not.toMatch(/[Dd]ynamo|amazonaws|node_modules|\.ts:\d|ConditionExpression/);
  });
  await fc.assert(property, {
    numRuns: isNight ? 20_000 : runs(200, 1_500),
    endOnFailure: true,
    // A body that is too large is rare among the others.
    examples: [[['POST', '/v1/tags', '', [], `{"name":"${'x'.repeat(300_000)}"}`]]],
  });
  // The generator must reach every kind of error and some successes.
  const needed = isFullRun ? [200, 204, 400, 404, 405, 413, 415] : [400, 404, 413];
  expect([...seen]).toEqual(expect.arrayContaining(needed));
  expect(Object.prototype).not.toHaveProperty('status');
});
