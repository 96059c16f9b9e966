import fc from 'fast-check';
import {
  type Client,
  ConnectionError,
  createClient,
  newId,
  Replica,
  type ReplicaChange,
  type ReplicaPage,
  type Task,
  type TaskTypes,
  type Versioned,
} from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { runs } from '../support/runs.ts';

type KnownTask = Versioned<Task>;

let service: Service;
/** Somebody else, who uses the same service. */
let other: Client;

beforeAll(async () => {
  service = await startTestService();
  other = createClient({ url: service.url });
});

afterAll(() => service.stop());

interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly body: unknown;
}

/** What happens to a request: it is sent when the function is called. */
type Fault = (send: () => Promise<Response>) => Promise<Response>;

const loseResponse: Fault = async (send) => {
  await send();
  throw new TypeError('The connection was lost.');
};

const loseRequest: Fault = async () => {
  throw new TypeError('The connection was lost.');
};

/** Returns a replica of the tasks with a position, whose client makes one attempt, and the requests that it sends. */
function replicaOf(position: string) {
  const sent: Sent[] = [];
  const faults: (Fault | undefined)[] = [];
  const client = createClient({
    url: service.url,
    tries: 1,
    fetch: async (input, init) => {
      const { method = 'GET', body } = init ?? {};
      sent.push({ method, url: new URL(String(input)), body: body ? JSON.parse(String(body)) : undefined });
      const fault = faults.shift();
      return fault ? fault(() => fetch(input, init)) : fetch(input, init);
    },
  });
  return { replica: new Replica(client.tasks, { position }), sent, faults };
}

/** Each test has a list of its own. */
const newPosition = (): string => `p${newId()}`;

const created = async (position: string, name = 'first'): Promise<KnownTask> =>
  other.tasks.create({ name, position });

const renamed = (task: KnownTask, name: string): ReplicaChange<TaskTypes> => ({
  before: task,
  after: { ...task, name },
});

describe('write', () => {
  test('creates, updates and deletes, and sends only fields that differ', async () => {
    const position = newPosition();
    const { replica, sent } = replicaOf(position);
    const [id, short] = [newId(), newId()];
    const task = await created(position);
    const conflicts = await replica.write([
      { after: { id, name: 'made here', position } },
      renamed(task, 'renamed here'),
      // Created and deleted before it was sent.
      {},
      { after: { id: short, name: 'short', position } },
      { before: { id: short } },
    ]);
    expect(conflicts).toEqual([]);
    expect(sent.map(({ method, body }) => [method, body])).toEqual([
      ['PUT', { name: 'made here', position }],
      ['PATCH', { name: 'renamed here' }],
      ['PUT', { name: 'short', position }],
      ['DELETE', undefined],
    ]);
    const { data } = await other.tasks.list({ position, sortBy: 'name', sortOrder: 'asc' });
    expect(data.map(({ name }) => name)).toEqual(['made here', 'renamed here']);
  });

  test('continues from its own writes, although the copy has not read their versions', async () => {
    const position = newPosition();
    const { replica } = replicaOf(position);
    const task = await created(position);
    const id = newId();
    for (const name of ['second', 'third']) expect(await replica.write([renamed(task, name)])).toEqual([]);
    expect(await replica.write([{ after: { id, name: 'made', position } }])).toEqual([]);
    expect(await replica.write([{ before: { id }, after: { id, name: 'renamed' } }])).toEqual([]);
    const { data } = await other.tasks.list({ position, sortBy: 'name', sortOrder: 'asc' });
    expect(data.map(({ name }) => name)).toEqual(['renamed', 'third']);
    // The service makes no version when it has these values already.
    const [third] = data.filter(({ name }) => name === 'third') as [KnownTask];
    for (const _ of [1, 2])
      expect(await replica.write([{ before: { ...third, name: 'wrong' }, after: third }])).toEqual([]);
    // A version of somebody else is none of its own.
    await other.tasks.update(task.id, { priority: 'high' });
    expect(await replica.write([renamed(task, 'fourth')])).toMatchObject([
      { id: task.id, current: { name: 'third', priority: 'high' } },
    ]);
  });

  test('returns the changes for which somebody else was faster, and applies the others', async () => {
    const position = newPosition();
    const { replica } = replicaOf(position);
    const names = ['changed', 'moved', 'deleted', 'removed', 'gone', 'free'];
    const tasks = await Promise.all(names.map((name) => created(position, name)));
    const [changed, moved, deleted, removed, gone, free] = tasks as [
      KnownTask,
      KnownTask,
      KnownTask,
      KnownTask,
      KnownTask,
      KnownTask,
    ];
    await other.tasks.update(changed, { priority: 'high' });
    await other.tasks.update(moved, { position: null });
    await other.tasks.delete(deleted);
    await other.tasks.update(removed, { priority: 'low' });
    await other.tasks.delete(gone);
    const conflicts = await replica.write([
      renamed(changed, 'late'),
      renamed(moved, 'late'),
      renamed(deleted, 'late'),
      { before: removed },
      // It is gone already.
      { before: gone },
      renamed(free, 'in time'),
    ]);
    expect(conflicts).toMatchObject([
      { id: changed.id, after: { name: 'late' }, current: { name: 'changed', priority: 'high' } },
      { id: moved.id, current: undefined },
      { id: deleted.id, current: undefined },
      { id: removed.id, before: { name: 'removed' }, current: { priority: 'low' } },
    ]);
    const { data } = await other.tasks.list({ position, sortBy: 'name', sortOrder: 'asc' });
    expect(data.map(({ name }) => name)).toEqual(['changed', 'in time', 'removed']);
  });

  test('is done already when it is sent again after a lost response', async () => {
    const position = newPosition();
    const { replica, faults } = replicaOf(position);
    const [task, doomed] = [await created(position), await created(position, 'doomed')];
    const id = newId();
    const changes: ReplicaChange<TaskTypes>[] = [
      { after: { id, name: 'made', position } },
      renamed(task, 'renamed'),
      { before: doomed },
    ];
    const answers: unknown[] = [];
    for (const change of changes) {
      faults.push(loseResponse);
      await expect(replica.write([change])).rejects.toThrow(ConnectionError);
      answers.push(...(await replica.write([change])));
    }
    // The copy can have dropped the pages with these changes, because it was sending them. It has deleted the third task anyway.
    expect(answers).toMatchObject([
      { id, isDone: true, current: { name: 'made' } },
      { id: task.id, isDone: true, current: { name: 'renamed' } },
    ]);
    // The second attempt of the creation has found the version.
    expect(await replica.write([{ before: { id }, after: { id, name: 'made again' } }])).toEqual([]);
    const { data } = await other.tasks.list({ position, sortBy: 'name', sortOrder: 'asc' });
    expect(data.map(({ name }) => name)).toEqual(['made again', 'renamed']);
  });

  test('is a conflict when it was created by a lost call and has other values now', async () => {
    const position = newPosition();
    const { replica, faults } = replicaOf(position);
    const id = newId();
    faults.push(loseResponse);
    await expect(replica.write([{ after: { id, name: 'made', position } }])).rejects.toThrow(ConnectionError);
    expect(await replica.write([{ after: { id, name: 'changed', position } }])).toMatchObject([
      { id, isDone: false, current: { name: 'made' } },
    ]);
    await other.tasks.delete(id);
    expect(await replica.write([{ after: { id, name: 'made', position } }])).toMatchObject([
      { id, current: undefined },
    ]);
  });

  test('sends no update of a version that it does not know, and none that changes nothing', async () => {
    const position = newPosition();
    const { replica, sent } = replicaOf(position);
    const task = await created(position);
    const { id } = task;
    const current = await other.tasks.update(task, { priority: 'high' });
    expect(await replica.write([{ before: { id }, after: { id, name: 'blind' } }])).toMatchObject([
      { id, current, isDone: false },
    ]);
    expect(await replica.write([{ before: task, after: task }])).toMatchObject([
      { id, current, isDone: true },
    ]);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET']);
  });

  test('throws what is no conflict, and has applied the changes before it', async () => {
    const position = newPosition();
    const { replica } = replicaOf(position);
    const changes = ['good', ''].map((name) => ({ after: { id: newId(), name, position } }));
    await expect(replica.write(changes)).rejects.toMatchObject({ problem: { code: 'invalid-request' } });
    expect((await other.tasks.list({ position })).data.map(({ name }) => name)).toEqual(['good']);
    // Later calls are executed.
    expect((await replica.changes(undefined)).data).toHaveLength(1);
  });
});

describe('changes', () => {
  test('are read after the writes before them, and before the writes after them', async () => {
    const position = newPosition();
    const { replica, sent, faults } = replicaOf(position);
    const task = await created(position);
    const { cursor } = await replica.changes(undefined);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    faults.push(async (send) => {
      const response = await send();
      await held;
      return response;
    });
    const calls = [
      replica.write([renamed(task, 'second')]),
      replica.changes(cursor),
      replica.write([renamed(task, 'third')]),
    ] as const;
    // The service has the first write, whose response is on its way.
    while ((await other.tasks.get(task.id)).name !== 'second');
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    release();
    expect((await calls[1]).data).toMatchObject([{ id: task.id, name: 'second' }]);
    expect(await calls[2]).toEqual([]);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
  });

  test('continue behind empty pages, also for a caller that keeps no cursor of them', async () => {
    const position = newPosition();
    const { replica, sent, faults } = replicaOf(position);
    const since = (await replica.changes(undefined)).cursor;
    await other.tasks.create({ name: 'of another list' });
    const empty = await replica.changes(since);
    expect(empty).toMatchObject({ data: [], removed: [], hasMore: false });
    await replica.changes(since);
    const sinceOf = ({ url }: Sent) => url.searchParams.get('since');
    expect(sinceOf(sent.at(-1) as Sent)).toBe(empty.cursor);
    // After a failure, it begins where the copy is.
    faults.push(loseRequest);
    await expect(replica.changes(since)).rejects.toThrow(ConnectionError);
    await replica.changes(since);
    expect(sinceOf(sent.at(-1) as Sent)).toBe(since);
    // Pages with changes come again when the caller has not stored their cursor.
    const task = await created(position);
    for (const _ of [1, 2]) expect((await replica.changes(since)).data).toEqual([task]);
  });
});

describe('follow', () => {
  test('keeps a copy, begins again when its cursor is too old, and repeats what fails', async () => {
    const position = newPosition();
    const { replica, sent, faults } = replicaOf(position);
    await created(position);
    const copy = new Map<string, string>();
    const errors: unknown[] = [];
    let failsNext = false;
    const firsts: boolean[] = [];
    const apply = async ({ data, removed, isFirst }: ReplicaPage<KnownTask>): Promise<void> => {
      if (failsNext) {
        failsNext = false;
        throw new RangeError('The copy is full.');
      }
      firsts.push(isFirst);
      if (isFirst) copy.clear();
      for (const { id, name } of data) copy.set(id, name);
      for (const id of removed) copy.delete(id);
    };
    const names = async (): Promise<string[]> => {
      await replica.refresh();
      return [...copy.values()].sort();
    };
    // It reads when it is told: the interval does not pass in this test.
    const stop = replica.follow(apply, { interval: 3_600_000, onError: (error) => errors.push(error) });
    expect(await names()).toEqual(['first']);
    const second = await created(position, 'second');
    failsNext = true;
    expect(await names()).toEqual(['first']);
    expect(await names()).toEqual(['first', 'second']);
    faults.push(loseRequest);
    await other.tasks.delete(second);
    expect(await names()).toEqual(['first', 'second']);
    expect(await names()).toEqual(['first']);
    expect(errors).toMatchObject([{ message: 'The copy is full.' }, { name: 'ConnectionError' }]);
    // A copy that begins again has nothing that is deleted.
    copy.set('unknown', 'unknown');
    const before = firsts.length;
    faults.push(async (send) => {
      await send();
      const body = JSON.stringify({ type: '/docs/problems#cursor-expired', title: 'Gone', status: 410 });
      return new Response(body, { status: 410, headers: { 'content-type': 'application/problem+json' } });
    });
    expect(await names()).toEqual(['first']);
    expect(firsts.slice(before)[0]).toBe(true);
    expect(firsts.filter(Boolean)).toHaveLength(2);
    stop();
    const { length } = sent;
    await created(position, 'third');
    expect(await names()).toEqual(['first']);
    expect(sent).toHaveLength(length);
  });

  test('reads at its interval, from a cursor that the copy has, until it is stopped', async () => {
    const position = newPosition();
    const { replica } = replicaOf(position);
    await created(position);
    const { cursor } = await replica.changes(undefined);
    const found = await new Promise<ReplicaPage<KnownTask>>((resolve) => {
      const stop = replica.follow(
        (page) => {
          if (!page.data.some(({ name }) => name === 'second')) return;
          stop();
          resolve(page);
        },
        { since: cursor, interval: 5 },
      );
      void created(position, 'second');
    });
    expect(found.isFirst).toBe(false);
  });
});

/**
 * A copy as the libraries keep it: it shows a change at once, sends it until there is a response, drops what a page has of a task that is being
 * sent, and takes the task of the service after a conflict.
 */
class Copy {
  readonly tasks = new Map<string, KnownTask>();
  readonly #replica: Replica<TaskTypes>;
  readonly #sending = new Map<string, number>();
  #since: string | undefined;

  constructor(replica: Replica<TaskTypes>) {
    this.#replica = replica;
  }

  async change(id: string, after: KnownTask | undefined): Promise<void> {
    const before = this.tasks.get(id);
    this.#set(id, after);
    this.#sending.set(id, (this.#sending.get(id) ?? 0) + 1);
    const [conflict] = await untilSent(() => this.#replica.write([{ before, after }]));
    const left = (this.#sending.get(id) ?? 1) - 1;
    this.#sending.set(id, left);
    // Another change of this task has an answer of its own.
    if (conflict && left === 0) this.#set(id, conflict.current);
  }

  async pull(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const page = await untilSent(() => this.#replica.changes(this.#since));
      for (const task of page.data) if (!this.#sending.get(task.id)) this.tasks.set(task.id, task);
      for (const id of page.removed) if (!this.#sending.get(id)) this.tasks.delete(id);
      ({ cursor: this.#since, hasMore } = page);
    }
  }

  #set(id: string, task: KnownTask | undefined): void {
    if (task) this.tasks.set(id, task);
    else this.tasks.delete(id);
  }
}

async function untilSent<Result>(send: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
    }
  }
}

const task = fc.nat(20);
const fault = fc.constantFrom(undefined, undefined, loseRequest, loseResponse);
const anyStep = fc.oneof(
  fc.record({ kind: fc.constantFrom('rename', 'leave', 'delete', 'take', 'steal'), task, fault }),
  fc.record({ kind: fc.constantFrom('create', 'create', 'add', 'pull', 'wait'), fault }),
);

type Step = typeof anyStep extends fc.Arbitrary<infer Value> ? Value : never;

/** Executes steps of the user of a copy and of somebody else. Returns the copy and what is left to wait for. */
class Scenario {
  readonly position = newPosition();
  readonly #connection = replicaOf(this.position);
  readonly copy = new Copy(this.#connection.replica);
  readonly #pending: Promise<void>[] = [];
  #steps = 0;

  async execute(step: Step): Promise<void> {
    this.#steps += 1;
    if (step.fault) this.#connection.faults.push(step.fault);
    const known = [...this.copy.tasks.values()];
    const chosen = 'task' in step ? known[step.task % Math.max(1, known.length)] : undefined;
    const name = `name ${this.#steps}`;
    const change = chosen && this.#changes(chosen, name)[step.kind];
    if (change) this.#pending.push(change());
    else if (step.kind === 'create') this.#create(name);
    else if (step.kind === 'pull') this.#pending.push(this.copy.pull());
    else if (step.kind === 'wait') await Promise.all(this.#pending);
    else if (step.kind === 'add') await other.tasks.create({ name, position: this.position });
    else if (chosen) await this.#interfere(step.kind, chosen.id);
  }

  /** Waits for all changes, and reads what is left. */
  async end(): Promise<void> {
    await Promise.all(this.#pending);
    await this.copy.pull();
  }

  #changes(task: KnownTask, name: string): Readonly<Record<string, () => Promise<void>>> {
    return {
      rename: () => this.copy.change(task.id, { ...task, name }),
      leave: () => this.copy.change(task.id, { ...task, position: null }),
      delete: () => this.copy.change(task.id, undefined),
    };
  }

  #create(name: string): void {
    const id = newId();
    this.#pending.push(this.copy.change(id, { id, name, position: this.position } as KnownTask));
  }

  /** Somebody else changes or deletes a task, which can be gone. */
  async #interfere(kind: string, id: string): Promise<void> {
    const write = kind === 'take' ? other.tasks.update(id, { priority: 'high' }) : other.tasks.delete(id);
    await write.catch(() => undefined);
  }
}

test('a copy that is changed at random becomes the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30 }), async (steps) => {
      const scenario = new Scenario();
      await scenario.copy.pull();
      for (const step of steps) await scenario.execute(step);
      await scenario.end();
      const { position, copy } = scenario;
      const { data } = await other.tasks.list({ position, sortBy: 'id', limit: 100 });
      const found = [...copy.tasks.values()].toSorted((left, right) => (left.id < right.id ? 1 : -1));
      expect(found).toEqual(data);
    }),
    { numRuns: runs(12, 100) },
  );
});
