import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { type ChangesCursor, decodeCursor, encodeCursor } from '#functions/store/lists/changes/cursor.ts';
import { type ChangesPage, listChanges } from '#functions/store/lists/changes/list-changes.ts';
import { maxRequestUnits } from '#functions/store/lists/changes/request-budget.ts';
import { listEntities } from '#functions/store/lists/list-entities.ts';
import { queryHash } from '#functions/store/lists/query-hash.ts';
import { logPartition, manifestSortKey, stampPrefix } from '#functions/store/model/change-log.ts';
import { buildCreate, buildUpdate } from '#functions/store/model/changes.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import type { Filter } from '#functions/store/model/list-query.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { compactAll } from '../support/compaction.ts';
import { isValue, listQuery } from '../support/list-queries.ts';
import { startTestStore, type TestStore } from '../support/local-store.ts';
import { runs } from '../support/runs.ts';

/**
 * What requests of the change feed cost, for records of any size and descriptions of any length in any order: at most 100 read units, unless the
 * records that a request has to read again cost more by themselves.
 */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

interface Write {
  /** Tasks of one transaction. */
  readonly tasks: number;
  readonly isCreation: boolean;
  /** Characters of the names. */
  readonly name: number;
  readonly description: string;
  readonly status: string;
}

/** A text that compression does not make much shorter. */
const noise = (length: number): string =>
  String.fromCodePoint(...Array.from({ length }, () => 0x4e00 + Math.floor(Math.random() * 20_000)));

class Tasks {
  readonly tenant = randomUUID();
  readonly #ids: string[] = [];

  async #stored(count: number): Promise<StoredEntity[]> {
    const ids = this.#ids.slice(-count);
    const items = await store.database().getMany(ids.map((id) => entityKey(this.tenant, 'task', id)));
    return items.map(decodeEntity);
  }

  async write({ tasks, isCreation, name, description, status }: Write): Promise<void> {
    const before = isCreation ? [] : await this.#stored(tasks);
    const fields = () => ({ name: noise(name), description, status });
    const changes =
      before.length > 0
        ? before.map((one) => buildUpdate(one, fields(), Date.now()))
        : Array.from({ length: tasks }, () => buildCreate('task', { ...fields(), tagIds: [] }, Date.now()));
    await applyChangeSet(store.session(this.tenant), { changes });
    if (before.length === 0) this.#ids.push(...changes.map(({ after }) => after.entity.id));
  }

  compact = (): Promise<unknown> => compactAll(store.database(), this.tenant, 'task');

  /** Returns what it costs to read the records above a stamp and up to a key. */
  async unitsOf(from: number, at: string): Promise<number> {
    const { database } = store.session(this.tenant);
    let start: Readonly<Record<string, unknown>> | undefined;
    do {
      ({ next: start } = await database.query(
        {
          KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
          ExpressionAttributeValues: {
            ':partition': logPartition(this.tenant, 'task'),
            ':first': stampPrefix(from + 1),
            ':last': at < manifestSortKey ? at : manifestSortKey,
          },
          ConsistentRead: true,
        },
        start,
      ));
    } while (start);
    return database.consumption.readUnits;
  }
}

const write: fc.Arbitrary<Write> = fc.record({
  tasks: fc.constantFrom(1, 1, 1, 5, 25),
  isCreation: fc.boolean(),
  name: fc.constantFrom(5, 50, 120),
  description: fc.constantFrom('', 'x'.repeat(90), 'x'.repeat(300), 'é'.repeat(3_000), '語'.repeat(10_000)),
  status: fc.constantFrom('active', 'done'),
});

interface FeedOptions {
  readonly limit: number;
  readonly withTexts: boolean;
  readonly filters: readonly Filter[];
  /** Milliseconds by which the requests come later: records are settled then. */
  readonly laterMs: number;
}

const feed: fc.Arbitrary<FeedOptions> = fc.record({
  limit: fc.constantFrom(1, 7, 50, 100),
  withTexts: fc.boolean(),
  filters: fc.constantFrom<readonly Filter[]>([], [isValue('status', 'done')]),
  laterMs: fc.constantFrom(0, marginMs - 1),
});

/** Reads all pages, of which each must keep to its limits, and applies them to the ids of a copy. Returns the cursor behind them. */
async function follow(
  tasks: Tasks,
  { laterMs, ...options }: FeedOptions,
  since: ChangesCursor | undefined,
  copy: Set<string>,
): Promise<ChangesCursor> {
  const query = listQuery(options);
  const hash = queryHash('task', query.filters, 'all');
  for (let cursor = since; ; ) {
    const session = store.session(tasks.tenant);
    const page = await listChanges(session, 'task', query, cursor, Date.now() + laterMs);
    const units = session.database.consumption.readUnits;
    const again =
      cursor?.by === 'log' && cursor.at !== undefined ? await tasks.unitsOf(cursor.from, cursor.at) : 0;
    // The last query of these records has some more.
    if (again <= maxRequestUnits - 10) expect(units).toBeLessThanOrEqual(maxRequestUnits);
    expect(page.entities.length + page.removed.length).toBeLessThanOrEqual(options.limit);
    for (const { id } of page.entities) copy.add(id);
    for (const id of page.removed) copy.delete(id);
    cursor = decodeCursor(hash, encodeCursor(hash, page.cursor));
    if (!page.hasMore) return cursor;
  }
}

const repeat = <Value>(count: number, value: Value): Value[] => Array.from({ length: count }, () => value);
const one: Write = { tasks: 1, isCreation: true, name: 5, description: '', status: 'active' };
/** As large as the records of jobs. */
const batch: Write = { ...one, tasks: 40, name: 120 };
const longTexts: Write = { ...one, tasks: 25, description: '語'.repeat(10_000) };

test('a caller comes to the end, also when the records that it reads again cost more than a request', async () => {
  const tasks = new Tasks();
  const query = listQuery({ limit: 100, withTexts: false });
  const startedAt = Date.now();
  const poll = (cursor?: ChangesCursor): Promise<ChangesPage> =>
    // Nothing settles.
    listChanges(store.session(tasks.tenant), 'task', query, cursor, startedAt);
  let page = await poll((await poll()).cursor);
  for (let batches = 0; batches < 50; batches += 1) await tasks.write(batch);
  const sizes: number[] = [];
  do {
    page = await poll(page.cursor);
    sizes.push(page.entities.length);
  } while (page.hasMore && sizes.at(-1) !== 0);
  expect([page.hasMore, Math.max(...sizes)]).toEqual([false, 100]);
  expect(await tasks.unitsOf(startedAt - marginMs, manifestSortKey)).toBeGreaterThan(maxRequestUnits);
});

test('a request whose units are nearly used up by the log leaves enough of them for a description', async () => {
  const tasks = new Tasks();
  const query = listQuery({ limit: 100, withTexts: true, filters: [isValue('status', 'done')] });
  const startedAt = Date.now();
  const units: number[] = [];
  const poll = async (cursor?: ChangesCursor): Promise<ChangesPage> => {
    const session = store.session(tasks.tenant);
    // Nothing settles.
    const page = await listChanges(session, 'task', query, cursor, startedAt);
    units.push(session.database.consumption.readUnits);
    return page;
  };
  let page = await poll((await poll()).cursor);
  for (let batches = 0; batches < 28; batches += 1) await tasks.write(batch);
  for (let writes = 0; writes < 40; writes += 1)
    await tasks.write({ ...longTexts, tasks: 1, status: 'done' });
  do page = await poll(page.cursor);
  while (page.hasMore);
  expect(await tasks.unitsOf(startedAt - marginMs, manifestSortKey)).toBeLessThan(maxRequestUnits - 10);
  expect(Math.max(...units)).toBeLessThanOrEqual(maxRequestUnits);
});

test('no request costs more than 100 read units, or has more than it may', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 30 }),
      fc.array(write, { minLength: 1, maxLength: 60 }),
      feed,
      async (before, after, options) => {
        const tasks = new Tasks();
        const copy = new Set<string>();
        for (const one of before) await tasks.write(one);
        await tasks.compact();
        const cursor = await follow(tasks, options, undefined, copy);
        for (const one of after) await tasks.write(one);
        await follow(tasks, options, cursor, copy);
        const query = listQuery({ filters: options.filters, limit: 1, withTexts: false });
        expect((await listEntities(store.session(tasks.tenant), 'task', query)).total).toBe(copy.size);
      },
    ),
    {
      numRuns: runs(12, 100),
      endOnFailure: true,
      examples: [
        [
          [],
          [...repeat(4, one), ...repeat(60, batch)],
          { limit: 100, withTexts: false, filters: [], laterMs: 0 },
        ],
        [
          repeat(8, longTexts),
          repeat(8, longTexts),
          { limit: 100, withTexts: true, filters: [], laterMs: 0 },
        ],
      ],
    },
  );
});
