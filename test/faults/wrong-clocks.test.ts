import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { forEach } from '#functions/runtime/for-each.ts';
import { continueReminder } from '#functions/store/cascades/compact-log.ts';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { connect } from '#functions/store/dynamodb/client.ts';
import { CorrectedClock } from '#functions/store/dynamodb/clock.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { processMemory } from '#functions/store/lists/engine/process-memory.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { maxClockErrorMs } from '#functions/store/model/log-timing.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { startTestStore, type TestStore } from '../support/local-store.ts';
import { seeded } from './engine-proxy.ts';
import { printedSeed } from './seed.ts';

/**
 * Processes with clocks of their own, which are wrong and change while they run, on one engine, whose clock is right. Each has a client of its
 * own, as a process does, and corrects its clock by the responses.
 */

const second = 1_000;
const minute = 60 * second;
const day = 24 * 60 * minute;

const errors = [0, -3 * second, 20 * second, -5 * minute, 60 * minute, -60 * minute, 40 * day, -40 * day];

/** Milliseconds for which a test runs. Clocks change several times in it. */
const runMs = 6_000;

/** A process whose wall clock is wrong, jumps, and whose monotonic clock stands still while it is suspended. */
class WrongProcess {
  readonly #tableName: string;
  readonly #client;
  #errorMs = 0;
  #suspendedMs = 0;

  constructor(tableName: string) {
    this.#tableName = tableName;
    const clock = new CorrectedClock({
      wall: () => Date.now() + this.#errorMs,
      monotonic: () => performance.now() - this.#suspendedMs,
    });
    this.#client = connect({}, clock);
  }

  session(tenant: string): Session {
    const database = new Database(this.#client, this.#tableName, new Deadline(300_000));
    return { tenant, database };
  }

  jumpTo(errorMs: number): void {
    this.#errorMs = errorMs;
  }

  suspend(milliseconds: number): void {
    this.#suspendedMs += milliseconds;
  }

  stop(): void {
    this.#client.destroy();
  }
}

let store: TestStore;
let random: () => number;
let processes: WrongProcess[];

const pick = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

beforeAll(async () => {
  random = seeded(printedSeed());
  store = await startTestStore();
});

beforeEach(() => {
  processes = Array.from({ length: 4 }, () => new WrongProcess(store.tableName));
});

afterEach(() => {
  for (const one of processes) one.stop();
});

afterAll(() => store.stop());

const fields = (name: string) => ({ name, status: 'active' });

test.each(errors)(
  'the time of a process whose clock has an error of %i ms is within the bound',
  async (error) => {
    const [one] = processes as [WrongProcess];
    one.jumpTo(error);
    const before = Date.now();
    const time = await one.session('a').database.time();
    expect(time).toBeGreaterThanOrEqual(before - maxClockErrorMs);
    expect(time).toBeLessThanOrEqual(Date.now() + maxClockErrorMs);
  },
);

/** Compacts a log with the margin of the service, however few records it has. */
async function compactBy(one: WrongProcess, tenant: string): Promise<void> {
  const { database } = one.session(tenant);
  const nowMs = await database.time();
  const times = { dueAt: nowMs, keptUntil: nowMs - 3 * 60 * minute, compared: { upTo: nowMs, at: nowMs } };
  await continueReminder(database, { tenant, kind: 'tag', late: [], ...times });
}

test('a step by a process whose clock is an hour ahead hides nothing', async () => {
  const tenant = randomUUID();
  const [wrong, right] = processes as [WrongProcess, WrongProcess];
  wrong.jumpTo(60 * minute);
  await createEntity(right.session(tenant), 'tag', fields('before'));
  await compactBy(wrong, tenant);
  await createEntity(right.session(tenant), 'tag', fields('after'));
  await compactBy(right, tenant);
  processMemory.clear();
  expect((await listEntities(right.session(tenant), 'tag', listQuery())).total).toBe(2);
});

test('every acknowledged write is in the next list, whatever the clocks of the processes do', async () => {
  const tenant = randomUUID();
  const endMs = performance.now() + runMs;
  const isRunning = (): boolean => performance.now() < endMs;
  /** The version of each entity that was acknowledged; none for a deleted one. */
  const acknowledged = new Map<string, string>();
  let writes = 0;
  let unavailable = 0;

  const write = async (one: WrongProcess): Promise<void> => {
    const session = one.session(tenant);
    writes += 1;
    const name = `name ${writes}`;
    const known = [...acknowledged.keys()];
    const kind = random();
    if (known.length < 5 || kind < 0.5) {
      const { entity } = await createEntity(session, 'tag', fields(name));
      acknowledged.set(entity.id, name);
      return;
    }
    const id = pick(known);
    acknowledged.delete(id);
    if (kind < 0.7) return void (await deleteEntity(session, 'tag', id));
    const { entity } = await updateEntity(session, { kind: 'tag', id }, { name });
    acknowledged.set(entity.id, name);
  };

  /** Repeats an action while the test runs. A request that does not know the time is a 503. */
  const repeat = async (action: () => Promise<void>): Promise<void> => {
    while (isRunning()) {
      try {
        await action();
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        unavailable += 1;
      }
      await delay(random() * 30);
    }
  };

  const check = async (): Promise<void> => {
    const expected = new Map(acknowledged);
    const { entities } = await listEntities(
      pick(processes).session(tenant),
      'tag',
      listQuery({ limit: 1_000 }),
    );
    const found = new Map(entities.map(({ id, name }) => [id, name]));
    // What changed meanwhile is as it is now.
    for (const [id, name] of expected) if (acknowledged.get(id) === name) expect(found.get(id)).toBe(name);
  };

  await Promise.all([
    ...processes.map((one) => repeat(() => write(one))),
    repeat(() => compactBy(pick(processes), tenant)),
    repeat(check),
    repeat(async () => {
      const one = pick(processes);
      if (random() < 0.7) one.jumpTo(pick(errors));
      else one.suspend(pick([second, minute, 15 * minute]));
      await delay(200);
    }),
  ]);
  await forEach(processes, 1, async (one) => {
    processMemory.clear();
    const query = listQuery({ limit: 1_000 });
    const { entities, total } = await listEntities(one.session(tenant), 'tag', query);
    expect(total).toBe(acknowledged.size);
    expect(new Map(entities.map(({ id, name }) => [id, name]))).toEqual(acknowledged);
    for (const [id, name] of [...acknowledged].slice(0, 3)) {
      const filters = [isValue('name', name)];
      expect((await listEntities(one.session(tenant), 'tag', listQuery({ filters }))).entities).toMatchObject(
        [{ id }],
      );
    }
  });
  expect([writes > 50, unavailable]).toEqual([true, 0]);
});

test('the audit finds nothing', async () => {
  const report = await auditTable(store.client, store.tableName, { pauseMs: 50 });
  expect(report).toMatchObject({ orphans: [], malformed: [], texts: [], logs: [] });
});
