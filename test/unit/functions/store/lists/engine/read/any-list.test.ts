import fc from 'fast-check';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import { visitRows } from '#functions/store/lists/engine/read/read-all-rows.ts';
import { toRowQuery } from '#functions/store/lists/to-row-query.ts';
import type { ItemFields } from '#functions/store/model/entity.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';
import { type Row, toRow } from '#functions/store/model/row.ts';
import { Random } from '#test/simulation/random.ts';
import { LogBuilder, startMs } from '#test/support/log-builder.ts';
import { plainList } from '#test/support/plain-list.ts';
import { type RandomField, randomQuery } from '#test/support/random-queries.ts';
import { readRows } from '#test/support/read-rows.ts';
import { runs } from '#test/support/runs.ts';

/**
 * Compares any list with a plain search: segments of several chunks of ids, columns in buckets, values in patches, deleted rows, a new field,
 * out-of-order rows, and pending records.
 */

const rowCount = 1_100;

/** When the first rows are so old that later ones among their ids are out of order. */
const laterMs = startMs + 60_000;

/** Rows that are created in the same millisecond. */
const tiedRows = 5;

const timeOf = (number: number): number => startMs + Math.floor(number / tiedRows);

/** Returns an id. Ids with greater numbers are greater. */
const idOf = (number: number): string =>
  firstIdAt(timeOf(number)).replace('0000-0000-0000', `7000-8${number % tiedRows}00-0000`);
const long = 'd'.repeat(99);

/** Enough ids that their columns are in buckets. */
const projectIds = Array.from({ length: 12 }, (_, number) => idOf(100_000 + 7_919 * number));
const [someProject = ''] = projectIds;

const ranks = { priority: ['none', 'low', 'high'] };
const defaults = {
  priority: 'low',
  userId: null,
  projectId: null,
  ownerId: someProject,
  tagIds: [],
  color: 'blue',
};

const valuesOf = {
  status: ['open', 'done', 'late'],
  priority: ranks.priority,
  userId: [null, 'u1', 'u2', 'u3'],
  projectId: [null, ...projectIds],
  ownerId: [null, ...projectIds],
  tagIds: [[], ['a'], ['a', 'b'], ['b', 'c']],
  color: ['red', 'blue', 'BLUE', 'Ablue'],
  description: ['', long, `${long}😀`, `${long}😀1`, `${long}😀2`, 'E', 'é'],
};

/** Some names are frequent, most are not. */
const nameOf = (random: Random): string =>
  random.chance(0.3)
    ? random.pick(['', 'a', 'A', 'ab', 'ΣΑΣ', 'σας', 'İx', 'i̇X', '😀', '\uffff', 'e\u0000'])
    : `${random.pick(['Plan', 'plan', 'É'])} ${random.below(400)}`;

/** Returns an entity. Older ones do not have all fields. */
function entityOf(random: Random, number: number, isOld: boolean): ItemFields {
  const { color, priority, projectId, ownerId, ...others } = Object.fromEntries(
    Object.entries(valuesOf).map(([field, values]) => [field, random.pick<unknown>(values)]),
  );
  const time = new Date(timeOf(number)).toISOString();
  const updatedAt = new Date(startMs + random.below(500)).toISOString();
  const newer = { color, ...(random.chance(0.8) && { priority }) };
  const references = (!isOld || random.chance(0.8)) && { projectId, ownerId };
  const more = { ...references, ...(!isOld && newer) };
  const entity = { id: idOf(number), name: nameOf(random), createdAt: time, updatedAt, ...others, ...more };
  return entity as unknown as ItemFields;
}

const anyOf = (values: readonly unknown[]) => {
  const texts = values.flat().filter((value) => value !== null) as string[];
  return (random: Random): string => (random.chance(0.1) ? 'none' : random.pick(texts));
};

/** Returns the first characters of a text: half of a surrogate pair is no text. */
const beginningOf = (text: string, count: number): string => [...text].slice(0, count).join('');

const anyTime = (random: Random): string =>
  new Date(startMs - 20 + random.below(rowCount / tiedRows + 60)).toISOString();
const anyId = (random: Random): string => idOf(random.below(rowCount + 60));

const fields: Readonly<Record<string, RandomField>> = {
  status: { type: 'text', value: anyOf(valuesOf.status), isCounted: true },
  priority: { type: 'enumeration', value: anyOf(valuesOf.priority), isCounted: true },
  userId: { type: 'nullable', value: anyOf(valuesOf.userId), isCounted: true },
  projectId: { type: 'nullable', value: anyOf(valuesOf.projectId), isCounted: true },
  ownerId: { type: 'nullable', value: anyOf(valuesOf.ownerId), isCounted: true },
  tagIds: { type: 'array', value: anyOf(valuesOf.tagIds), isCounted: true },
  color: { type: 'text', value: anyOf(valuesOf.color), isCounted: true },
  description: { type: 'longText', value: anyOf(valuesOf.description) },
  name: { type: 'text', value: (random) => beginningOf(nameOf(random), 1 + random.below(5)) },
  id: { type: 'ordered', value: anyId },
  createdAt: { type: 'ordered', value: anyTime },
  updatedAt: { type: 'ordered', value: anyTime },
};

/** A log and what its lists must show. */
interface Case {
  readonly log: LogBuilder;
  readonly entities: ReadonlyMap<string, ItemFields>;
}

/** Returns a log: columns, patches with changed and deleted rows, and pending records. */
async function caseOf(seed: number): Promise<Case> {
  const random = new Random(seed);
  const log = new LogBuilder();
  const entities = new Map<string, ItemFields>();
  const commit = (stamp: number, changed: ReadonlyMap<string, ItemFields | undefined>): void => {
    for (const [id, entity] of changed) {
      if (entity) entities.set(id, entity);
      else entities.delete(id);
    }
    const rows = [...changed].map(([id, entity]) => [id, entity && toRow(entity)]);
    log.commit(stamp, Object.fromEntries(rows));
  };
  const deleted = new Set<string>();
  const change = (stamp: number, share: number): void => {
    const changed = new Map<string, ItemFields | undefined>();
    for (let number = 0; number < rowCount + 50; number += 1) {
      const id = idOf(number);
      // An id is never used again, and an entity does not lose a field.
      if (deleted.has(id) || !random.chance(share)) continue;
      const before = entities.get(id);
      const isDeleted = before !== undefined && random.chance(0.3);
      if (isDeleted) deleted.add(id);
      changed.set(id, isDeleted ? undefined : { ...before, ...entityOf(random, number, false) });
    }
    commit(stamp, changed);
  };
  const numbers = Array.from({ length: rowCount }, (_, number) => number).filter(() => random.chance(0.7));
  commit(startMs, new Map(numbers.map((number) => [idOf(number), entityOf(random, number, true)])));
  // In every third log, segments are one item each.
  const sizes = { maxRows: 400, bucketBytes: 100, maxSmallBytes: seed % 3 === 0 ? 100_000 : 0 };
  await log.compact(startMs + 1, sizes);
  change(laterMs + 10, 0.1);
  await log.compact(laterMs + 11, { ...sizes, maxShareOfColumn: 0.9 });
  change(laterMs + 20, 0.05);
  await log.compact(laterMs + 21, { ...sizes, maxShareOfColumn: 0.9 });
  const first = log.log.manifest?.segments[0];
  expect(first?.isSmall ?? first?.buckets).toEqual(
    seed % 3 === 0 || expect.objectContaining({ projectId: expect.any(Number), ownerId: expect.any(Number) }),
  );
  expect(log.log.manifest?.outOfOrder).not.toEqual([]);
  if (random.chance(0.8)) change(laterMs + 30, 0.1);
  return { log, entities };
}

const memory = new ProcessMemory();

async function requireRight(seed: number, { log, entities }: Case, query: ListQuery): Promise<void> {
  const expected = plainList(entities.values(), query);
  const source = { reader: log.log.open(), memory: memory.of(`tenant ${seed}`, 'task'), nowMs: laterMs };
  const { rows, total, counts } = await readRows(source, toRowQuery('task', query));
  const found = { ids: rows.map(({ id }) => id), total, counts };
  const ids = expected.entities.map(({ id }) => id);
  expect({ query, ...found }).toEqual({ query, ids, total: expected.total, counts: expected.counts });
}

describe('any list has the rows, the total and the counts of a plain search', () => {
  test.each([1, 2, 3])('in the log %i', async (seed) => {
    const built = await caseOf(seed);
    const pages = fc.record({ page: fc.nat({ max: 12 }), limit: fc.constantFrom(1, 7, 20, 100, 1_000) });
    await fc.assert(
      fc.asyncProperty(fc.integer(), pages, async (querySeed, { page, limit }) => {
        const more = { page: page + 1, limit, ranks, defaults };
        await requireRight(seed, built, randomQuery(new Random(querySeed), fields, more));
      }),
      { numRuns: runs(30, 150) },
    );
  });
});

test.each([1, 2, 3])('an audit visits each row of the log %i once', async (seed) => {
  const { log, entities } = await caseOf(seed);
  const visited: [id: string, row: Row][] = [];
  const source = {
    reader: log.log.open(),
    memory: new ProcessMemory().of('acme', 'task'),
    nowMs: laterMs + 60_000,
  };
  const { rows, total } = await visitRows(source, (id, { row }) => visited.push([id, row]));
  expect({ rows, total }).toEqual({ rows: entities.size, total: entities.size });
  expect(Object.fromEntries(visited)).toEqual(
    Object.fromEntries([...entities].map(([id, entity]) => [id, toRow(entity)])),
  );
});
