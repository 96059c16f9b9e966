import { routes } from '#functions/routes.ts';
import { fc } from '../support/fast-check.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { isFullRun, isNight, runs } from '../support/runs.ts';
import { testWorker } from '../support/test-worker.ts';

/** Generated invalid requests: no response has a status of 500 or more, and every error is a problem document. */

let service: InProcessService;

beforeAll(async () => {
  service = await (await testWorker()).startInProcess({ allowedOrigins: ['*'] });
});

afterAll(() => service.stop());

/** Statuses of the responses. */
const seen = new Set<number>();

const hostile = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'toString',
    'pk',
    'sk',
    'byStatus',
    'version',
    'SELECT',
    'status',
    '#a',
    ':b',
  ],
  ...['$ne', '../..', '%00', '%', '%E0%A4%A', '\\', '"', "'", '{', '[', 'null', 'NaN', '-1', '0', '1e999'],
  ...['99999999999999999999', '𝒳', '\u202e', 'x'.repeat(3_000)],
);
const word = fc.oneof(hostile, fc.string({ maxLength: 20 }));

const segment = fc.oneof(
  word.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.constantFrom('%zz', '..', '.', '%2F', '%3F', ';', '+'),
);
const path = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...routes.map(({ contract }) => contract.path)), segment)
      .map(([template, id]) => template.replace('{id}', id)),
  },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 5 }).map((segments) => `/${segments.join('/')}`) },
);
const parameter = fc.tuple(
  fc.oneof(
    word,
    fc.constantFrom('page', 'limit', 'sortBy', 'sort_by', 'sortOrder', 'sort_order', 'name', 'tagIds', 'id'),
    fc.constantFrom('fields', 'expand', 'countBy', 'name[contains]', 'name[in]', 'status[startsWith]'),
    fc.constantFrom('createdAt[lt]', 'id[gt]', 'description[ne]', 'name[]', 'name[in', 'name]', '[in]'),
  ),
  word,
);
const query = fc
  .array(parameter, { maxLength: 24 })
  .map((pairs) =>
    pairs
      .map(
        ([name, value]) =>
          `${encodeURIComponent(name.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
      )
      .join('&'),
  );
const header = fc.constantFrom(
  ...['"x"', '"', 'W/"1"'].map((value) => ['if-match', value]),
  ...['*', '"'.repeat(99)].map((value) => ['if-none-match', value]),
  ...['k'.repeat(300), ' ', 'key'].map((value) => ['idempotency-key', value]),
  ['content-encoding', 'gzip'],
  ['accept', 'text/html'],
  ['origin', 'null'],
  ['authorization', 'Bearer x'],
  ['expect', 'x'],
  ['x-http-method-override', 'DELETE'],
);
const contentType = fc.constantFrom(
  ...[undefined, '', 'application/json', 'application/json; charset=utf-16', 'application/problem+json'],
  ...['text/plain', 'multipart/form-data; boundary=x', 'application/+json', 'application/json, text/plain'],
);
const field = fc.oneof(
  word,
  fc.constantFrom('name', 'organizationId', 'tagIds', 'dueDate', 'email', 'priority', 'include', 'createdAt'),
);
const body = fc.oneof(
  fc.constant(undefined),
  fc.string({ maxLength: 40 }),
  fc.json({ maxDepth: 6 }),
  fc
    .dictionary(field, fc.oneof(fc.jsonValue({ maxDepth: 3 }), word), { maxKeys: 8 })
    .map((value) => JSON.stringify(value)),
  fc
    .array(
      fc.record(
        {
          operation: fc.oneof(fc.constantFrom('create', 'update', 'delete'), word),
          id: fc.oneof(word, fc.jsonValue({ maxDepth: 1 })),
          ifMatch: fc.oneof(fc.constantFrom('*', '"x"', 'W/"1"', '"'), word),
          body: fc.oneof(
            fc.dictionary(field, fc.oneof(fc.jsonValue({ maxDepth: 3 }), word), { maxKeys: 4 }),
            fc.jsonValue({ maxDepth: 2 }),
          ),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 27 },
    )
    .map((operations) => JSON.stringify({ operations })),
  fc.constantFrom(
    '{"operations":[{"operation":"create","body":{"name":"x","__proto__":{"status":"x"}}}]}',
    '{"__proto__":{"status":"x"},"name":"x"}',
    `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
    ...['{"name":"\\ud800"}', '{"a":', '\u0000', '"x"', '[]', 'null', '1e999', '{"name":1}'],
    `{"name":"${'x'.repeat(300_000)}"}`,
  ),
);
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PURGE');

test('generated invalid requests return no 5xx, and every error is a problem document', async () => {
  await fc.assert(
    fc.asyncProperty(
      method,
      path,
      query,
      fc.array(header, { maxLength: 4 }),
      contentType,
      body,
      async (verb, target, parameters, headers, type, content) => {
        const all = Object.fromEntries([
          ...headers,
          ...(type === undefined ? [] : [['content-type', type]]),
        ]) as Record<string, string>;
        // The client rejects other characters.
        const safeTarget = `${target}${parameters && `?${parameters}`}`
          .replaceAll(/[^\u0021-\u007e]/g, '_')
          .slice(0, 9_000);
        const sent = verb === 'TRACE' ? undefined : Buffer.from(content?.toWellFormed() ?? '');
        const { status, headers: received, text } = await service.request(verb, safeTarget, all, sent);
        const mediaType = received['content-type'] ?? '';
        seen.add(status);
        expect(status).toBeLessThan(500);
        if (status < 400 || verb === 'HEAD') return;
        // For browsers, a wrong address outside of the API is a page.
        if (status === 404 && mediaType.startsWith('text/html')) {
          expect([all['accept'], safeTarget]).toEqual([
            expect.stringContaining('text/html'),
            expect.not.stringMatching(/^\/v1\//),
          ]);
          return;
        }
        expect(mediaType).toBe('application/problem+json');
        expect(JSON.parse(text)).toMatchObject({
          status,
          type: expect.stringContaining('/docs/problems#'),
        });
        expect(text).not.toMatch(/[Dd]ynamo|amazonaws|node_modules|\.ts:\d|ConditionExpression/);
      },
    ),
    {
      numRuns: isNight ? 20_000 : runs(200, 1_500),
      endOnFailure: true,
      // A body that is too large is rare among the others.
      examples: [['POST', '/v1/tags', '', [], 'application/json', `{"name":"${'x'.repeat(300_000)}"}`]],
    },
  );
  // The generator must reach every kind of error and some successes.
  expect([...seen]).toEqual(
    expect.arrayContaining(isFullRun ? [200, 204, 400, 404, 405, 413, 415] : [400, 404, 413]),
  );
  expect(Object.prototype).not.toHaveProperty('status');
});
