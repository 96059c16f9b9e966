import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { forEach } from '#functions/runtime/for-each.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { makeEntities, operations, request, successStatus } from './operations.ts';
import { datedSignatures } from './signatures.ts';
import { type SkewedClock, startSkewedClock } from './skewed-clock.ts';

/** Functions whose clocks are minutes ahead or behind, equally or differently. */

const minute = 60_000;

/** The request header with the clock error of the function, in milliseconds. */
const skewHeader = 'x-skew';

let faulty: FaultyService;
let clock: SkewedClock;

beforeAll(async () => {
  clock = startSkewedClock();
  faulty = await startFaultyService({
    onEvent: ({ headers }) => {
      const skew = headers[skewHeader];
      if (skew !== undefined) clock.skewHere(Number(skew));
    },
  });
});

afterAll(async () => {
  clock.restore();
  await faulty.stop();
});

interface Entity {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: string;
}

interface List {
  readonly data: readonly Entity[];
  readonly total: number;
  readonly totalPages: number;
}

const dated = datedSignatures();

/** Sends a request to a function with a clock error. */
const sendTo = <Body>(minutes: number, method: string, path: string, body?: object, headers: object = {}) =>
  faulty.send<Body>(method, path, body, { ...headers, [skewHeader]: String(minutes * minute) });

/** Returns the total of a list, by a new process. One that knows the log sees the records of such clocks up to a minute later. */
async function totalOf(path: string): Promise<number> {
  processMemory.clear();
  return (await faulty.send<List>('GET', `${path}?limit=1`)).body.total;
}

/** Waits for a condition. The timeout of the test ends the wait. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(100);
}

/** Creates children on several pages, by functions whose clocks are ahead. */
async function makeChildren(plural: string, references: object): Promise<void> {
  await forEach([...Array(110).keys()], 10, async (number) => {
    const { status } = await sendTo(4, 'POST', `/v1/${plural}`, { name: `child ${number}`, ...references });
    expect(status).toBe(201);
  });
}

describe.each([-10, -4, 4, 10])('when every clock has an error of %i minutes', (minutes) => {
  beforeAll(() => {
    faulty.proxy.inject(dated);
    clock.skew(minutes * minute);
  });

  afterAll(() => {
    clock.skew(0);
    faulty.proxy.inject(undefined);
  });

  test('every operation succeeds, and calls with a rejected signature are signed again', async () => {
    const toRead = await makeEntities(faulty);
    for (const contract of operations) {
      const ids = contract.method === 'DELETE' ? await makeEntities(faulty) : toRead;
      const { status } = await request(faulty, contract, ids);
      expect([contract.operation, status]).toEqual([contract.operation, successStatus[contract.success]]);
    }
  });
});

// Checked once for all clocks: the SDK corrects its clock from any response, also from one to a call of an earlier job. So
// the calls under one clock may have no rejected signature.
test('the engine rejected signatures of clocks with too large an error', () => {
  expect(dated.refused).toBeGreaterThan(0);
});

describe('when the clocks are four minutes ahead, correct and four minutes behind', () => {
  const clocks = [4, 0, -4];

  test('changes count once, timestamps increase, and pages contain each entity once', async () => {
    const { projects: projectId } = await makeEntities(faulty);
    const path = `/v1/projects/${projectId}/tasks`;
    processMemory.clear();
    const expected = new Set((await faulty.send<List>('GET', path)).body.data.map(({ id }) => id));
    for (let number = 0; number < 24; number += 1) {
      const [first = 0, second = 0, third = 0] = [0, 1, 2].map((place) => clocks[(number + place) % 3]);
      const key = { 'idempotency-key': randomUUID() };
      const body = { name: `task ${number}`, projectId };
      const created = await sendTo<Entity>(first, 'POST', '/v1/tasks', body, key);
      expect(created.status).toBe(201);
      const replayed = await sendTo<Entity>(second, 'POST', '/v1/tasks', body, key);
      expect([replayed.status, replayed.body.id]).toEqual([201, created.body.id]);
      const { id, createdAt, updatedAt } = created.body;
      const etag = created.headers.get('etag') ?? '';
      const changed = await sendTo<Entity>(
        second,
        'PATCH',
        `/v1/tasks/${id}`,
        { status: 'b' },
        { 'if-match': etag },
      );
      const again = await sendTo<Entity>(third, 'PATCH', `/v1/tasks/${id}`, { status: 'c' });
      expect([changed.status, again.status]).toEqual([200, 200]);
      const times = [createdAt, updatedAt, changed.body.updatedAt, again.body.updatedAt];
      expect(times).toEqual(times.toSorted());
      if (number % 3 === 0) expect((await sendTo(third, 'DELETE', `/v1/tasks/${id}`)).status).toBe(204);
      else expected.add(id);
      expect(await totalOf(path)).toBe(expected.size);
    }
    const found: Entity[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { body } = await sendTo<List>(clocks[page % 3] ?? 0, 'GET', `${path}?limit=7&page=${page}`);
      found.push(...body.data);
      pages = body.totalPages;
    }
    const order = found.map(({ createdAt, id }) => createdAt + id);
    expect(order).toEqual(order.toSorted().toReversed());
    expect(new Set(found.map(({ id }) => id))).toEqual(expected);
    expect(found.length).toBe(expected.size);
  });

  test('a clone has every task, also those with a creation time after its own clock', async () => {
    const { projects: projectId } = await makeEntities(faulty);
    await makeChildren('tasks', { projectId });
    const total = await totalOf(`/v1/projects/${projectId}/tasks`);
    expect(total).toBeGreaterThan(110);
    const clone = await sendTo<Entity>(-4, 'POST', `/v1/projects/${projectId}/clone`, { include: ['tasks'] });
    expect(clone.status).toBe(201);
    await until(async () => (await totalOf(`/v1/projects/${clone.body.id}/tasks`)) === total);
  });

  test('archive changes every project, and a deletion removes all descendants at once', async () => {
    const { organizations: organizationId } = await makeEntities(faulty);
    await makeChildren('projects', { organizationId });
    const path = `/v1/organizations/${organizationId}`;
    const projects = `${path}/projects`;
    const archivedOf = async (): Promise<number> =>
      (await faulty.send<List>('GET', `${projects}?status=archived`)).body.total;
    const total = await totalOf(projects);
    expect((await sendTo(-4, 'POST', `${path}/archive`)).status).toBe(200);
    await until(async () => (await archivedOf()) === total);
    expect((await sendTo(4, 'DELETE', path)).status).toBe(204);
    await until(async () => (await totalOf(projects)) === 0);
  });

  test('the audit finds nothing', async () => {
    const report = await auditTable(faulty.client, faulty.service.tableName, { pauseMs: 50 });
    expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], subjects: [], logs: [] });
  });
});
