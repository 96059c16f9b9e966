import { routes } from '../../functions/routes.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import { expectNoInternals } from '../contract/problem.ts';
import type { TestResponse } from '../contract/service.ts';
import { type Injector, refusal } from './engine-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { type Ids, makeEntities } from './operations.ts';

/**
 * What answers and the log tell, of every operation, while the database works and while it fails: answers say nothing of
 * what is inside; the log says what went wrong, and nothing of what people wrote or who they are.
 */

/** Milliseconds that a function may take. */
const timeout = 2_500;

/** In all that is sent and stored: texts, names, keys, tokens. */
const secret = 'Qz7secret';

/** In what the engine says when it refuses something. */
const engineWords = 'these words are the engine’s';

let faulty: FaultyService;
let ids: Ids;
let spies: jest.SpyInstance[];
/** What was written to the log since it was last looked at. */
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

/** Makes what requests are about, with something in it that must stay where it is. */
async function beginAnew(): Promise<void> {
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
    // What hosts the functions says there that the stream could not be read; they do not write to it.
    jest.spyOn(console, 'error').mockImplementation(() => {}),
  ];
  // Whatever is loaded with the first request of an operation takes its time.
  await beginAnew();
  await oneByOne(contracts, send);
});

beforeEach(beginAnew);

afterAll(async () => {
  await faulty.stop();
  for (const spy of spies) spy.mockRestore();
});

const broken =
  (change: (body: string) => string): Injector =>
  async (_, pass) => {
    const reply = await pass();
    return { ...reply, body: change(reply.body) };
  };

interface Condition {
  readonly title: string;
  readonly injector: Injector | undefined;
  /** What requests that talk to the database are answered; any success where nothing is said. */
  readonly status?: 500 | 503;
}

const conditions: readonly Condition[] = [
  { title: 'works', injector: undefined },
  {
    title: 'refuses what it does not understand',
    injector: async () => refusal('ValidationException', { message: engineWords }),
    status: 500,
  },
  {
    title: 'throttles',
    injector: async () => refusal('ThrottlingException', { message: engineWords }),
    status: 503,
  },
  {
    title: 'answers with a page',
    injector: async () => ({ status: 200, body: `<html>${secret}</html>` }),
    status: 503,
  },
  { title: 'cuts its answers off', injector: broken((body) => body.slice(0, -1)), status: 503 },
  {
    title: 'garbles what people wrote',
    injector: broken((body) => {
      const garbled = body.replaceAll(/"(?=Qz7|public#)/g, '');
      return garbled === body ? body.slice(1) : garbled;
    }),
    status: 503,
  },
];

const talksToDatabase = ({ access }: Contract): boolean => access.actions.length > 0;

/** Every field that a body may have, with something in it that must stay where it is. */
const bodyOf = ({ body }: Contract): object | undefined =>
  body && {
    ...(body.writable.includes('name') && { name: secret }),
    ...(body.writable.includes('description') && { description: `${secret} ${'x'.repeat(50)}` }),
    ...(body.writable.includes('email') && { email: `${secret}@example.com` }),
    ...(body.writable.includes('status') && { status: secret }),
    ...(body.writable.includes('organizationId') && { organizationId: ids['organizations'] }),
  };

async function send(contract: Contract): Promise<TestResponse> {
  const [, , plural = ''] = contract.path.split('/');
  const path = contract.path.replace('{id}', ids[plural] ?? '').replace('{file}', 'style.css');
  const query = contract.success === 'list' ? `?name=${secret}` : '';
  const { status, headers, body } = await faulty
    .send(contract.method, path + query, bodyOf(contract), {
      authorization: `Bearer ${secret}`,
      cookie: `session=${secret}`,
      ...(contract.method === 'POST' && { 'idempotency-key': `${secret}-${contract.operation}` }),
    })
    // Pages are not JSON.
    .catch(() => ({ status: 200, headers: new Headers(), body: undefined }));
  return { status, headers, body, text: JSON.stringify(body) ?? '' } as TestResponse;
}

/** The fields that a line may have. */
const fields = new Set([
  'timestamp',
  'level',
  'message',
  'requestId',
  'operation',
  'tenant',
  'duration',
  'status',
  'job',
  'error',
]);

interface Line {
  readonly level: string;
  readonly requestId: string;
  readonly operation: string;
  readonly error?: { readonly stack?: string; readonly message?: string };
}

/** Takes what was logged. @throws when a line is not one of JSON, or holds what it may not. */
function takeLines(): Line[] {
  const taken = written.map((text) => {
    expect(text).toMatch(/^\{.*\}\n$/);
    const line = JSON.parse(text) as Line;
    // What people wrote, their tokens, keys of the table. The id of a request is made of any letters, those of a secret too.
    expect(text.replaceAll(line.requestId, '')).not.toMatch(
      /Qz7|Bearer|#idempotency#|public#|"pk"|"sk"|ofKind|byStatus|ExpressionAttribute/,
    );
    expect(Object.keys(line).filter((field) => !fields.has(field))).toEqual([]);
    // Where it happened is said of failures alone.
    expect(text.includes('node_modules') || text.includes('    at ')).toBe(
      line.level === 'ERROR' && line.error?.stack !== undefined,
    );
    return line;
  });
  written = [];
  return taken;
}

/** What requests do; the stream is read all the time. */
const ofRequests = new Set(['GetItem', 'BatchGetItem', 'Query', 'TransactWriteItems']);

test.each(conditions)(
  'no answer and no line of the log tells too much when the database $title',
  async ({ injector, status }) => {
    written = [];
    if (injector) {
      faulty.proxy.inject((call, pass) => (ofRequests.has(call.operation) ? injector(call, pass) : pass()));
    }
    // One after the other they would wait for minutes; but what works would get into its own way.
    const answers = injector ? await Promise.all(contracts.map(send)) : await oneByOne(contracts, send);
    faulty.proxy.inject(undefined);
    const lines = takeLines();
    for (const [place, contract] of contracts.entries()) {
      const answer = answers[place] as TestResponse;
      const own = lines.filter(({ operation }) => operation === contract.operation);
      expect([contract.operation, own.filter(({ level }) => level === 'INFO').length]).toEqual([
        contract.operation,
        1,
      ]);
      // What a page says is written for everybody.
      if (contract.success === 'staticPage') continue;
      expectNoInternals(answer, [secret]);
      expect(answer.text).not.toContain(engineWords);
      const failures = own.filter(({ level }) => level === 'ERROR');
      if (status === undefined || !talksToDatabase(contract)) {
        expect([contract.operation, failures]).toEqual([contract.operation, []]);
      } else {
        expect([contract.operation, answer.status]).toEqual([contract.operation, status]);
        // Who operates the service finds the cause by the id that the caller was told.
        const { requestId } = answer.body as { requestId: string };
        expect(failures.map((line) => line.requestId)).toEqual([requestId]);
        expect(failures[0]?.error?.message).toMatch(/\w/);
      }
    }
  },
);

test('the log says what the engine said', async () => {
  written = [];
  faulty.proxy.inject(async () => refusal('ValidationException', { message: engineWords }));
  expect((await faulty.send('GET', `/v1/tags/${ids['tags']}`)).status).toBe(500);
  faulty.proxy.inject(undefined);
  expect(written.join('')).toContain(engineWords);
});
