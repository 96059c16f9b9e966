/** Writes, with what can happen to their calls: each is applied once or not at all, and its repetition completes it. */
import type { Contract } from '#functions/contract/contract.ts';
import { isFullRun, someOf } from '../../support/runs.ts';
import type { Call, Course } from '../../support/table/course.ts';
import {
  cancelledFor,
  conflicting,
  firstAttempts,
  lostRequest,
  nth,
  refused,
  stopped,
  throttled,
  touches,
} from '../../support/table/faults.ts';
import {
  bodyFor,
  growth,
  type Ids,
  makeEntities,
  makeTarget,
  named,
  pathFor,
  pluralOf,
  prepareTarget,
  request,
  successStatus,
  writes,
  writtenEntity,
} from '../operations.ts';
import {
  crashAt,
  create,
  createProject,
  inWorld,
  isInLog,
  isTransaction,
  listed,
  type Received,
  requireClean,
  scenario,
  send,
  succeed,
  totalOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

/** Returns whether a write also changes entities that refer to its own. */
const hasDependents = ({ success, path }: Contract): boolean =>
  success === 'deleted' || /(?:archive|clone|restore)$/.test(path);

/** Requires that a write which crashed, and is sent again twice, has been applied once. */
async function requireApplied(
  world: World,
  contract: Contract,
  ids: Ids,
  [again, third]: readonly [Received, Received],
): Promise<void> {
  const plural = pluralOf(contract);
  const isDeletion = contract.success === 'deleted';
  // A deletion may have been applied before.
  expect(isDeletion && again.status === 404 ? 204 : again.status).toBe(successStatus(contract));
  const shown = isDeletion ? undefined : writtenEntity(contract, third);
  if (growth(contract) > 0) expect(shown?.id).toBe(writtenEntity(contract, again)?.id);
  const { status, body } = await send(world, 'GET', `/v1/${plural}/${shown?.id ?? ids[plural]}`);
  expect(isDeletion ? status : body).toEqual(isDeletion ? 404 : shown);
}

/** Sends a write whose process crashes at a call, and then sends it twice again. @returns whether it has crashed. */
async function crashWrite(world: World, contract: Contract, ids: Ids, call: number): Promise<boolean> {
  const headers = contract.method === 'POST' ? { 'idempotency-key': world.newMark() } : {};
  const total = () => totalOf(world, pluralOf(contract));
  const before = await total();
  const sendWrite = () => request(world, contract, ids, headers);
  const { result: first, hasCrashed } = await crashAt(world, call, sendWrite);
  await requireClean(world);
  const responses = [hasCrashed ? await sendWrite() : first, await sendWrite()] as const;
  await requireApplied(world, contract, ids, responses);
  if (growth(contract) > 0) expect([call, (await total()) - before]).toEqual([call, 1]);
  await requireClean(world);
  return hasCrashed;
}

describe('a crash after each call', () => {
  test.each(named(writes))(
    'of %s leaves consistent data, and a repeated request completes it',
    (_, contract) =>
      inWorld(async (world) => {
        const all = await makeEntities(world);
        const prepare = async () =>
          hasDependents(contract)
            ? prepareTarget(world, contract, await makeEntities(world))
            : makeTarget(world, contract, all);
        let call = 1;
        while (await crashWrite(world, contract, await prepare(), call)) call += 1;
        expect(call).toBeGreaterThan(2);
      }),
  );
});

const isCut = (lost: 'request' | 'response') => (): Course => ({
  lost,
  patienceMs: 0,
  error: new SyntaxError('Unexpected end of JSON input'),
});

/** Cancels the first two transactions of each request. */
function cancelledTwice(...codes: string[]): (world: World) => void {
  return ({ table }) => {
    let left = 2;
    table.intercept = (call) => {
      if (!isTransaction(call) || left === 0) return undefined;
      left -= 1;
      return cancelledFor(call, codes);
    };
  };
}

const interceptFirst =
  (course: (call: Call) => Course) =>
  ({ table }: World): void => {
    table.intercept = firstAttempts(course);
  };

/** What happens to the calls of each write, and how many are sent at once. */
const conditions: readonly (readonly [title: string, atOnce: number, begin: (world: World) => void])[] = [
  [
    'three in ten responses are lost',
    10,
    ({ table }) => {
      table.faults = { lostResponses: 0.3, patienceMs: [0, 300] };
    },
  ],
  [
    'three in ten requests are lost',
    10,
    ({ table }) => {
      table.faults = { lostRequests: 0.3, patienceMs: [0, 300] };
    },
  ],
  [
    'transactions that meet are in conflict',
    50,
    ({ table }) => {
      table.faults = { latencyMs: [1, 10], holdMs: 8 };
    },
  ],
  [
    'indexes and replicas lag',
    1,
    ({ table }) => {
      table.faults = { latencyMs: 5, lagMs: 2_000, staleReads: 1 };
    },
  ],
  [
    'batches are processed in part',
    1,
    ({ table }) => {
      table.faults = { unprocessedKeys: 1 };
    },
  ],
  [
    'each first transaction hangs',
    10,
    interceptFirst((call) => (isTransaction(call) ? lostRequest(2_000) : {})),
  ],
  [
    'each first call fails in DynamoDB',
    10,
    interceptFirst(() => refused('InternalServerError', 'no', 'server')),
  ],
  ['each first response is cut', 10, interceptFirst(isCut('response'))],
  ['each first response is cut, and the request was not received', 10, interceptFirst(isCut('request'))],
  [
    'each first response is that of another service',
    10,
    interceptFirst(() => ({ respond: () => ({ Item: null }) })),
  ],
  ...[
    'None',
    'TransactionConflict',
    'ProvisionedThroughputExceeded',
    'ThrottlingError',
    'ConditionalCheckFailed',
  ].map((code) => [`two transactions are cancelled for ${code}`, 1, cancelledTwice(code)] as const),
  [
    'two transactions are cancelled for several reasons',
    1,
    cancelledTwice('TransactionConflict', 'ConditionalCheckFailed'),
  ],
];

/** A request, and the tag of its entity: a retry must not fail the If-Match of its own first attempt. */
type Subject = readonly [contract: Contract, ids: Ids, headers: Readonly<Record<string, string>>];

async function makeSubject(world: World, contract: Contract, all: Ids): Promise<Subject> {
  const ids = await makeTarget(world, contract, all);
  if (!contract.path.includes('{id}')) return [contract, ids, {}];
  const { headers } = await send(world, 'GET', `/v1/${pluralOf(contract)}/${ids[pluralOf(contract)]}`);
  return [contract, ids, headers['etag'] ? { 'if-match': headers['etag'] } : {}];
}

describe('each write succeeds and is applied once when', () => {
  test.each(someOf(conditions, 4))('%s', (_, atOnce, begin) =>
    inWorld(async (world) => {
      const all = await makeEntities(world);
      const subjects: Subject[] = [];
      for (const contract of isFullRun && atOnce > 1 ? [...writes, ...writes] : writes)
        subjects.push(await makeSubject(world, contract, all));
      const totals = () => Promise.all(Object.keys(all).map((plural) => totalOf(world, plural)));
      const before = await totals();
      for (let start = 0; start < subjects.length; start += atOnce) {
        begin(world);
        const some = subjects.slice(start, start + atOnce);
        const responses = some.map(async ([contract, ids, headers]) => {
          const { status } = await request(world, contract, ids, headers);
          return [contract.operation, status];
        });
        const expected = some.map(([contract]) => [contract.operation, successStatus(contract)]);
        expect(await Promise.all(responses)).toEqual(expected);
      }
      world.table.intercept = undefined;
      world.table.faults = {};
      const grown = (plural: string): number =>
        subjects.reduce((sum, [contract]) => sum + (pluralOf(contract) === plural ? growth(contract) : 0), 0);
      expect(await totals()).toEqual(
        Object.keys(all).map((plural, place) => (before[place] ?? 0) + grown(plural)),
      );
    }),
  );
});

/** Requests with a key that a second attempt must not refuse for what the first one did. */
const keyed: readonly (readonly [title: string, prepare: (world: World) => Promise<Attempt>])[] = [
  ...writes.map((contract): (typeof keyed)[number] => [
    contract.operation,
    async (world) => {
      const [, ids, headers] = await makeSubject(world, contract, await makeEntities(world));
      return [contract.method, pathFor(contract, ids), bodyFor(contract, ids), headers];
    },
  ]),
  [
    'a creation with an own id',
    async (world) => ['PUT', `/v1/tags/${world.newId(0)}`, { name: 'a' }, { 'if-none-match': '*' }],
  ],
  ['a creation with a unique value', async () => ['POST', '/v1/users', { name: 'a', subject: 'a' }, {}]],
  [
    'a batch',
    async (world) => {
      const [updated, deleted] = [await create(world, 'tags'), await create(world, 'tags')];
      const operations = [
        { operation: 'create', id: world.newId(0), body: { name: 'a' } },
        { operation: 'update', id: updated, ifMatch: `"${updated.slice(-12)}-1"`, body: { name: 'b' } },
        { operation: 'delete', id: deleted },
      ];
      return ['POST', '/v1/tags/batch', { operations }, {}];
    },
  ],
];

type Attempt = readonly [
  method: string,
  path: string,
  body: object | undefined,
  headers: Readonly<Record<string, string>>,
];

describe('attempts of one request that overlap get one response:', () => {
  test.each(keyed)('%s', async (_, prepare) => {
    for (let delayMs = 0; delayMs <= 24; delayMs += 4)
      await inWorld(async (world) => {
        const [method, path, body, headers] = await prepare(world);
        world.table.faults = { latencyMs: 5 };
        const attempt = async (afterMs: number) => {
          await world.wait(afterMs);
          const { status, body: returned } = await send(world, method, path, body, {
            ...headers,
            'idempotency-key': 'one',
          });
          return [status, returned];
        };
        const [first, second] = await Promise.all([attempt(0), attempt(delayMs)]);
        expect([delayMs, second]).toEqual([delayMs, first]);
        expect(first?.[0]).toBeLessThan(300);
      });
  });
});

describe('concurrent writers:', () => {
  scenario(
    '64 creates in one project at once succeed, are never in conflict, and count once',
    async (world) => {
      const projectId = await createProject(world, 0);
      let transactions = 0;
      world.table.intercept = (call) => {
        transactions += isTransaction(call) ? 1 : 0;
        return { requestMs: 2, holdMs: 8 };
      };
      await Promise.all(Array.from({ length: 64 }, () => create(world, 'tasks', { projectId })));
      world.table.intercept = undefined;
      expect([await totalOf(world, `projects/${projectId}/tasks`), transactions]).toEqual([64, 64]);
    },
  );

  scenario(
    'a write is planned again when its entity changes meanwhile, and keeps the other change',
    async (world) => {
      const path = `/v1/tags/${await create(world, 'tags')}`;
      const transactions = nth(1, 'TransactWriteItems', { requestMs: 100 });
      world.table.intercept = transactions;
      const own = succeed(world, 'PATCH', path, { color: '#123456' });
      await world.wait(50);
      await succeed(world, 'PATCH', path, { description: 'of the other' });
      expect(await own).toMatchObject({ color: '#123456', description: 'of the other' });
    },
  );

  test.each([
    ['keeps a change that another request makes meanwhile', 'PATCH', 200],
    ['is not applied when another request deletes an entity meanwhile', 'DELETE', 404],
  ])('a batch %s', async (_, method, status) => {
    await inWorld(async (world) => {
      const [one, other] = [await create(world, 'tags'), await create(world, 'tags')];
      world.table.intercept = nth(1, 'TransactWriteItems', { requestMs: 100 });
      const operations = [one, other].map((id) => ({ operation: 'update', id, body: { color: '#123456' } }));
      const batch = send(world, 'POST', '/v1/tags/batch', { operations });
      await world.wait(50);
      await send(
        world,
        method,
        `/v1/tags/${other}`,
        method === 'PATCH' ? { name: 'of the other' } : undefined,
      );
      const { body, ...response } = await batch;
      expect(response.status).toBe(status);
      if (status === 200)
        expect(body.results[1]?.body).toMatchObject({ name: 'of the other', color: '#123456' });
      const changed = await succeed(world, 'GET', `/v1/tags/${one}`);
      expect(changed['color']).toBe(status === 200 ? '#123456' : '#808080');
    });
  });
});

describe('a batch of deletions, a creation and an update is applied as a whole, or not at all:', () => {
  const description = 'é'.repeat(300);

  async function batchOfProjects(world: World) {
    const organizationId = await create(world, 'organizations');
    const [one = '', kept = ''] = [
      await create(world, 'projects', { organizationId, description }),
      await create(world, 'projects', { organizationId, description }),
    ];
    const task = await create(world, 'tasks', { projectId: one, description });
    return {
      plural: 'projects',
      operations: [
        { operation: 'delete', id: one },
        { operation: 'create', body: { name: 'new', organizationId, description } },
        { operation: 'update', id: kept, body: { status: 'changed', description: '' } },
      ],
      state: async () => [
        (await send(world, 'GET', `/v1/projects/${one}`)).status,
        (await send(world, 'GET', `/v1/tasks/${task}`)).status,
        (await succeed(world, 'GET', `/v1/projects/${kept}`))['status'],
        await totalOf(world, `organizations/${organizationId}/projects`),
      ],
      after: [404, 404, 'changed', 2],
    };
  }

  async function batchOfTags(world: World) {
    const [one, two, kept] = [
      await create(world, 'tags'),
      await create(world, 'tags'),
      await create(world, 'tags'),
    ];
    const task = await create(world, 'tasks', { tagIds: [one, kept, two] });
    return {
      plural: 'tags',
      operations: [
        { operation: 'update', id: kept, body: { color: '#123456' } },
        { operation: 'delete', id: one },
        { operation: 'delete', id: two },
        { operation: 'create', body: { name: 'new', description } },
      ],
      state: async () => [
        (await succeed(world, 'GET', `/v1/tasks/${task}`))['tagIds'],
        (await succeed(world, 'GET', `/v1/tags/${kept}`))['color'],
        (await send(world, 'GET', `/v1/tags/${one}`)).status,
      ],
      after: [[kept], '#123456', 404],
    };
  }

  test.each([
    ['projects', batchOfProjects],
    ['tags', batchOfTags],
  ])('of %s, after a crash at each call', async (_, prepare) => {
    await inWorld(async (world) => {
      for (let call = 1; ; call += 1) {
        const { plural, operations, state, after } = await prepare(world);
        const headers = { 'idempotency-key': world.newMark() };
        const before = await state();
        const sendBatch = () => send(world, 'POST', `/v1/${plural}/batch`, { operations }, headers);
        const { hasCrashed } = await crashAt(world, call, sendBatch);
        const found = await state();
        expect([before, after]).toContainEqual(found);
        expect([call, (await sendBatch()).status, await state()]).toEqual([call, 200, after]);
        await requireClean(world);
        if (!hasCrashed) return;
      }
    });
  });
});

describe('a log that is throttled', () => {
  const isTasksLog = isInLog('task');
  const throttleLog = ({ table }: World): void => {
    table.intercept = (call) =>
      isTransaction(call) && touches(call, isTasksLog) ? throttled(call, isTasksLog) : undefined;
  };

  scenario(
    'refuses writes of its kind soon, with Retry-After; a repeated request is applied once',
    async (world) => {
      const id = await create(world, 'tasks');
      const headers = { 'idempotency-key': 'throttled' };
      throttleLog(world);
      const startedMs = world.time.now();
      const requests = [
        ['POST', '/v1/tasks', { name: 'b' }],
        ['PATCH', `/v1/tasks/${id}`, { name: 'b' }],
        ['PUT', `/v1/tasks/${id}`, { name: 'b' }],
        ['DELETE', `/v1/tasks/${id}`, undefined],
        ['POST', '/v1/tasks/batch', { operations: [{ operation: 'create', body: { name: 'b' } }] }],
      ] as const;
      const responses = await Promise.all(
        requests.map(([method, path, body]) =>
          send(world, method, path, body, method === 'POST' ? headers : {}),
        ),
      );
      for (const { status, headers: received } of responses)
        expect([status, received['retry-after']]).toEqual([503, expect.stringMatching(/^\d+$/)]);
      // A partition that is throttled recovers in a second, or in many: the request gives up after three attempts.
      expect(world.time.now() - startedMs).toBeLessThan(4_000);
      await create(world, 'tags');
      world.table.intercept = undefined;
      expect([await listed(world, 'tasks'), world.moments.versions.get(id)?.length]).toEqual([[id], 1]);
      for (let time = 0; time < 2; time += 1)
        expect((await send(world, 'POST', '/v1/tasks', { name: 'b' }, headers)).status).toBe(201);
      expect(await totalOf(world, 'tasks')).toBe(2);
    },
  );

  scenario('refuses no write when it recovers after two attempts', async (world) => {
    throttleLog(world);
    const created = create(world, 'tasks');
    const isThrottled = world.table.intercept;
    let left = 2;
    world.table.intercept = (call) => {
      const course = left > 0 ? isThrottled?.(call) : undefined;
      left -= course ? 1 : 0;
      return course;
    };
    await created;
    expect(left).toBe(0);
  });
});

scenario('a write that conflicts for ever is refused, and says nothing of transactions', async (world) => {
  world.table.intercept = (call) => (isTransaction(call) ? conflicting(call) : undefined);
  const { status, body } = await send(world, 'POST', '/v1/tags', { name: 'a' });
  world.table.intercept = nth(1, 'TransactWriteItems', stopped);
  expect([status, JSON.stringify(body)]).toEqual([503, expect.not.stringMatching(/transaction/i)]);
});
