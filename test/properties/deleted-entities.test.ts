import { randomUUID } from 'node:crypto';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { handler as onSchedule } from '#functions/jobs/on-schedule.ts';
import { routes } from '#functions/routes.ts';
import { eraseDeleted } from '#functions/store/cascades/erase-deleted.ts';
import { connect, shareClient } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { jobsOfTenant } from '#functions/store/model/job.ts';
import { table } from '#functions/store/model/table.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean } from '#lib/audit/report.ts';
import { scanPages } from '#lib/hosting/scan-pages.ts';
import { type EngineProxy, type Injector, startEngineProxy } from '../faults/engine-proxy.ts';
import type { TestResponse } from '../faults/faulty-service.ts';
import { smallSizes } from '../support/compaction.ts';
import { functionContext, invoke, scheduledEvent, useEmptyTable } from '../support/invoke.ts';
import { runs } from '../support/runs.ts';
import { wallClock } from '../support/wall-clock.ts';
import { DeletionModel, type Kind, type Known, parentFields } from './deletion-model.ts';
import { FeedFollower } from './feed-followers.ts';

/**
 * Random deletions, restores and creations with own ids, with cascades that need jobs, requests at the same time, and jobs and compactions that stop
 * at any call, against a model. The test moves the clock of the service on: also beyond the time for which deleted entities are kept.
 */

const { store } = useEmptyTable({ engine: true });

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const kinds = ['organization', 'project', 'task'] as const;
const dayMs = 86_400_000;

/** Tasks of one batch, and batches of a crowd: more than one transaction deletes or restores. */
const batchSize = 25;
const batches = 5;

let proxy: EngineProxy;
let aheadMs = 0;
let logged: jest.SpyInstance;

beforeAll(async () => {
  process.stdout.write(`seed ${seed}\n`);
  const realTime = Date.now.bind(Date);
  jest.spyOn(Date, 'now').mockImplementation(() => realTime() + aheadMs);
  // The expected error lines of stopped jobs would fill the output.
  logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
  proxy = await startEngineProxy(store().endpoint);
  shareClient(connect({ endpoint: proxy.endpoint }, wallClock));
});

afterAll(async () => {
  logged.mockRestore();
  jest.restoreAllMocks();
  await proxy.stop();
});

/** Deletes items of the table, as DynamoDB does when they have expired. */
async function deleteItems(isDeleted: (item: Readonly<Record<string, unknown>>) => boolean): Promise<void> {
  const { client, tableName: TableName } = store();
  for await (const { items } of scanPages(client, { TableName, ConsistentRead: true }))
    for (const item of items.filter(isDeleted))
      await client.send(new DeleteCommand({ TableName, Key: { pk: item.pk, sk: item.sk } }));
}

/** Returns an injector of a process that stops: the engine executes so many calls, and none after them. */
function stopAfter(calls: number): Injector {
  let left = calls;
  return async (_, pass) => {
    left -= 1;
    if (left >= 0) return pass();
    return { status: 400, body: JSON.stringify({ __type: 'x#ProcessStopped', message: 'stopped here' }) };
  };
}

interface Shown {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

interface Page {
  readonly data: readonly Shown[];
  readonly total: number;
  readonly cursor?: string | null;
  readonly next?: string | null;
}

type Request = Omit<NonNullable<Parameters<typeof invoke>[1]>, 'tenant'>;

interface Response {
  readonly status: number;
  readonly body: unknown;
}

const contracts = new Map(routes.map(({ contract }) => [contract.operation, contract]));
const nameOf: Readonly<Record<Kind, string>> = {
  organization: 'Organization',
  project: 'Project',
  task: 'Task',
};

const position = fc.nat(1_000);
const kind = fc.constantFrom(...kinds);
const calls = fc.option(fc.nat(30), { nil: undefined });

const steps = {
  create: fc.record({ kind, of: position, daysAgo: fc.option(fc.nat(29), { nil: undefined }) }),
  crowd: fc.record({ of: position, daysAgo: fc.nat(20) }),
  rename: fc.record({ kind, of: position }),
  move: fc.record({ of: position, to: position }),
  remove: fc.record({ kind, of: position }),
  restore: fc.record({ kind, of: position }),
  createAgain: fc.record({ kind, of: position, isDeleted: fc.boolean() }),
  erase: fc.record({ kind, of: position }),
  restoreTwice: fc.record({ kind, of: position }),
  restoreAndCreate: fc.record({ kind, of: position }),
  restoreAndRemoveParent: fc.record({ of: position }),
  removeAndRestore: fc.record({ kind, of: position }),
  restoreAmongJobs: fc.record({ kind, of: position }),
  removeAmongJobs: fc.record({ kind, of: position }),
  createTwice: fc.record({ kind, of: position }),
  jobs: fc.record({ calls }),
  compact: fc.record({ kind, calls }),
  pass: fc.record({ ms: fc.constantFrom(1_000, 30_000, 63_000) }),
  look: fc.record({}),
  audit: fc.record({}),
  settle: fc.record({}),
  expire: fc.record({}),
} as const;

type Type = keyof typeof steps;
type Parameters_<Of extends Type> = (typeof steps)[Of] extends fc.Arbitrary<infer Value> ? Value : never;
type Step = { readonly [Of in Type]: { readonly type: Of } & Parameters_<Of> }[Type];

const weights: Partial<Record<Type, number>> = {
  create: 14,
  crowd: 2,
  remove: 10,
  restore: 10,
  jobs: 6,
  compact: 5,
  pass: 4,
  restoreAmongJobs: 3,
  removeAmongJobs: 3,
};

const step = fc.oneof(
  ...(Object.entries(steps) as [Type, fc.Arbitrary<object>][]).map(([type, parameters]) => ({
    weight: weights[type] ?? 2,
    arbitrary: parameters.map((values) => ({ type, ...values }) as Step),
  })),
);

/** One tenant, and the model of its entities. */
class World {
  readonly #tenant = randomUUID();
  readonly #model = new DeletionModel();
  readonly #gone: Known[] = [];
  readonly #memories = new ProcessMemory();
  readonly #feeds = kinds.map((one) => new FeedFollower((path) => this.#get(path), `/v1/${one}s`, {}));
  #names = 0;

  async #send(operation: string, request: Request = {}): Promise<Response> {
    const contract = contracts.get(operation);
    if (!contract) throw new Error(`There is no operation ${operation}.`);
    const { statusCode, body } = await invoke(contract, { ...request, tenant: this.#tenant });
    if (statusCode >= 500) throw new Error(`${operation} responded ${statusCode}.`);
    return { status: statusCode, body };
  }

  /** Sends a request of a feed. */
  async #get(path: string): Promise<TestResponse> {
    const { pathname, search } = new URL(path, 'http://localhost');
    const found = routes.find(({ contract }) => contract.method === 'GET' && contract.path === pathname);
    const query = search.slice(1);
    const { status, body } = await this.#send(found?.contract.operation ?? pathname, { query });
    return { status, body, headers: new Headers() };
  }

  #read(one: Pick<Known, 'kind' | 'id'>): Promise<Response> {
    return this.#send(`read${nameOf[one.kind]}`, { id: one.id });
  }

  #database(timeMs = 300_000): Database {
    return new Database(
      connect({ endpoint: proxy.endpoint }, wallClock),
      store().tableName,
      new Deadline(timeMs),
    );
  }

  #pick(of: number, kind: Kind, isDeleted: boolean): Known | undefined {
    const found = this.#model.all(kind, isDeleted);
    return found[of % Math.max(1, found.length)];
  }

  #newName(): string {
    this.#names += 1;
    return `n${this.#names}`;
  }

  /** Returns the body of a new entity; `undefined` when there is no parent for it. */
  #newBody(kind: Kind, of: number): { name: string; parent: string | null; body: object } | undefined {
    const name = this.#newName();
    const parents =
      kind === 'organization' ? [] : this.#model.all(kind === 'project' ? 'organization' : 'project', false);
    const parent = parents[of % Math.max(1, parents.length)]?.id ?? null;
    const field = parentFields[kind];
    if (kind === 'project' && parent === null) return undefined;
    return { name, parent, body: { name, ...(field && { [field]: parent }) } };
  }

  #ownId(daysAgo = 0): string {
    return uuidv7({ msecs: Date.now() - daysAgo * dayMs });
  }

  #put(kind: Kind, id: string, body: object): Promise<Response> {
    return this.#send(`replace${nameOf[kind]}`, { id, body, headers: { 'if-none-match': '*' } });
  }

  /** Notes a creation. A parent that a job has not reached can be gone already. */
  #created(
    kind: Kind,
    { name, parent }: { name: string; parent: string | null },
    { status, body }: Response,
  ): void {
    if (status === 400 && this.#model.isUnsettled) return;
    expect([status, body]).toEqual([201, expect.objectContaining({ name })]);
    this.#model.add({ id: (body as Shown).id, kind, name, parent });
  }

  async create({ kind, of, daysAgo }: Parameters_<'create'>): Promise<void> {
    const made = this.#newBody(kind, of);
    if (!made) return;
    const response =
      daysAgo === undefined
        ? await this.#send(`create${nameOf[kind]}`, { body: made.body })
        : await this.#put(kind, this.#ownId(daysAgo), made.body);
    this.#created(kind, made, response);
  }

  async crowd({ of, daysAgo }: Parameters_<'crowd'>): Promise<void> {
    for (let batch = 0; batch < batches; batch += 1) {
      const made = this.#newBody('task', of);
      if (!made?.parent) return;
      const operations = Array.from({ length: batchSize }, (_, place) => ({
        operation: 'create',
        body: { ...made.body, ...(place % 5 === 0 && { description: 'x'.repeat(500) }) },
        ...(place % 2 === 0 && { id: this.#ownId(daysAgo) }),
      }));
      const { status, body } = await this.#send('batchTasks', { body: { operations } });
      if (status === 400 && this.#model.isUnsettled) return;
      expect(status).toBe(200);
      for (const result of (body as { results: { body: Shown }[] }).results)
        this.#model.add({ id: result.body.id, kind: 'task', name: made.name, parent: made.parent });
    }
  }

  async rename({ kind, of }: Parameters_<'rename'>): Promise<void> {
    const one = this.#pick(of, kind, false);
    if (!one) return;
    const name = this.#newName();
    const { status } = await this.#send(`update${nameOf[kind]}`, { id: one.id, body: { name } });
    if (!this.#model.isUnsettled) expect(status).toBe(200);
    if (status === 200) one.name = name;
  }

  async move({ of, to }: Parameters_<'move'>): Promise<void> {
    const [task, project] = [this.#pick(of, 'task', false), this.#pick(to, 'project', false)];
    if (!task || !project) return;
    const { status } = await this.#send('updateTask', { id: task.id, body: { projectId: project.id } });
    if (!this.#model.isUnsettled) expect(status).toBe(200);
    if (status !== 200) return;
    task.parent = project.id;
    task.deletion = project.deletion;
  }

  #removed(one: Known, { status }: Response): void {
    if (!this.#model.isUnsettled) expect(status).toBe(one.deletion ? 404 : 204);
    if (status === 204) this.#model.remove(one.id);
  }

  async remove({ kind, of }: Parameters_<'remove'>): Promise<void> {
    // Of what is deleted, a job may not have reached all.
    const one = this.#pick(of, kind, this.#model.isUnsettled && of % 4 === 0);
    if (one) this.#removed(one, await this.#send(`delete${nameOf[kind]}`, { id: one.id }));
  }

  #sendRestore({ kind, id }: Known): Promise<Response> {
    return this.#send(`restore${nameOf[kind]}`, { id });
  }

  #restored(one: Known, { status, body }: Response): void {
    const parent = one.parent === null ? undefined : this.#model.get(one.parent);
    const isOrphan = one.kind === 'project' && (!parent || parent.deletion);
    if (!this.#model.isUnsettled) expect(status).toBe(isOrphan ? 409 : 200);
    if (status !== 200) return;
    const field = parentFields[one.kind];
    const reference = field ? ((body as Shown)[field] as string | null) : null;
    const expected = parent && !parent.deletion ? parent.id : null;
    if (!this.#model.isUnsettled) expect(reference).toBe(expected);
    this.#model.restore(one.id, reference);
  }

  async restore({ kind, of }: Parameters_<'restore'>): Promise<void> {
    const one = this.#pick(of, kind, true);
    // What a job has not reached yet is there: its restore changes nothing.
    if (one && (await this.#read(one)).status === 404) this.#restored(one, await this.#sendRestore(one));
  }

  async createAgain({ kind, of, isDeleted }: Parameters_<'createAgain'>): Promise<void> {
    const one = this.#pick(of, kind, isDeleted);
    const made = this.#newBody(kind, of);
    if (!one || !made) return;
    expect((await this.#put(kind, one.id, made.body)).status).toBe(412);
  }

  async erase({ kind, of }: Parameters_<'erase'>): Promise<void> {
    const one = this.#pick(of, kind, true);
    if (!one || this.#model.isUnsettled) return;
    await eraseDeleted({ tenant: `@${this.#tenant}`, database: this.#database() }, kind, one.id);
    this.#forget(one.id);
  }

  #forget(id?: string): void {
    const before = kinds.flatMap((one) => this.#model.all(one, true));
    const gone = new Set(this.#model.forget(id));
    this.#gone.push(...before.filter((one) => gone.has(one.id)));
  }

  async restoreTwice({ kind, of }: Parameters_<'restoreTwice'>): Promise<void> {
    const one = this.#pick(of, kind, true);
    if (!one || (await this.#read(one)).status !== 404) return;
    const [first, second] = await Promise.all([this.#sendRestore(one), this.#sendRestore(one)]);
    expect(first.status).toBe(second.status);
    this.#restored(one, first);
  }

  async restoreAndCreate({ kind, of }: Parameters_<'restoreAndCreate'>): Promise<void> {
    const one = this.#pick(of, kind, true);
    const made = this.#newBody(kind, of);
    if (!one || !made || (await this.#read(one)).status !== 404) return;
    const [restored, created] = await Promise.all([
      this.#sendRestore(one),
      this.#put(kind, one.id, made.body),
    ]);
    expect(created.status).toBe(412);
    this.#restored(one, restored);
  }

  async restoreAndRemoveParent({ of }: Parameters_<'restoreAndRemoveParent'>): Promise<void> {
    const own = this.#model.all('task', true).filter(({ parent }) => parent !== null);
    const task = own[of % Math.max(1, own.length)];
    const project = task?.parent ? this.#model.get(task.parent) : undefined;
    if (!task || !project || project.deletion || this.#model.isUnsettled) return;
    const [restored, removed] = await Promise.all([
      this.#sendRestore(task),
      this.#send('deleteProject', { id: project.id }),
    ]);
    expect([restored.status, removed.status]).toEqual([200, 204]);
    this.#model.restore(task.id, (restored.body as Shown)['projectId'] as string | null);
    this.#model.remove(project.id);
  }

  /** Either comes first: the restore of what exists changes nothing. */
  async removeAndRestore({ kind, of }: Parameters_<'removeAndRestore'>): Promise<void> {
    const one = this.#pick(of, kind, false);
    if (!one || this.#model.isUnsettled) return;
    const [removed, restored] = await Promise.all([
      this.#send(`delete${nameOf[kind]}`, { id: one.id }),
      this.#sendRestore(one),
    ]);
    expect([removed.status, restored.status]).toEqual([204, 200]);
    const parent = one.parent;
    this.#model.remove(one.id);
    if ((await this.#read(one)).status === 200) this.#model.restore(one.id, parent);
  }

  async restoreAmongJobs({ kind, of }: Parameters_<'restoreAmongJobs'>): Promise<void> {
    const one = this.#pick(of, kind, true);
    if (one?.deletion?.root !== one?.id || !one) return;
    const [restored] = await Promise.all([this.#sendRestore(one), this.#runJobs()]);
    this.#restored(one, restored);
  }

  async removeAmongJobs({ kind, of }: Parameters_<'removeAmongJobs'>): Promise<void> {
    const one = this.#pick(of, kind, false);
    if (!one) return;
    const [removed] = await Promise.all([
      this.#send(`delete${nameOf[kind]}`, { id: one.id }),
      this.#runJobs(),
    ]);
    this.#removed(one, removed);
  }

  /** An own id, the same one again, and a new one. */
  async createTwice({ kind, of }: Parameters_<'createTwice'>): Promise<void> {
    const made = this.#newBody(kind, of);
    if (!made || this.#model.isUnsettled) return;
    const id = this.#ownId();
    const [own, again, posted] = await Promise.all([
      this.#put(kind, id, made.body),
      this.#put(kind, id, made.body),
      this.#send(`create${nameOf[kind]}`, { body: made.body }),
    ]);
    expect([own.status, again.status].sort()).toEqual([201, 412]);
    this.#created(kind, made, own.status === 201 ? own : again);
    this.#created(kind, made, posted);
  }

  async #runJobs(): Promise<void> {
    await onSchedule(scheduledEvent(), functionContext(randomUUID(), 60_000));
  }

  async #stopping(calls: number | undefined, action: () => Promise<unknown>): Promise<void> {
    if (calls === undefined) {
      await action();
      return;
    }
    proxy.inject(stopAfter(calls));
    await action().catch(() => undefined);
    proxy.inject(undefined);
  }

  jobs(parameters: Parameters_<'jobs'>): Promise<void> {
    return this.#stopping(parameters.calls, () => this.#runJobs());
  }

  compact({ kind, calls }: Parameters_<'compact'>): Promise<void> {
    return this.#stopping(calls, () =>
      compact({
        writer: openLog(this.#database(), `@${this.#tenant}`, kind),
        memory: this.#memories.of(this.#tenant, kind),
        nowMs: Date.now(),
        marginMs: 6_000,
        isForced: true,
        sizes: smallSizes,
      }),
    );
  }

  async pass({ ms }: Parameters_<'pass'>): Promise<void> {
    aheadMs += ms;
  }

  async #list(operation: string, query: object, id?: string): Promise<Shown[]> {
    const found: Shown[] = [];
    for (let after: string | null | undefined = ''; typeof after === 'string'; ) {
      const { body } = await this.#send(operation, { id, query: { ...query, limit: 100, after } });
      const page = body as Page;
      found.push(...page.data);
      after = page.cursor ?? page.next;
      if (page.cursor === undefined && page.next === null) expect(page.total).toBe(found.length);
    }
    return found;
  }

  /** At any moment, lists have what reads have. */
  async look(): Promise<void> {
    for (const kind of kinds) {
      const listed = await this.#list(`list${nameOf[kind]}s`, { sortBy: 'name' });
      const ids = new Set(listed.map(({ id }) => id));
      expect(ids.size).toBe(listed.length);
      const known = [false, true].flatMap((isDeleted) => this.#model.all(kind, isDeleted));
      for (const one of [...known.slice(0, 20), ...this.#gone.filter((gone) => gone.kind === kind).slice(-5)])
        expect([one, (await this.#read(one)).status]).toEqual([one, ids.has(one.id) ? 200 : 404]);
    }
  }

  async audit(): Promise<void> {
    const { endpoint, tableName } = store();
    const report = await auditTable(connect({ endpoint }, wallClock), tableName, { pauseMs: 20 });
    expect(isClean(report) || report).toBe(true);
  }

  /** Ends all jobs, and compares everything with the model. */
  async settle(): Promise<void> {
    for (let round = 0; ; round += 1) {
      const { items } = await this.#database().query(jobsOfTenant(`@${this.#tenant}`));
      if (items.length === 0) break;
      expect(round).toBeLessThan(20);
      aheadMs += 63_000;
      await this.#runJobs();
    }
    this.#model.isUnsettled = false;
    for (const kind of kinds) await this.#compareKind(kind);
    for (const feed of this.#feeds) await feed.check();
  }

  async #compareKind(kind: Kind): Promise<void> {
    const existing = this.#model.all(kind, false);
    const deleted = this.#model.all(kind, true);
    const field = parentFields[kind];
    const shown = ({ id, name, ...rest }: Shown): unknown[] => [id, name, field ? rest[field] : null];
    const expected = existing.map(({ id, name, parent }) => [id, name, parent]).sort();
    expect((await this.#list(`list${nameOf[kind]}s`, { sortBy: 'name' })).map(shown).sort()).toEqual(
      expected,
    );
    expect((await this.#list(`list${nameOf[kind]}s`, {})).map(shown).sort()).toEqual(expected);
    const listed = await this.#list(`listDeleted${nameOf[kind]}s`, {});
    expect(listed.map(({ id }) => id).sort()).toEqual(deleted.map(({ id }) => id).sort());
    for (const one of deleted.slice(0, 10)) expect((await this.#read(one)).status).toBe(404);
    for (const one of existing.slice(0, 10)) await this.#replay(one);
    for (const one of this.#gone.filter((gone) => gone.kind === kind).slice(-5)) {
      expect((await this.#read(one)).status).toBe(404);
      expect((await this.#sendRestore(one)).status).toBe(404);
      const made = this.#newBody(kind, 0);
      if (made) expect((await this.#put(kind, one.id, made.body)).status).not.toBe(201);
    }
  }

  /** Replays the history of an entity backwards, from the entity as it is. */
  async #replay(one: Known): Promise<void> {
    const { status, body } = await this.#read(one);
    expect([one, status]).toEqual([one, 200]);
    const { body: history } = await this.#send(`list${nameOf[one.kind]}History`, {
      id: one.id,
      query: { limit: 100 },
    });
    const { data, isComplete } = history as {
      data: {
        version: number;
        operation: string;
        changes: Record<string, { from?: unknown; to: unknown }>;
      }[];
      isComplete: boolean;
    };
    const state = new Map<string, unknown>(Object.entries(body as Shown));
    // A history has the first 100 characters.
    state.set('description', String(state.get('description') ?? '').slice(0, 100));
    for (const [place, { version, operation, changes }] of data.entries()) {
      expect(version).toBe((data[0]?.version ?? 0) - place);
      if (operation === 'restore' && data[place + 1]) expect(data[place + 1]?.operation).toBe('delete');
      for (const [name, { from, to }] of Object.entries(changes)) {
        expect([one, name, state.get(name)]).toEqual([one, name, to]);
        state.set(name, from);
      }
    }
    if (isComplete) expect(data.at(-1)).toMatchObject({ version: 1, operation: 'create' });
  }

  /** The time of what is deleted ends, and DynamoDB deletes its items, and those of the log. */
  async expire(): Promise<void> {
    await this.settle();
    // Quiet logs are compacted once in twelve hours.
    for (let round = 0; round < 3; round += 1) {
      aheadMs += dayMs / 2;
      await this.#runJobs();
    }
    aheadMs += 31 * dayMs;
    this.#forget();
    await this.settle();
    await deleteItems(({ [table.timeToLive]: expiresAt }) => Number(expiresAt) * 1_000 < Date.now());
    await this.#runJobs();
    await this.settle();
  }

  async run(all: readonly Step[]): Promise<void> {
    for (const own of [
      { kind: 'organization', of: 0, daysAgo: 5 },
      { kind: 'organization', of: 0, daysAgo: undefined },
      { kind: 'project', of: 0, daysAgo: undefined },
      { kind: 'project', of: 0, daysAgo: 9 },
      { kind: 'project', of: 1, daysAgo: undefined },
      { kind: 'task', of: 0, daysAgo: undefined },
      { kind: 'task', of: 2, daysAgo: 1 },
    ] as const)
      await this.create(own);
    await this.crowd({ of: 1, daysAgo: 3 });
    for (const { type, ...parameters } of all) {
      await (this[type] as (values: object) => Promise<void>).call(this, parameters);
    }
    await this.audit();
    await this.expire();
    await this.audit();
    await deleteItems(() => true);
  }
}

test('lists, counts, feeds, histories and reads agree with a model of deletions and restores', async () => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), (all) =>
    new World().run(all),
  );
  await fc.assert(property, {
    seed,
    numRuns: Number(process.env['SEQUENCES'] ?? runs(3, 12)),
    endOnFailure: true,
  });
});
