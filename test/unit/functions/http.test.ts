import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  day,
  flag,
  nullable,
  oneOf,
  reference,
  references,
  text,
  withDefault,
} from '#functions/contract/fields.ts';
import { type ListOperator, toListField } from '#functions/contract/list-fields.ts';
import { commonFields, resource } from '#functions/contract/resource.ts';
import { readJobs } from '#functions/engine/due-work/read-jobs.ts';
import { decodeRecord, logPartition, recordPrefix } from '#functions/engine/model/change-log.ts';
import type { Entity } from '#functions/engine/model/entity.ts';
import { alwaysDue, buildJobWrite } from '#functions/engine/model/job.ts';
import type { ListQuery } from '#functions/engine/model/list-query.ts';
import { scalarText } from '#functions/engine/model/row.ts';
import { checkHealth } from '#functions/health/contract.ts';
import { callerOf } from '#functions/http/caller.ts';
import { expectedVersions } from '#functions/http/conditional-requests.ts';
import { showEntity } from '#functions/http/entity-view.ts';
import { idempotency } from '#functions/http/idempotency-key.ts';
import type { PipelineEvent, PipelineRequest } from '#functions/http/middleware.ts';
import { exactFilter, toFilter } from '#functions/http/operands.ts';
import { pageLinks } from '#functions/http/page-links.ts';
import { readListQuery } from '#functions/http/parse-list-query.ts';
import { Problem, problemResponse } from '#functions/http/problems.ts';
import { readValues } from '#functions/http/query-parameters.ts';
import { renderData } from '#functions/http/render-page.ts';
import { responseHeaders } from '#functions/http/response-headers.ts';
import { suggestFilter } from '#functions/http/suggest-filter.ts';
import { explainSort } from '#functions/http/suggest-option.ts';
import { findNearestName, findSameName, quoted, suggestion } from '#functions/http/suggestion.ts';
import { type TenantUnits, WindowUnits, windowMs } from '#functions/http/tenant-units.ts';
import { traceContext } from '#functions/http/trace-context.ts';
import { continueJob } from '#functions/jobs/continue-job.ts';
import { createOrganization } from '#functions/organizations/contract.ts';
import { createProject, deleteProject } from '#functions/projects/contract.ts';
import type { Kind } from '#functions/schema.ts';
import { createTag, listTags, readTag } from '#functions/tags/contract.ts';
import {
  batchTasks,
  createTask,
  deleteTask,
  listTaskHistory,
  updateTask,
} from '#functions/tasks/contract.ts';
import { setFunctionEnvironment } from '#lib/local/function-environment.ts';
import { invoke, useEmptyTable } from '#test/support/invoke.ts';

const id = '01890000-0000-7000-8000-7a2c4d8f0e36';

const project = resource({ kind: 'project', plural: 'projects', fields: commonFields });
const tag = resource({ kind: 'tag', plural: 'tags', fields: commonFields });
const task = resource({
  kind: 'task',
  plural: 'tasks',
  fields: {
    ...commonFields,
    description: withDefault(text(10_000), ''),
    priority: withDefault(oneOf(['none', 'low', 'high']), 'none'),
    projectId: nullable(reference(project)),
    dueDate: nullable(day()),
    tagIds: withDefault(references(tag, 50), []),
  },
});
const { listFields } = task;

/** Returns the problem that a function throws, or what the function returns. */
function problemOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error instanceof Problem ? error : { unexpected: error };
  }
}

/** Returns the places of the issues of the problem that a function throws. */
function placesOf(run: () => unknown): unknown {
  const problem = problemOf(run);
  return problem instanceof Problem && problem.code === 'invalid-request'
    ? problem.issues.map((issue) => ('pointer' in issue ? issue.pointer : issue.parameter))
    : problem;
}

const suggestedIn = (message: string | undefined): string | undefined =>
  /Did you mean "(.*)"\?/.exec(message ?? '')?.[1];

describe('caller', () => {
  beforeEach(() => {
    process.env['TENANT_CLAIM'] = 'tenant';
  });

  afterEach(() => {
    delete process.env['TENANT_CLAIM'];
  });

  const tokenOf = (payload: unknown): string =>
    `head.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.signature`;

  /** Returns an event of API Gateway, in which all claims are text. */
  function eventOf(
    payload: Readonly<Record<string, unknown>>,
    header = `Bearer ${tokenOf(payload)}`,
  ): PipelineEvent {
    const claims = Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, String(value)]));
    return {
      headers: { authorization: header },
      requestContext: { authorizer: { jwt: { claims } } },
    } as unknown as PipelineEvent;
  }

  const codeOf = (event: PipelineEvent) =>
    problemOf(() => callerOf(event, true)) as { readonly code?: string };

  test.each([
    ['no token', ''],
    ['a token with another tenant than the authorizer', `Bearer ${tokenOf({ tenant: 'other' })}`],
    ['a token whose payload is null', `Bearer ${tokenOf(null)}`],
    ['two tokens', `Bearer ${tokenOf({ tenant: 'acme' })},Bearer ${tokenOf({ tenant: 'acme' })}`],
  ])('rejects %s', (_, header) => {
    expect(codeOf(eventOf({ tenant: 'acme' }, header)).code).toBe('no-tenant');
  });

  test('rejects every caller when there is an authorizer and no configured claim', () => {
    delete process.env['TENANT_CLAIM'];
    expect(codeOf(eventOf({ tenant: 'acme' })).code).toBe('no-tenant');
  });
});

describe('conditional requests', () => {
  test.each([
    ['*', undefined],
    ['"7a2c4d8f0e36-3","000000000000-4", "a,b" , "7a2c4d8f0e36-12",', new Set([3, 12])],
    ['"7a2c4d8f0e36-999999999999999"', new Set([999_999_999_999_999])],
    ['"000000000000-3"', new Set()],
    ['W/"7a2c4d8f0e36-3"', new Set()],
    ['"7a2c4d8f0e36-03"', new Set()],
    ['"7a2c4d8f0e36-1000000000000000"', new Set()],
    ['"x7a2c4d8f0e36-3"', new Set()],
    ['', ['If-Match']],
    ['"7a2c4d8f0e36-3", *', ['If-Match']],
    ['"7a2c4d8f0e36-3" "7a2c4d8f0e36-4"', ['If-Match']],
  ])('If-Match: %s accepts the versions %p, or is refused', (header, expected) => {
    expect(placesOf(() => expectedVersions({ 'if-match': header }, id))).toEqual(expected);
  });
});

describe('idempotency key', () => {
  const createOf = 'createTask /v1/tasks';

  const scopeOf = (key: string, subject: string | undefined = 'anna', operation = createOf) =>
    idempotency(key, subject, operation, {})?.scope;

  const fingerprint = (body: unknown) => idempotency('key-1', 'anna', createOf, body)?.fingerprint;

  test('is digests of the scope and of the body', () => {
    expect(idempotency('key-1', 'anna', createOf, { b: { d: 3, c: 2 }, a: 1 })).toEqual({
      // SHA-256 of ["anna","createTask /v1/tasks","key-1"] and of {"a":1,"b":{"c":2,"d":3}}, in base64url.
      scope: '_f7G7M3wGT8XnGCVaM2LStHiXzj-EVWxASVd1UEU0ms',
      fingerprint: 'kyh1q1sj60e7JxH5Udhboj7vS1DD4utrXz-bmsEhfGs',
    });
    expect(fingerprint(undefined)).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
    expect(idempotency(undefined, undefined, createOf, {})).toBeUndefined();
  });

  test('separates callers, operations and keys', () => {
    const scopes = [
      scopeOf('key-1'),
      scopeOf('key-2'),
      scopeOf('key-1', ''),
      scopeOf('key-1', 'anna', 'createTask /v1/projects'),
      // The same text when the parts are joined.
      scopeOf('b', 'a', 'c'),
      scopeOf('c', 'a', 'b'),
      scopeOf('1', 'anna","x', 'y'),
      scopeOf('1', 'anna', 'x","y'),
    ];
    expect(new Set(scopes).size).toBe(8);
  });

  test.each([
    ['{"x":[{"a":1,"b":2}],"y":1}', '{"y":1,"x":[{"b":2,"a":1}]}', true],
    ['{"1":1,"10":2,"9":3}', '{"9":3,"10":2,"1":1}', true],
    ['["a","b"]', '["b","a"]', false],
    ['{"a":null}', '{}', false],
    ['{"__proto__":{"a":1}}', '{}', false],
  ])('compares the bodies %s and %s: equal is %p', (one, other, isEqual) => {
    expect(fingerprint(JSON.parse(one)) === fingerprint(JSON.parse(other))).toBe(isEqual);
  });
});

describe('operands', () => {
  function filterOf(field: string, operator: ListOperator, ...values: string[]): [string, ...string[]] {
    const filter = toFilter(listFields[field] as never, operator, values);
    return [filter.operator, ...filter.values];
  }

  test.each<[ListOperator, string, string, string]>([
    ['gte', '2026-03-02T09:15:27', 'gte', '2026-03-02T09:15:27.000Z'],
    ['lte', '2026-03-02t09:15:27.5z', 'lte', '2026-03-02T09:15:27.500Z'],
    ['ne', '2026-03-02T01:15:27+02:00', 'ne', '2026-03-01T23:15:27.000Z'],
    ['in', '2026-03-02T23:15:27.318-01:30', 'in', '2026-03-03T00:45:27.318Z'],
    ['lt', '2026-03-02T09:15:27.318 02:00', 'lt', '2026-03-02T07:15:27.318Z'],
    ['gt', '0000-01-01T00:00:00+01:00', 'gt', '0000-01-01T00:00:00.000Z'],
    ['lt', '9999-12-31T23:59:59-01:00', 'lt', '9999-12-31T23:59:59.999Z'],
    // Between two milliseconds.
    ['lt', '2026-03-02T09:15:27.3185Z', 'lte', '2026-03-02T09:15:27.318Z'],
    ['gte', '2026-03-02T09:15:27.3185Z', 'gt', '2026-03-02T09:15:27.318Z'],
    ['gte', '2026-03-02T09:15:27.318000Z', 'gte', '2026-03-02T09:15:27.318Z'],
  ])('compares times in time: %s %s', (operator, time, expected, value) => {
    expect(filterOf('updatedAt', operator, time)).toEqual([expected, value]);
  });

  test('finds no time between two milliseconds', () => {
    expect(filterOf('createdAt', 'ne', '2026-03-02T09:15:27.3185Z')).toEqual(['notIn']);
    const times = ['2026-03-02T09:15:27.3185Z', '2026-03-02T09:15:27Z'];
    expect(filterOf('createdAt', 'in', ...times)).toEqual(['in', '2026-03-02T09:15:27.000Z']);
  });

  test('of a flag are true and false, in any case', () => {
    const isDone = toListField('isDone', withDefault(flag(), false));
    expect(isDone).toMatchObject({
      operators: ['ne'],
      isSortable: true,
      isCountable: true,
      isSummable: false,
    });
    expect(exactFilter(isDone, ['true']).values).toEqual([scalarText(true)]);
    expect(toFilter(isDone, 'ne', ['False']).values).toEqual([scalarText(false)]);
    expect(exactFilter(isDone, ['yes']).values).toEqual(['yes']);
    expect(() => toFilter(isDone, 'ne', ['yes'])).toThrow('must be true or false: "yes" is not.');
  });
});

describe('filters', () => {
  test.each([
    ['dueDate.lt', 'dueDate[lt]'],
    ['dueDat[before]', 'dueDate[lt]'],
    ['dueBefore', 'dueDate[lt]'],
    ['updatedSince', 'updatedAt[gte]'],
    ['priority>', 'priority[gte]'],
    ['priority>high', 'priority[gt]'],
    ['status<>done', 'status[ne]'],
    ['statusNotIn', 'status[notIn]'],
    ['labels[in]', 'tagIds[in]'],
    ['filter[dueDate][lt]', 'dueDate[lt]'],
    ['', undefined],
    ['dueDate_contains', undefined],
    ['status[constructor]', undefined],
    [`dueDate_lt${'_'.repeat(60)}`, undefined],
  ])('for %s, suggests %s', (parameter, filter) => {
    expect(suggestFilter(parameter, listFields)).toBe(filter);
  });
});

describe('list query', () => {
  const listQuery = (rawQueryString: string) => readListQuery(task, rawQueryString).query;

  test('is refused with every mistake', () => {
    const places = ['stats', 'sortOrder', 'page', 'limit'];
    expect(placesOf(() => listQuery('stats=open&page=0&limit=x&sortOrder=up'))).toEqual(places);
  });
});

describe('query parameters', () => {
  test.each([
    ['a,,b,', ['a', '', 'b', '']],
    ['a\\,b,c', ['a,b', 'c']],
    ['a\\\\,b', ['a\\', 'b']],
    ['C:\\temp\\', ['C:\\temp\\']],
    ['a+b%20c,%C3%A4,100%', ['a b c', 'ä', '100%']],
    ['a%2Cb,c', ['a', 'b', 'c'], ['a,b', 'c']],
    ['a%5C%2Cb', ['a,b']],
    ['a%5C%5C%2Cb', ['a\\', 'b'], ['a\\,b']],
  ])(
    'splits %j, where a value has no comma and where it can have one',
    (value, separated, literal = separated) => {
      expect(readValues(value, 'comma')).toEqual(separated);
      expect(readValues(value, 'literal comma')).toEqual(literal);
    },
  );

  test('that have one value are not split', () => {
    expect(readValues('a%2Cb,c%5C', undefined)).toEqual(['a,b,c\\']);
  });
});

describe('suggestions', () => {
  const known = ['page', 'limit', 'status', 'organizationId'];

  test.each([
    ['stats', 'status'],
    ['Page', 'page'],
    ['organisations_id', 'organizationId'],
    ['', undefined],
    ['tag', undefined],
    ['orgXXXXtionId', undefined],
  ])('for %j: %s', (unknown, name) => {
    expect(suggestedIn(suggestion(unknown, known))).toBe(name);
  });

  test('compare names of up to 64 characters', () => {
    expect(suggestedIn(suggestion('a'.repeat(64), ['a'.repeat(63)]))).toBe('a'.repeat(63));
    expect(suggestedIn(suggestion('a'.repeat(65), ['a'.repeat(64)]))).toBeUndefined();
  });

  test('know the words of other APIs, which are no typing errors', () => {
    const find = (unknown: string) =>
      findNearestName(unknown, ['tagIds', 'sizes'], { tagIds: ['tag'], page: ['size'] });
    expect(['Tag', 'tagIdss', 'size'].map(find)).toEqual(['tagIds', 'tagIds', undefined]);
    const findSame = (unknown: string) => findSameName(unknown, ['dueDate'], { dueDate: ['deadline'] });
    expect(['due_date', 'dead-line', 'dueDat'].map(findSame)).toEqual(['dueDate', 'dueDate', undefined]);
  });

  test('repeat 64 characters of a text, as JSON', () => {
    expect(quoted('a"b\\c\n')).toBe('"a\\"b\\\\c\\n"');
    expect(quoted('a'.repeat(64))).toBe(`"${'a'.repeat(64)}"`);
    expect(quoted('a'.repeat(65))).toBe(`"${'a'.repeat(64)}…"`);
  });

  test.each([
    ['name:asc', 'sortBy=name&sortOrder=asc'],
    ['due_date.DESC', 'sortBy=dueDate&sortOrder=desc'],
    ['-priority,dueDate', 'sortBy=priority,dueDate&sortOrder=desc,asc'],
    ['priority,name', undefined],
    ['-unknown', undefined],
    ['name:sideways', undefined],
    [`-name${' '.repeat(128)}`, undefined],
  ])('for sortBy=%s: %s', (value, query) => {
    expect(suggestedIn(explainSort(value, ['name', 'priority', 'dueDate']))).toBe(query);
  });
});

describe('trace context', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const parentId = '00f067aa0ba902b7';

  test.each([
    [`00-${traceId}-${parentId}-01`, true],
    [`cc-${traceId}-${parentId}-01-what-the-future-brings`, true],
    [undefined, false],
    [`ff-${traceId}-${parentId}-01`, false],
    [`00-${traceId.toUpperCase()}-${parentId}-01`, false],
    [`00-${'0'.repeat(32)}-${parentId}-01`, false],
    [`00-${traceId}-${'0'.repeat(16)}-01`, false],
    [`00-${traceId}-${parentId}`, false],
    [`00-${traceId}-${parentId}-01-more`, false],
    [`cc-${traceId}-${parentId}-01more`, false],
  ])('of %s is valid: %p', (header, isValid) => {
    expect(traceContext(header)).toEqual(isValid ? { traceId, parentId } : undefined);
  });
});

describe('problems', () => {
  test.each([
    ['/v1/tasks/a ü#b', '/v1/tasks/a%20%C3%BC%23b'],
    ['//example.com/v1', '/.//example.com/v1'],
    ['/v1/100%', '/v1/100%25'],
    ['/v1/\ud83d', '/v1/%EF%BF%BD'],
  ])('have the path %j as a URI reference', (path, instance) => {
    const { body } = problemResponse(new Problem('not-found', ''), { path, requestId: '' });
    expect(JSON.parse(body ?? '').instance).toBe(instance);
  });
});

const query: ListQuery = {
  filters: [],
  sort: [{ field: 'createdAt', direction: 'desc' }],
  countBy: [],
  sumBy: [],
  page: 2,
  limit: 10,
  withTexts: true,
};

describe('page links', () => {
  test('repeat the other parameters as they were sent, encode what would end a link, and replace page and limit', () => {
    const target = '/v1/tasks?name[in]=a%20b,c%2Cd%3E%0D%0A&status=%C3%A9+%3E%22&page=1&limit=10';
    const sent = 'limit=500&name[in]=a%20b,c%2Cd%3E%0D%0A&page[]=3&page[eq]=3&status=é+>"';
    expect(pageLinks('/v1/tasks', sent, { ...query, page: 1 }, 1)).toBe(
      `<${target}>; rel="first", <${target}>; rel="last"`,
    );
  });
});

describe('render page', () => {
  /** Renders a page whose entities are shown as texts. @returns how many of them were shown. */
  function render(...texts: readonly string[]): number {
    let shown = 0;
    const entities = texts.map((id) => ({ id }) as Entity);
    const show = ({ id: text }: Pick<Entity, 'id'>) => {
      shown += 1;
      return text;
    };
    expect(() => renderData(entities, show, { total: 21 })).toThrow(/lower "limit"/);
    return shown;
  }

  test('counts the marks that the response of a function adds, and ends before all entities are shown', () => {
    expect(render('"'.repeat(2_000_000))).toBe(1);
    expect(render(...['1', '2', '3'].map((text) => text.repeat(3_000_000)))).toBe(2);
  });
});

test('an entity shows null for a reference to nothing, leaves it out of an array, and expands known fields only', () => {
  const common = { status: 'active', createdAt: '', updatedAt: '' };
  const dangling = { id: '1', name: 'one', ...common, projectId: 'gone', tagIds: ['gone', 't'] };
  const known = new Map([['t', { id: 't', name: 'two', ...common, secret: 'x' }]]);
  const shown = showEntity(task, dangling, { expansions: Object.values(task.expansions) }, known);
  expect(shown).toMatchObject({ projectId: 'gone', project: null, tagIds: ['gone', 't'] });
  expect(shown['tags']).toEqual([{ id: 't', name: 'two', ...common }]);
});

describe('response headers', () => {
  test.each([
    ['https', 'after', 'max-age=31536000'],
    ['https', 'onError', 'max-age=31536000'],
    ['http', 'after', undefined],
  ] as const)('of %s, %s: Strict-Transport-Security is %s', async (protocol, at, expected) => {
    const request = {
      event: { headers: { 'x-forwarded-proto': protocol }, requestContext: { http: { method: 'GET' } } },
      response: { statusCode: 200, headers: { etag: '"1"' } },
    } as unknown as PipelineRequest;
    await responseHeaders[at]?.(request);
    expect(request.response?.headers).toMatchObject({ etag: '"1"', 'x-content-type-options': 'nosniff' });
    expect(request.response?.headers?.['strict-transport-security']).toBe(expected);
  });
});

describe('tenant units', () => {
  const start = 1_000_000 * windowMs;
  const quota = 10_000;
  let processes: WindowUnits[];
  let counted: number;

  beforeEach(() => {
    processes = [new WindowUnits(), new WindowUnits()];
    counted = 0;
  });

  const unitsOf = (process: number, atMs = 0, tenant = 'a') =>
    (processes[process] as WindowUnits).of(tenant, start + atMs);

  const publish = (units: TenantUnits, atMs: number) =>
    units.publish(quota, start + atMs, async (added) => {
      counted += added;
      return counted;
    });

  test.each([
    [99, 999, false],
    [100, 0, true],
    [9, 1_000, false],
    [10, 1_000, true],
  ])('of %i in a quota of 10,000 are published after %i ms: %j', async (units, atMs, isPublished) => {
    unitsOf(0).add(units);
    await publish(unitsOf(0), atMs);
    expect(counted).toBe(isPublished ? units : 0);
    unitsOf(0).add(10);
    await publish(unitsOf(0), atMs + 999);
    expect(counted).toBe(isPublished ? units : units + 10);
  });

  test('contain what the others had published, and count each unit once', async () => {
    unitsOf(0).add(200);
    unitsOf(1).add(300);
    await publish(unitsOf(0), 0);
    const published = publish(unitsOf(1), 0);
    unitsOf(1).add(400);
    await Promise.all([published, publish(unitsOf(1), 0)]);
    expect([unitsOf(0).used, unitsOf(1).used, counted]).toEqual([200, 900, 500]);
    await publish(unitsOf(1), 0);
    expect([unitsOf(1).used, counted]).toEqual([900, 900]);
  });
});

describe('on a table', () => {
  const table = useEmptyTable();
  let lines: Record<string, unknown>[] = [];

  beforeEach(() => {
    lines = [];
    jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((line) => lines.push(JSON.parse(String(line)) as Record<string, unknown>) > 0);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  describe('rate limit', () => {
    /** Capacity units per second. A request for an unknown id reads one. */
    const rate = 2;
    const quota = 20;
    let windows = 1_000_000;
    let now = 0;

    beforeEach(() => {
      setFunctionEnvironment(table.store(), { tenantClaim: 'tenant' }, rate);
      windows += 10;
      now = windows * windowMs;
      jest.spyOn(Date, 'now').mockImplementation(() => now);
    });

    afterAll(() => setFunctionEnvironment(table.store(), { tenantClaim: 'tenant' }));

    const ask = (tenant: string) => invoke(readTag, { tenant, id });

    /** Sends requests one after the other. @returns how many were accepted. */
    async function send(count: number, tenant: string): Promise<number> {
      let accepted = 0;
      for (let sent = 0; sent < count; sent += 1) {
        const { statusCode } = await ask(tenant);
        expect([404, 429]).toContain(statusCode);
        if (statusCode === 404) accepted += 1;
      }
      return accepted;
    }

    test('refuses requests above the limit of their tenant until the next window', async () => {
      now += 6_500;
      const { headers } = await ask('single');
      expect(headers['ratelimit-policy']).toBe('"default";q=20;qu="capacity-units";w=10');
      expect(headers['ratelimit']).toBe('"default";r=19;t=4');
      expect(await send(quota, 'single')).toBe(quota - 1);
      const refused = await ask('single');
      expect(refused).toMatchObject({ statusCode: 429, body: { type: '/docs/problems#too-many-requests' } });
      expect([refused.headers['retry-after'], refused.headers['ratelimit']]).toEqual([
        '4',
        '"default";r=0;t=4',
      ]);
      expect((await invoke(createTag, { tenant: 'single', body: { name: 'x' } })).statusCode).toBe(429);
      expect(await send(1, 'quiet')).toBe(1);
      now += 4_000;
      expect(await send(1, 'single')).toBe(1);
      expect((await invoke(listTags, { tenant: 'single' })).body).toMatchObject({ total: 0 });
    });

    test('counts what other processes have published', async () => {
      await send(1, 'shared');
      now += 1_000;
      await table
        .store()
        .database()
        .count({ pk: '#rate#@shared', sk: `units#${Math.floor(now / windowMs)}` }, 18);
      // The next request begins a publication, which ends with it or later.
      expect(await send(1, 'shared')).toBe(1);
      expect(await send(2, 'shared')).toBe(0);
      expect((await ask('shared')).headers['ratelimit']).toBe('"default";r=0;t=9');
    });

    test('is off by default, and does not concern operations without a tenant', async () => {
      for (let sent = 0; sent <= quota; sent += 1)
        expect((await invoke(checkHealth)).headers).not.toHaveProperty('ratelimit');
      setFunctionEnvironment(table.store(), { tenantClaim: 'tenant' });
      expect(await send(quota + 1, 'off')).toBe(quota + 1);
      expect((await ask('off')).headers).not.toHaveProperty('ratelimit');
    });
  });

  describe('request log', () => {
    beforeEach(() => {
      delete process.env['LOG_LEVEL'];
      process.env['REQUEST_METRICS'] = 'ProjectManagement/test';
    });

    afterEach(() => {
      delete process.env['REQUEST_METRICS'];
    });

    /** Returns the metrics that CloudWatch makes of a line: the values by name. */
    function metricsOf(line: Record<string, unknown> | undefined): Record<string, unknown> {
      const aws = line?.['_aws'] as { CloudWatchMetrics: { Metrics: { Name: string }[] }[] } | undefined;
      const names = (aws?.CloudWatchMetrics ?? []).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name));
      return Object.fromEntries(names.map((name) => [name, line?.[name]]));
    }

    test('has the duration and the units of a request as metrics of its operation, and none that is 0', async () => {
      await invoke(createTag, { body: { name: 'A' } });
      await invoke(listTags);
      const [created, listed] = lines;
      expect(created).toMatchObject({
        message: 'The request is finished.',
        operation: 'createTag',
        tenant: '@test',
        status: 201,
        _aws: {
          Timestamp: expect.any(Number),
          CloudWatchMetrics: [{ Namespace: 'ProjectManagement/test', Dimensions: [['operation']] }],
        },
      });
      const number = expect.any(Number);
      expect(metricsOf(created)).toMatchObject({ duration: number, writeUnits: number });
      expect(metricsOf(listed)).toEqual({ duration: number, readUnits: number });
    });

    test('counts errors of the service, and not those of the caller', async () => {
      await invoke(readTag, { id: 'x' });
      const { TABLE_NAME } = process.env;
      delete process.env['TABLE_NAME'];
      await invoke(readTag, { id: 'x' });
      process.env['TABLE_NAME'] = TABLE_NAME;
      const [byCaller, failure, byService] = lines;
      expect(metricsOf(byCaller)).toEqual({ duration: expect.any(Number) });
      expect(failure).toMatchObject({ level: 'ERROR' });
      expect(metricsOf(byService)).toMatchObject({ errors: 1 });
    });

    test('has the fields of the queries that the dashboard and the documentation have', async () => {
      delete process.env['REQUEST_METRICS'];
      await invoke(createTag, { body: { name: 'A' } });
      await invoke(listTags);
      const { TABLE_NAME } = process.env;
      delete process.env['TABLE_NAME'];
      await invoke(readTag, { id: 'x' });
      process.env['TABLE_NAME'] = TABLE_NAME;
      const fields = new Set(lines.flatMap((line) => Object.keys(line)));
      const page = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');
      const queries = [...page.matchAll(/^```text\nfilter message = "The request.*?```$/gms)].join('\n');
      const used = [...queries.matchAll(/(?:sum\(|pct\(|by |filter )(\w+)/g)].map(([, field = '']) => field);
      expect(used.length).toBeGreaterThan(10);
      expect(used.filter((field) => !fields.has(field))).toEqual([]);
    });

    test('has no metrics without a namespace, and names a valid trace', async () => {
      delete process.env['REQUEST_METRICS'];
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
      await invoke(listTags, { headers: { traceparent } });
      await invoke(listTags, { headers: { traceparent: '00-0-0-00' } });
      const [valid, invalid] = lines;
      expect(valid).not.toHaveProperty('_aws');
      expect(valid).toMatchObject({
        traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
        parentId: '00f067aa0ba902b7',
      });
      expect(invalid).not.toHaveProperty('traceId');
    });
  });

  describe('actor', () => {
    const database = () => table.store().database();

    /** Returns the actors of the records of a log, the oldest record first. */
    async function actorsIn(tenant: string, kind: Kind): Promise<(string | undefined)[]> {
      const { items } = await database().query({
        KeyConditionExpression: 'pk = :log AND begins_with(sk, :records)',
        ExpressionAttributeValues: { ':log': logPartition(`@${tenant}`, kind), ':records': recordPrefix },
        ConsistentRead: true,
      });
      return items.map((item) => decodeRecord(item).actor);
    }

    test('a write records the subject of the token', async () => {
      const tenant = randomUUID();
      const as = (sub: string) => ({ tenant, claims: { sub, scope: 'tasks:read tasks:write' } });
      const { body: created } = await invoke(createTask, { ...as('ada'), body: { name: 'x' } });
      await invoke(updateTask, { ...as('auth0|bob'), id: created.id, body: { name: 'y' } });
      const operations = [{ operation: 'update', id: created.id, body: { name: 'z' } }];
      await invoke(batchTasks, { ...as('ADA'), body: { operations } });
      const { body: history } = await invoke(listTaskHistory, { ...as('eve'), id: created.id });
      expect(history).toMatchObject({ data: [{ actor: 'ADA' }, { actor: 'auth0|bob' }, { actor: 'ada' }] });
      await invoke(deleteTask, { ...as('eve'), id: created.id });
      expect(await actorsIn(tenant, 'task')).toEqual(['ada', 'auth0|bob', 'ADA', 'eve']);
    });

    test.each([
      ['no subject', {}, undefined],
      ['a client instead of a user', { client_id: 'nightly' }, 'nightly'],
      ['the longest subject', { sub: 's'.repeat(255) }, 's'.repeat(255)],
      ['a longer subject than OpenID Connect allows', { sub: 's'.repeat(256) }, undefined],
    ])('the actor of a token with %s', async (_, claims, actor) => {
      const tenant = randomUUID();
      await invoke(createTask, { tenant, claims: { sub: undefined, ...claims }, body: { name: 'x' } });
      expect(await actorsIn(tenant, 'task')).toEqual([actor]);
    });

    test('jobs record the subject of the request that began them', async () => {
      const tenant = randomUUID();
      const as = (sub: string) => ({ tenant, claims: { sub } });
      const organization = await invoke(createOrganization, { ...as('ada'), body: { name: 'x' } });
      const organizationId = organization.body.id;
      const { body } = await invoke(createProject, { ...as('ada'), body: { name: 'x', organizationId } });
      const operations = Array.from({ length: 25 }, () => ({
        operation: 'create',
        body: { name: 'x', projectId: body.id },
      }));
      // More than one transaction deletes.
      for (let batch = 0; batch < 5; batch += 1)
        await invoke(batchTasks, { ...as('ada'), body: { operations } });
      await invoke(deleteProject, { ...as('eve'), id: body.id });
      for (;;) {
        const job = (await readJobs(database())).find(
          (one) => one.tenant === `@${tenant}` && one.work.type === 'sweep',
        );
        if (!job) break;
        expect(job.actor).toBe('eve');
        await database().transact([
          buildJobWrite(job, { ...job, version: job.version + 1, dueAt: alwaysDue }),
        ]);
        await continueJob(database(), job, { owner: randomUUID() });
      }
      expect(await actorsIn(tenant, 'project')).toEqual(['ada', 'eve']);
      const ofTasks = await actorsIn(tenant, 'task');
      expect(ofTasks.length).toBeGreaterThan(5);
      expect(new Set(ofTasks.slice(5))).toEqual(new Set(['eve']));
    });
  });
});
