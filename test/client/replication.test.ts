import {
  ConnectionError,
  createClient,
  type LocalChange,
  newId,
  Replication,
  type ReplicationOptions,
  type Task,
  type TaskTypes,
  type Versioned,
} from '#client/index.ts';
import { fc } from '../support/fast-check.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';
import { runs } from '../support/runs.ts';

type KnownTask = Versioned<Task>;

const service = provideFetchedService();
/** Somebody else, who uses the same service. */
const other = createClient(service);

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

/** Returns a replication of the tasks with a position, whose client makes one attempt, and the requests that it sends. */
function replicationOf(position = newPosition(), options?: ReplicationOptions<TaskTypes>) {
  const sent: Sent[] = [];
  const faults: (Fault | undefined)[] = [];
  const client = createClient({
    url: service.url,
    tries: 1,
    fetch: async (input, init) => {
      const { method = 'GET', body } = init ?? {};
      sent.push({ method, url: new URL(String(input)), body: body ? JSON.parse(String(body)) : undefined });
      const fault = faults.shift();
      return fault ? fault(() => service.fetch(input, init)) : service.fetch(input, init);
    },
  });
  const written = () =>
    sent.filter(({ method }) => method !== 'GET').map(({ method, body }) => [method, body]);
  const replication = new Replication(client.tasks, { position }, options);
  /** Sends changes, with a fault of the first request. */
  const pushLosing = async (
    changes: readonly LocalChange<TaskTypes>[],
    fault = loseResponse,
  ): Promise<void> => {
    faults.push(fault);
    await expect(replication.push(changes)).rejects.toThrow(ConnectionError);
  };
  return { position, replication, client, sent, faults, written, pushLosing };
}

/** Each test has a list of its own. */
const newPosition = (): string => `p${newId()}`;

const created = async (position: string, name = 'first'): Promise<KnownTask> =>
  other.tasks.create({ name, position });

const renamed = (task: KnownTask, name: string): LocalChange<TaskTypes> => ({
  before: task,
  after: { ...task, name },
});

/** Returns the names that the service has in a list. */
async function names(position: string): Promise<string[]> {
  const { data } = await other.tasks.list({ position, sortBy: 'name', sortOrder: 'asc' });
  return data.map(({ name }) => name);
}

const applied = { error: undefined, isUnchanged: false };
const alreadyDone = { error: undefined, isUnchanged: true };
const refused = (code: string) => ({ error: { problem: { code } }, isUnchanged: true });

describe('push', () => {
  test('sends entities before those that refer to them, whatever their order, and returns the results in the order of the changes', async () => {
    const { position, replication } = replicationOf();
    const [parent, child, grandchild] = [newId(), newId(), newId()] as const;
    const moved = await created(position, 'moved');
    const results = await replication.push([
      { after: { id: grandchild, name: 'grandchild', position, parentId: child } },
      { before: moved, after: { ...moved, parentId: parent } },
      { after: { id: child, name: 'child', position, parentId: parent } },
      { after: { id: parent, name: 'parent', position } },
    ]);
    expect(results).toMatchObject([grandchild, moved.id, child, parent].map((id) => ({ id, ...applied })));
    expect((await other.tasks.get(grandchild)).parentId).toBe(child);
    expect((await other.tasks.get(moved.id)).parentId).toBe(parent);
  });

  test('sends what refers to each other, and ends', async () => {
    const { position, replication } = replicationOf();
    const [one, two] = [newId(), newId()];
    const results = await replication.push([
      { after: { id: one, name: 'one', position, parentId: two } },
      { after: { id: two, name: 'two', position, parentId: one } },
    ]);
    expect(results).toMatchObject([refused('invalid-request'), refused('invalid-request')]);
  });

  test('shows no entity that somebody else has moved out of the list', async () => {
    const { position, replication } = replicationOf();
    const task = await created(position);
    await other.tasks.update(task.id, { position: newPosition() });
    const results = await replication.push([renamed(task, 'second')]);
    expect(results).toMatchObject([{ id: task.id, current: undefined, ...applied }]);
  });

  test('does not keep a pull from ending when it is aborted', async () => {
    const { replication, faults } = replicationOf();
    faults.push(() => new Promise(() => {}));
    void replication.push([{ after: { id: newId(), name: 'never sent' } }]);
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(replication.pull(undefined, { signal })).rejects.toThrow('stopped');
  });

  test('creates, updates and deletes, and sends only fields that differ', async () => {
    const { position, replication, written } = replicationOf();
    const [id, short] = [newId(), newId()];
    const [task, same, doomed] = [
      await created(position),
      await created(position, 'same'),
      await created(position, 'doomed'),
    ];
    const results = await replication.push([
      { after: { id, name: 'made here', position } },
      // Fields of libraries are not sent.
      {
        before: task,
        after: {
          ...task,
          name: 'renamed here',
          number: null,
          updatedAt: 'x',
          _rev: 'x',
          $synced: true,
        } as never,
      },
      // It has a row in the copy, but no version of the service yet.
      {
        before: { id: short, version: null },
        after: { id: short, version: null, name: 'short', position } as never,
      },
      { before: doomed },
      // The copy has it from the service.
      { before: same, after: same },
      {},
    ]);
    expect(results).toMatchObject([
      { id, current: { name: 'made here', priority: 'none' }, ...applied },
      { id: task.id, current: { name: 'renamed here' }, ...applied },
      { id: short, current: { name: 'short' }, ...applied },
      { id: doomed.id, current: undefined, ...applied },
      { id: same.id, current: same, ...applied },
      { current: undefined, ...applied },
    ]);
    expect(written()).toEqual([
      ['PUT', { name: 'made here', position }],
      ['PATCH', { name: 'renamed here' }],
      ['PUT', { name: 'short', position }],
      ['DELETE', undefined],
    ]);
    expect(await names(position)).toEqual(['made here', 'renamed here', 'same', 'short']);
    // A deletion without a version is unconditional.
    expect(await replication.push([{ before: { id: short } }])).toMatchObject([applied]);
    expect(await names(position)).toEqual(['made here', 'renamed here', 'same']);
  });

  test('takes states that a library has marked as deleted for none', async () => {
    const { position, replication, pushLosing, written } = replicationOf();
    const [task, gone] = [await created(position), await created(position, 'gone')];
    const id = newId();
    await pushLosing([{ after: { id, name: 'lost', position } }]);
    const results = await replication.push([
      { before: task, after: { ...task, _deleted: true } },
      // It was deleted in the copy before the response to its creation came.
      { after: { id, name: 'lost', _deleted: true } },
      { before: { ...gone, _deleted: true }, after: { ...gone, _deleted: true } },
    ]);
    expect(results.map(({ isUnchanged }) => isUnchanged)).toEqual([false, false, false]);
    expect(written().map(([method]) => method)).toEqual(['PUT', 'DELETE', 'DELETE']);
    expect(await names(position)).toEqual(['gone']);
  });

  test('continues from its own writes, although the copy has not read their versions', async () => {
    const { position, replication, sent } = replicationOf();
    const task = await created(position);
    const id = newId();
    const made = { id, name: 'made', position };
    const changes: LocalChange<TaskTypes>[] = [
      renamed(task, 'second'),
      renamed({ ...task, name: 'second' }, 'third'),
      { after: made },
      { before: made, after: { ...made, name: 'renamed' } },
      // The copy does not have this field yet.
      { before: { ...made, name: 'renamed' }, after: { ...made, name: 'renamed', priority: 'high' } },
    ];
    for (const change of changes) expect(await replication.push([change])).toMatchObject([applied]);
    expect(await other.tasks.get(id)).toMatchObject({ name: 'renamed', priority: 'high' });
    expect(await names(position)).toEqual(['renamed', 'third']);
    // One request each, and one to see that the new task is in the list.
    expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT', 'GET', 'PATCH', 'PATCH']);
  });

  test('changes fields that nobody else has changed, also with a version that is too old', async () => {
    const position = newPosition();
    const task = await created(position);
    await other.tasks.update(task, { priority: 'high' });
    const { replication } = replicationOf(position);
    const current = { name: 'second', priority: 'high' as const };
    expect(await replication.push([renamed(task, 'second')])).toMatchObject([{ ...applied, current }]);
    // After a restart, nothing is known but what the copy has.
    const restarted = replicationOf(position).replication;
    const stale = { ...task, name: 'second' };
    expect(await restarted.push([renamed(stale, 'third')])).toMatchObject([applied]);
    // A deletion touches all fields.
    expect(await restarted.push([{ before: { ...stale, name: 'third' } }])).toMatchObject([
      { ...refused('version-mismatch'), current: { name: 'third', priority: 'high' } },
    ]);
    expect(await restarted.push([{ before: { ...task, ...current, name: 'third' } }])).toMatchObject([
      applied,
    ]);
    expect(await names(position)).toEqual([]);
  });

  test('returns the changes for which somebody else was faster, and applies the others', async () => {
    const { position, replication } = replicationOf();
    const tasks = new Map<string, KnownTask>();
    for (const name of ['changed', 'moved', 'deleted', 'removed', 'gone', 'free', 'other'])
      tasks.set(name, await created(position, name));
    const task = (name: string) => tasks.get(name) as KnownTask;
    await other.tasks.update(task('changed'), { name: 'changed again' });
    await other.tasks.update(task('moved'), { name: 'moved away', position: null });
    await other.tasks.delete(task('deleted'));
    await other.tasks.update(task('removed'), { priority: 'low' });
    await other.tasks.delete(task('gone'));
    await other.tasks.update(task('other'), { priority: 'low' });
    const { id, version } = task('other');
    const late = ['changed', 'moved', 'deleted'].map((name) => renamed(task(name), 'late'));
    const results = await replication.push([
      ...late,
      { before: task('removed') },
      // It is gone already.
      { before: task('gone') },
      renamed(task('free'), 'in time'),
      // Without the fields before it, any other version is a conflict.
      { before: { id, version }, after: { id, name: 'x' } },
    ]);
    const conflict = refused('version-mismatch');
    expect(results).toMatchObject([
      { ...conflict, current: { name: 'changed again' } },
      { ...conflict, current: undefined },
      { ...refused('not-found'), current: undefined },
      { ...conflict, current: { priority: 'low' } },
      { ...applied, current: undefined },
      applied,
      { ...conflict, current: { name: 'other' } },
    ]);
    expect(await names(position)).toEqual(['changed again', 'in time', 'other', 'removed']);
  });

  test('tells `onRefused` whether a refused change is a deletion', async () => {
    const refusals: unknown[] = [];
    const { position, replication } = replicationOf(newPosition(), {
      onRefused: ({ id, isDeletion, current }) => refusals.push([id, isDeletion, current?.name]),
    });
    const tasks = [await created(position), await created(position), await created(position)] as const;
    for (const task of tasks) await other.tasks.update(task, { name: 'theirs' });
    const [removed, marked, changed] = tasks;
    await replication.push([
      { before: removed },
      { before: marked, after: { ...marked, _deleted: true } },
      { before: changed, after: { ...changed, name: 'mine', _deleted: false } },
    ]);
    expect(refusals).toEqual([
      [removed.id, true, 'theirs'],
      [marked.id, true, 'theirs'],
      [changed.id, false, 'theirs'],
    ]);
  });

  test('has been applied already when it is sent again after a lost response', async () => {
    const { position, replication, pushLosing } = replicationOf();
    const [task, doomed] = [await created(position), await created(position, 'doomed')];
    const id = newId();
    const changes: LocalChange<TaskTypes>[] = [
      { after: { id, name: 'made ', position } },
      renamed(task, 'renamed'),
      { before: doomed },
    ];
    const results: unknown[] = [];
    for (const change of changes) {
      await pushLosing([change]);
      results.push(...(await replication.push([change])));
    }
    // The copy can have dropped the pages with these changes, because it was sending them. It has deleted the third task anyway.
    expect(results).toMatchObject([
      // The service trims texts.
      { ...alreadyDone, current: { name: 'made' } },
      { ...alreadyDone, current: { name: 'renamed' } },
      { ...applied, current: undefined },
    ]);
    expect(await names(position)).toEqual(['made', 'renamed']);
  });

  test('does not put an older change over a newer one', async () => {
    const { position, replication, faults, written } = replicationOf();
    const task = await created(position);
    const [first, second] = [renamed(task, 'second'), renamed({ ...task, name: 'second' }, 'third')];
    faults.push(loseRequest);
    // The second one waits for the first one, and fails with it.
    const [failed, waiting] = [replication.push([first]), replication.push([second])];
    await expect(failed).rejects.toThrow(ConnectionError);
    await expect(waiting).rejects.toThrow(ConnectionError);
    expect(written()).toHaveLength(1);
    for (const change of [first, second]) expect(await replication.push([change])).toMatchObject([applied]);
    // An app that does not keep the order.
    expect(await replication.push([first])).toMatchObject([
      { ...refused('version-mismatch'), current: { name: 'third' } },
    ]);
    await expect(replication.push([first, second])).rejects.toThrow(/There are two changes of the entity/);
  });

  test('sends the latest state after several attempts without a response', async () => {
    const { position, replication, pushLosing } = replicationOf();
    const task = await created(position);
    const id = newId();
    const made = (name: string) => ({ after: { id, name, position } });
    const changes: [Fault, LocalChange<TaskTypes>][] = [
      [loseResponse, made('made')],
      [loseRequest, made('made again')],
      [loseResponse, renamed(task, 'second')],
      [loseRequest, renamed(task, 'third')],
    ];
    for (const [fault, change] of changes) {
      await pushLosing([change], fault);
    }
    expect(await replication.push([made('made at last'), renamed(task, 'fourth')])).toMatchObject([
      { ...applied, current: { name: 'made at last' } },
      { ...applied, current: { name: 'fourth' } },
    ]);
  });

  test('returns the entity of the service for a change without effect', async () => {
    const { position, replication, written } = replicationOf();
    const task = await created(position);
    const current = await other.tasks.update(task, { priority: 'high' });
    const change = { before: task, after: { ...task, updatedAt: '2026-01-01T00:00:00.000Z' } };
    expect(await replication.push([change])).toMatchObject([{ ...alreadyDone, current }]);
    // A library whose copy has the entity already would take the answer for a conflict, again and again.
    const again = { before: current, after: { ...change.after, priority: current.priority } };
    expect(await replication.push([again])).toMatchObject([{ ...applied, current }]);
    expect(written()).toEqual([]);
    // The service makes no version for a value that it has already.
    const wrong = { ...current, name: 'wrong' };
    for (const _ of [1, 2])
      expect(await replication.push([renamed(wrong, 'first')])).toMatchObject([{ current }]);
  });

  test('returns what the service will never accept, and throws what it can accept later', async () => {
    const { position, replication, faults } = replicationOf();
    const task = await created(position);
    const good = { after: { id: newId(), name: 'good', position } };
    expect(
      await replication.push([renamed(task, ''), { after: { id: newId(), name: '', position } }, good]),
    ).toMatchObject([
      { ...refused('invalid-request'), current: { name: 'first' } },
      { ...refused('invalid-request'), current: undefined },
      applied,
    ]);
    const response = (status: number, type: string) => async () =>
      new Response('{"type":"/docs/problems#x","title":"x","detail":"x"}', {
        status,
        headers: { 'content-type': type },
      });
    for (const fault of [
      response(503, 'application/problem+json'),
      response(404, 'text/html'),
      loseRequest,
    ]) {
      faults.push(fault);
      await expect(replication.push([renamed(task, 'second')])).rejects.toThrow();
    }
    // Later calls are executed.
    expect(await replication.push([renamed(task, 'second')])).toMatchObject([applied]);
    const copied = { ...task, id: newId() };
    await expect(replication.push([{ after: copied }])).rejects.toThrow(
      /is new in the copy, but has a version/,
    );
    expect(await names(position)).toEqual(['good', 'second']);
  });

  test('removes from the copy what was created outside of the list', async () => {
    const { position, replication, pushLosing } = replicationOf();
    const { cursor } = await replication.pull(undefined);
    const [elsewhere, moved, lost] = [newId(), newId(), newId()];
    const changes = [elsewhere, moved].map((id) => ({ after: { id, name: 'elsewhere' } }));
    expect(await replication.push(changes)).toMatchObject([
      { ...applied, current: undefined },
      { ...applied, current: undefined },
    ]);
    // Sent again with others, whose request has failed.
    expect(await replication.push(changes)).toMatchObject([{ current: undefined }, { current: undefined }]);
    const change = { after: { id: lost, name: 'elsewhere' } };
    await pushLosing([change]);
    expect(await replication.push([change])).toMatchObject([{ ...alreadyDone, current: undefined }]);
    // WatermelonDB has a state before it, without a version. It sends a creation again as well.
    const unsent = { id: newId(), version: null };
    const ofLibrary = { before: unsent, after: { id: unsent.id, name: 'elsewhere' } };
    for (let count = 0; count < 2; count += 1)
      expect(await replication.push([ofLibrary])).toMatchObject([{ current: undefined, error: undefined }]);
    const expected = [elsewhere, lost, unsent.id];
    await other.tasks.update(moved, { position });
    const page = await replication.pull(cursor);
    expect(page.removed).toEqual(expected);
    expect(page.data.map(({ id }) => id)).toEqual([moved]);
    // The copy could not store the page: it comes again.
    const again = await replication.pull(cursor);
    expect(again.removed).toEqual(expected);
    expect((await replication.pull(again.cursor)).removed).toEqual([]);
    // An update that takes a task out of the list.
    const [task] = page.data as [KnownTask];
    expect(await replication.push([{ before: task, after: { ...task, position: null } }])).toMatchObject([
      { ...applied, current: undefined },
    ]);
    expect((await replication.pull(page.cursor)).removed).toEqual([task.id]);
  });
});

describe('pull', () => {
  test('returns no page that is older than a push, or was read during one', async () => {
    const { position, replication, sent, faults } = replicationOf();
    const task = await created(position);
    const { cursor } = await replication.pull(undefined);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hold: Fault = async (send) => {
      const response = await send();
      await held;
      return response;
    };
    faults.push(hold);
    const first = replication.push([renamed(task, 'second')]);
    const page = replication.pull(cursor);
    // The service has the first write, whose response is on its way.
    while ((await other.tasks.get(task.id)).name !== 'second');
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH']);
    faults.push(async (send) => {
      // While the page is on its way, another push begins.
      const response = await send();
      expect(await replication.push([renamed({ ...task, name: 'second' }, 'third')])).toMatchObject([
        applied,
      ]);
      return response;
    });
    release();
    expect(await first).toMatchObject([applied]);
    expect((await page).data).toMatchObject([{ id: task.id, name: 'third' }]);
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET', 'PATCH', 'GET']);
  });

  test('continues behind empty pages, also for a caller that keeps no cursor of them', async () => {
    const { position, replication, sent } = replicationOf();
    const since = (await replication.pull(undefined)).cursor;
    await other.tasks.create({ name: 'of another list' });
    const empty = await replication.pull(since);
    expect(empty).toMatchObject({ data: [], removed: [], hasMore: false });
    await replication.pull(since);
    expect(sent.at(-1)?.url.searchParams.get('since')).toBe(empty.cursor);
    // Pages with changes come again when the caller has not stored their cursor.
    const task = await created(position);
    const page = await replication.pull(since);
    expect(page.data).toEqual([task]);
    await replication.pull(page.cursor);
    expect((await replication.pull(since)).data).toEqual([task]);
  });

  test('begins again when the cursor is too old, and removes what does not come again', async () => {
    const position = newPosition();
    const tasks: KnownTask[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) tasks.push(await created(position, name));
    const { client, faults } = replicationOf(position);
    const filters = { position, limit: 2 };
    let replication = new Replication(client.tasks, filters);
    const copy = new Map<string, string>();
    const ids = () => copy.keys();
    let since: string | undefined;
    const pull = async (): Promise<boolean> => {
      const page = await replication.pull(since, { ids });
      for (const { id, name } of page.data) copy.set(id, name);
      for (const id of page.removed) copy.delete(id);
      since = page.cursor;
      return page.hasMore;
    };
    const pullAll = async (): Promise<string[]> => {
      while (await pull());
      return [...copy.values()].sort();
    };
    const expire: Fault = async () => {
      const body = JSON.stringify({ type: '/docs/problems#cursor-expired', title: 'Gone', status: 410 });
      return new Response(body, { status: 410, headers: { 'content-type': 'application/problem+json' } });
    };
    expect(await pullAll()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    copy.set(newId(), 'deleted long ago');
    faults.push(expire);
    await expect(replication.pull(since)).rejects.toMatchObject({ problem: { code: 'cursor-expired' } });
    // The copy stores the first page, and the app stops. The next process has the cursor of that page.
    faults.push(expire);
    expect(await pull()).toBe(true);
    replication = new Replication(client.tasks, filters);
    faults.push(expire);
    await other.tasks.delete(tasks[0] as KnownTask);
    expect(await pull()).toBe(true);
    // The copy cannot store the next page: it comes again.
    const lost = await replication.pull(since, { ids });
    expect(await replication.pull(since, { ids })).toEqual(lost);
    expect(await pullAll()).toEqual(['b', 'c', 'd', 'e', 'f']);
    await created(position, 'g');
    expect(await pullAll()).toEqual(['b', 'c', 'd', 'e', 'f', 'g']);
  });
});

/**
 * A copy as the libraries keep it: it shows a change at once, sends it until there is a response, drops what a page has of a task that is being
 * sent, and takes the task of the service after a conflict.
 */
class Copy {
  readonly tasks = new Map<string, KnownTask>();
  readonly #replication: Replication<TaskTypes>;
  readonly #sending = new Map<string, number>();
  #since: string | undefined;

  constructor(replication: Replication<TaskTypes>) {
    this.#replication = replication;
  }

  async change(id: string, after: KnownTask | undefined): Promise<void> {
    const before = this.tasks.get(id);
    this.#set(id, after);
    this.#sending.set(id, (this.#sending.get(id) ?? 0) + 1);
    const [result] = await untilSent(() => this.#replication.push([{ before, after }]));
    const left = (this.#sending.get(id) ?? 1) - 1;
    this.#sending.set(id, left);
    // Another change of this task has a result of its own.
    if (result?.isUnchanged && left === 0) this.#set(id, result.current);
  }

  async pull(): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const page = await untilSent(() => this.#replication.pull(this.#since));
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

/** Executes steps of the user of a copy and of somebody else, who changes or deletes tasks that can be gone. */
async function execute(steps: readonly Step[], position: string): Promise<Copy> {
  const { replication, faults } = replicationOf(position);
  const copy = new Copy(replication);
  await copy.pull();
  const pending: Promise<void>[] = [];
  for (const [count, step] of steps.entries()) {
    if (step.fault) faults.push(step.fault);
    const known = [...copy.tasks.values()];
    const task = 'task' in step ? known[step.task % Math.max(1, known.length)] : undefined;
    const name = `name ${count}`;
    const id = task?.id ?? newId();
    const actions: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
      rename: () => task && pushTo(copy.change(id, { ...task, name })),
      leave: () => task && pushTo(copy.change(id, { ...task, position: null })),
      delete: () => task && pushTo(copy.change(id, undefined)),
      take: () => task && other.tasks.update(id, { priority: 'high' }).catch(() => undefined),
      steal: () => task && other.tasks.delete(id).catch(() => undefined),
      create: () => pushTo(copy.change(id, { id, name, position } as KnownTask)),
      add: () => other.tasks.create({ name, position }),
      pull: () => pushTo(copy.pull()),
      wait: () => Promise.all(pending),
    };
    const pushTo = (change: Promise<void>): undefined => {
      pending.push(change);
    };
    await actions[step.kind]?.();
  }
  await Promise.all(pending);
  await copy.pull();
  return copy;
}

test('a copy that is changed at random becomes the list', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30 }), async (steps) => {
      const position = newPosition();
      const copy = await execute(steps, position);
      const { data } = await other.tasks.list({ position, sortBy: 'id', limit: 100 });
      const found = [...copy.tasks.values()].toSorted((left, right) => (left.id < right.id ? 1 : -1));
      expect(found).toEqual(data);
    }),
    { numRuns: runs(12, 100) },
  );
});
