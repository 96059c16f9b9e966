/** A database that fails: requests end in time, with 503 or 500, and responses and logs disclose nothing. */
import type { Contract } from '#functions/contract/contract.ts';
import { maxRequestMs } from '#functions/engine/table/deadline.ts';
import { expectNoInternals } from '../../contract/problem.ts';
import type { TestResponse } from '../../contract/service.ts';
import { someOf } from '../../support/runs.ts';
import type { Call, Course } from '../../support/table/course.ts';
import { cancelledFor, lostRequest, refused, throttled } from '../../support/table/faults.ts';
import {
  type Ids,
  makeEntities,
  operations,
  pathFor,
  pluralOf,
  prepareTarget,
  writes,
} from '../operations.ts';
import { allScopes, tokenOf } from '../process.ts';
import { inWorld, isTransaction, send, succeed, takeLog } from '../scenario.ts';
import type { World } from '../world.ts';

beforeAll(() => {
  process.env['REQUEST_METRICS'] = '';
});

/** Part of all that requests and the table have: texts, names, keys and tokens. */
const secret = 'Qz7secret';

/** Part of the error messages of the database. */
const message = 'Not now, says the table';

/** Returns a body with the secret in each text field. */
function secretBody({ body, resource, success, path }: Contract, ids: Ids): object | undefined {
  if (!body) return undefined;
  const fieldsOf = (names: readonly string[]): object => ({
    ...(names.includes('name') && { name: secret }),
    ...(names.includes('description') && { description: `${secret} ${'x'.repeat(50)}` }),
    ...(names.includes('email') && { email: `${secret}@example.com` }),
    ...(names.includes('status') && { status: secret }),
    ...(names.includes('organizationId') && { organizationId: ids['organizations'] }),
  });
  if (success !== 'batch' || !resource) return path.includes('/clone') ? {} : fieldsOf(body.writable);
  const fields = fieldsOf(Object.keys(resource.fields));
  return {
    operations: [
      { operation: 'create', body: fields },
      { operation: 'update', id: ids[resource.plural], body: fields },
    ],
  };
}

const sendSecrets = (world: World, contract: Contract, ids: Ids) =>
  send(
    world,
    contract.method,
    pathFor(contract, ids) + (contract.success === 'list' ? `?name=${secret}` : ''),
    secretBody(contract, ids),
    {
      authorization: tokenOf(secret, allScopes),
      cookie: `session=${secret}`,
      ...(contract.method === 'POST' && {
        'idempotency-key': `${secret}-${contract.operation}-${world.newMark()}`,
      }),
    },
  );

/** Fields of lines of the log. */
const fields = new Set(
  'timestamp level message requestId operation tenant duration status errors readUnits writeUnits job error'.split(
    ' ',
  ),
);

/** Requires that lines of the log have no user data, keys of the table and unknown fields. */
function requireSilent(lines: ReturnType<typeof takeLog>): void {
  for (const line of lines) {
    const text = JSON.stringify({
      ...line,
      requestId: '',
      error: { ...(line['error'] as object), message: '' },
    });
    expect(text).not.toMatch(
      /Qz7|Bearer|#idempotency#|@public#|"pk"|"sk"|ofKind|byStatus|ExpressionAttribute/,
    );
    expect(Object.keys(line).filter((field) => !fields.has(field))).toEqual([]);
    if (line['level'] !== 'ERROR') expect(text).not.toMatch(/node_modules| {4}at /);
  }
}

type Received = Awaited<ReturnType<typeof send>>;

function requireDiscreet({ headers, body, status }: Received): void {
  const response = { status, headers: new Headers(headers), body, text: JSON.stringify(body) ?? '' };
  expectNoInternals(response as unknown as TestResponse, [secret]);
  expect(response.text).not.toContain('Not now');
}

const outages: readonly (readonly [string, 500 | 503, (call: Call) => Course])[] = [
  ['throttles the account', 503, () => refused('ThrottlingException', message)],
  ['has no capacity', 503, () => refused('ProvisionedThroughputExceededException', message)],
  ['throttles keys', 503, (call) => throttled(call)],
  ['resets connections', 503, () => lostRequest(0)],
  ['hangs', 503, () => lostRequest()],
  ['has internal errors', 503, () => refused('InternalServerError', message, 'server')],
  [
    'returns what is not JSON',
    503,
    () => ({ lost: 'request', patienceMs: 0, error: new SyntaxError(`Unexpected token ${secret}`) }),
  ],
  ['is another service', 503, () => ({ respond: () => ({ message }) })],
  ['refuses calls as invalid', 500, () => refused('ValidationException', message)],
  ['denies access', 500, () => refused('AccessDeniedException', message)],
];

/** Those that concern transactions: reads are not affected. */
const cancellations: readonly (readonly [string, 500 | 503, (call: Call) => Course])[] = (
  [
    ['None', 503],
    ['TransactionConflict', 503],
    ['ProvisionedThroughputExceeded', 503],
    ['ThrottlingError', 503],
    ['ConditionalCheckFailed', 503],
    ['ItemCollectionSizeLimitExceeded', 500],
    ['ValidationError', 500],
    ['SomethingElse', 500],
  ] as const
).map(([code, status]) => [
  `cancels transactions for ${code}`,
  status,
  (call) => (isTransaction(call) ? cancelledFor(call, [code], message) : {}),
]);

/** Prepares a subject for each operation, with the secret in its fields. */
async function prepareSubjects(
  world: World,
  contracts: readonly Contract[],
): Promise<readonly (readonly [Contract, Ids])[]> {
  const all = await makeEntities(world);
  for (const [plural, id] of Object.entries(all))
    await succeed(world, 'PATCH', `/v1/${plural}/${id}`, { name: secret });
  const subjects: (readonly [Contract, Ids])[] = [];
  for (const contract of contracts) {
    const isRestore = contract.path.endsWith('/restore');
    subjects.push([
      contract,
      isRestore ? await prepareTarget(world, contract, await makeEntities(world)) : all,
    ]);
  }
  return subjects;
}

test.each(someOf([...outages, ...cancellations], 4))(
  'when the database %s, each request gets %i in time, and learns nothing',
  async (title, status, course) => {
    await inWorld(async (world) => {
      const isOfWrites = title.startsWith('cancels');
      const subjects = await prepareSubjects(world, isOfWrites ? writes : operations);
      const before = world.moments.last;
      takeLog();
      process.env['LOG_LEVEL'] = 'INFO';
      world.table.intercept = course;
      const startedMs = world.time.now();
      const responses = Promise.all(subjects.map(([contract, ids]) => sendSecrets(world, contract, ids)));
      // One request that does not end would stop the time.
      const received = await Promise.race([responses, world.wait(maxRequestMs + 1_000)]);
      if (!received) throw new Error(`A request takes more than ${world.time.now() - startedMs} ms.`);
      world.table.intercept = undefined;
      process.env['LOG_LEVEL'] = 'ERROR';
      const lines = takeLog();
      requireSilent(lines);
      for (const [place, [contract]] of subjects.entries()) {
        const response = received[place] as Received;
        expect([contract.operation, response.status]).toEqual([contract.operation, status]);
        expect(response.headers['content-type']).toBe('application/problem+json');
        if (status === 503) expect(response.headers['retry-after']).toMatch(/^\d+$/);
        requireDiscreet(response);
        // An operator finds the cause with the request id of the response.
        const own = lines.filter(({ requestId }) => requestId === response.body['requestId']);
        expect([contract.operation, own.map(({ level }) => level).sort()]).toEqual([
          contract.operation,
          ['ERROR', 'INFO'],
        ]);
        const failure = own.find(({ level }) => level === 'ERROR');
        expect(failure?.['error']).toMatchObject({ message: expect.stringMatching(/\w/) });
      }
      if (title !== 'is another service') expect(world.moments.last).toBe(before);
      const [contract, ids] = subjects.find(([{ method }]) => method === 'PATCH') as [Contract, Ids];
      expect((await send(world, 'PATCH', pathFor(contract, ids), { name: 'after' })).status).toBe(200);
    });
  },
);

test('responses and the log disclose nothing when the database works', async () => {
  await inWorld(async (world) => {
    const subjects = await prepareSubjects(world, operations);
    takeLog();
    process.env['LOG_LEVEL'] = 'INFO';
    const last = subjects.filter(([{ success }]) => success === 'deleted');
    for (const [contract, ids] of [...subjects.filter((one) => !last.includes(one)), ...last.reverse()]) {
      const response = await sendSecrets(world, contract, ids);
      requireDiscreet(response);
      expect([contract.operation, response.status < 300 || response.status === 404]).toEqual([
        contract.operation,
        true,
      ]);
      const lines = takeLog();
      requireSilent(lines);
      expect([pluralOf(contract), lines.map(({ level, operation }) => [level, operation])]).toEqual([
        pluralOf(contract),
        [['INFO', contract.operation]],
      ]);
    }
    process.env['LOG_LEVEL'] = 'ERROR';
  });
});
