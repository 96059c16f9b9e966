import type { Contract } from '#functions/contract/contract.ts';
import { jobMetrics } from '#functions/jobs/job-metrics.ts';
import { routes } from '#functions/routes.ts';
import { expectNoInternals } from '../contract/problem.ts';
import type { TestResponse } from '../contract/service.ts';
import { errorResponse, type Injector } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { callsDynamoDb, type Ids, makeEntities } from './operations.ts';

/**
 * Responses and log lines of every operation, with a working and with a failing database. Responses contain no internal
 * names. The log contains the cause of an error and no user data.
 */

/** Milliseconds that a function may take. */
const timeout = 2_500;

/** Part of everything that the tests send and store: texts, names, keys and tokens. */
const secret = 'Qz7secret';

/** Part of the error messages of the engine. */
const engineMessage = 'message of the engine';

let faulty: FaultyService;
let ids: Ids;
let spies: jest.SpyInstance[];
/** The log since the last check. */
let written: string[] = [];

const contracts = routes.map(({ contract }) => contract);

async function oneByOne<Value, Result>(
  values: readonly Value[],
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

/** Creates the entities of the requests with the secret in them, and clears the log. */
async function prepare(): Promise<void> {
  ids = await makeEntities(faulty);
  for (const [plural, id] of Object.entries(ids)) {
    expect((await faulty.send('PATCH', `/v1/${plural}/${id}`, { name: secret })).status).toBe(200);
  }
  written = [];
}

beforeAll(async () => {
  faulty = await startFaultyService({ timeout });
  process.env['LOG_LEVEL'] = 'INFO';
  const keep = (text: unknown): boolean => {
    written.push(String(text));
    return true;
  };
  spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(keep),
    jest.spyOn(process.stderr, 'write').mockImplementation(keep),
    // The local service reports failed stream reads with console.error. The functions do not use it.
    jest.spyOn(console, 'error').mockImplementation(() => {}),
  ];
  // The first request of an operation loads its modules, which can take longer than the short time limit of this test.
  await prepare().catch(prepare);
  await oneByOne(contracts, send);
});

beforeEach(prepare);

afterAll(async () => {
  await faulty.stop();
  for (const spy of spies) spy.mockRestore();
});

const broken =
  (change: (body: string) => string): Injector =>
  async (_, pass) => {
    const response = await pass();
    return { ...response, body: change(response.body) };
  };

interface Condition {
  readonly title: string;
  readonly injector: Injector | undefined;
  /** The status of requests that call the database. Without it, they succeed. */
  readonly status?: 500 | 503;
}

const conditions: readonly Condition[] = [
  { title: 'works', injector: undefined },
  {
    title: 'rejects invalid calls',
    injector: async () => errorResponse('ValidationException', { message: engineMessage }),
    status: 500,
  },
  {
    title: 'throttles',
    injector: async () => errorResponse('ThrottlingException', { message: engineMessage }),
    status: 503,
  },
  {
    title: 'returns an HTML page',
    injector: async () => ({ status: 200, body: `<html>${secret}</html>` }),
    status: 503,
  },
  { title: 'truncates its responses', injector: broken((body) => body.slice(0, -1)), status: 503 },
  {
    title: 'corrupts user data',
    injector: broken((body) => {
      const corrupted = body.replaceAll(/"(?=Qz7|public#)/g, '');
      return corrupted === body ? body.slice(1) : corrupted;
    }),
    status: 503,
  },
];

const callsDatabase = (contract: Contract): boolean =>
  callsDynamoDb(contract) && contract.success !== 'signedInUser';

/** Returns a body with the secret in every text field. */
const fieldsOf = (body: { readonly writable: readonly string[] }): object => ({
  ...(body.writable.includes('name') && { name: secret }),
  ...(body.writable.includes('description') && { description: `${secret} ${'x'.repeat(50)}` }),
  ...(body.writable.includes('email') && { email: `${secret}@example.com` }),
  ...(body.writable.includes('status') && { status: secret }),
  ...(body.writable.includes('organizationId') && { organizationId: ids['organizations'] }),
});

const bodyOf = ({ body, resource, success }: Contract): object | undefined => {
  if (!body || success !== 'batch' || !resource) return body && fieldsOf(body);
  const fields = fieldsOf({ writable: Object.keys(resource.fields) });
  return {
    operations: [
      { operation: 'create', body: fields },
      { operation: 'update', id: ids[resource.plural], body: fields },
    ],
  };
};

async function send(contract: Contract): Promise<TestResponse> {
  const [, , plural = ''] = contract.path.split('/');
  const path = contract.path.replace('{id}', ids[plural] ?? '').replace('{file}', 'site.css');
  const query = contract.success === 'list' ? `?name=${secret}` : '';
  const { status, headers, body } = await faulty
    .send(contract.method, path + query, bodyOf(contract), {
      authorization: `Bearer ${secret}`,
      cookie: `session=${secret}`,
      ...(contract.method === 'POST' && { 'idempotency-key': `${secret}-${contract.operation}` }),
    })
    // A static page is not JSON.
    .catch(() => ({ status: 200, headers: new Headers(), body: undefined }));
  return { status, headers, body, text: JSON.stringify(body) ?? '' } as TestResponse;
}

const fields = new Set([
  'timestamp',
  'level',
  'message',
  'requestId',
  'operation',
  'tenant',
  'duration',
  'status',
  'errors',
  'readUnits',
  'writeUnits',
  'job',
  'error',
]);

const metricFields = new Set(['_aws', 'FunctionName', ...Object.values(jobMetrics)]);

interface Line {
  readonly _aws?: object;
  readonly level: string;
  readonly requestId?: string;
  readonly operation: string;
  readonly error?: { readonly stack?: string; readonly message?: string };
}

/** Returns and clears the logged lines. Asserts that they are JSON without secrets and unknown fields. */
function takeLines(): Line[] {
  const taken = written.map((text) => {
    expect(text).toMatch(/^\{.*\}\n$/);
    const line = JSON.parse(text) as Line;
    // User data, tokens and keys of the table. A random request id can match by chance.
    expect(text.replaceAll(line.requestId ?? '-', '')).not.toMatch(
      /Qz7|Bearer|#idempotency#|public#|"pk"|"sk"|ofKind|byStatus|ExpressionAttribute/,
    );
    const known = line._aws ? metricFields : fields;
    expect(Object.keys(line).filter((field) => !known.has(field))).toEqual([]);
    // Only lines of errors contain a stack trace.
    expect(text.includes('node_modules') || text.includes('    at ')).toBe(
      line.level === 'ERROR' && line.error?.stack !== undefined,
    );
    return line;
  });
  written = [];
  return taken.filter((line) => !line._aws);
}

test.each(conditions)(
  'responses and log lines disclose nothing when the database $title',
  async ({ injector, status }) => {
    written = [];
    // Failing requests run concurrently, because each waits for its timeout. Successful ones would conflict.
    const responses = injector
      ? await faulty.injectWithoutJobs(injector, () => Promise.all(contracts.map(send)))
      : await oneByOne(contracts, send);
    const lines = takeLines();
    for (const [place, contract] of contracts.entries()) {
      const response = responses[place] as TestResponse;
      const own = lines.filter(({ operation }) => operation === contract.operation);
      expect([contract.operation, own.filter(({ level }) => level === 'INFO').length]).toEqual([
        contract.operation,
        1,
      ]);
      // Static pages are public.
      if (contract.success === 'staticPage') continue;
      // The one response that says which tenant the caller has.
      const shown = contract.success === 'signedInUser' ? ['"tenant":'] : [];
      expectNoInternals(response, [secret, ...shown]);
      expect(response.text).not.toContain(engineMessage);
      const failures = own.filter(({ level }) => level === 'ERROR');
      if (status === undefined || !callsDatabase(contract)) {
        expect([contract.operation, failures]).toEqual([contract.operation, []]);
      } else {
        expect([contract.operation, response.status]).toEqual([contract.operation, status]);
        // An operator finds the cause with the request id of the response.
        const { requestId } = response.body as { requestId: string };
        expect(failures.map((line) => line.requestId)).toEqual([requestId]);
        expect(failures[0]?.error?.message).toMatch(/\w/);
      }
    }
  },
);

test('the log contains the message of the engine', async () => {
  written = [];
  faulty.proxy.inject(async () => errorResponse('ValidationException', { message: engineMessage }));
  expect((await faulty.send('GET', `/v1/tags/${ids['tags']}`)).status).toBe(500);
  faulty.proxy.inject(undefined);
  expect(written.join('')).toContain(engineMessage);
});
