/**
 * `npm run bench:lists`: measures the cost of a list page as the collection grows: with the counted index, with count and
 * skip on DynamoDB, and on PostgreSQL. Writes `docs/performance/lists.md` and its plot.
 *
 * `-- --million` measures up to 10^6 entities, which takes most of an hour and 10 GB of memory.
 */

import { end, firstBoundary } from '../functions/shared/store/lists/counted-index/counters.ts';
import { partQuery } from '../functions/shared/store/lists/counted-index/page.ts';
import { listEntities } from '../functions/shared/store/lists/list-entities.ts';
import { StoreUnavailable } from '../functions/shared/store/model/errors.ts';
import { kindPartition, parentPartition } from '../functions/shared/store/model/keys.ts';
import type { ListQuery } from '../functions/shared/store/model/list-query.ts';
import type { Session } from '../functions/shared/store/unit-of-work/session.ts';
import { startTestStore, type TestStore } from '../test/support/local-store.ts';
import { Collection, statuses, tenant } from './collection.ts';
import { plot } from './plot.ts';
import { Postgres } from './postgres.ts';
import { median, publish, table } from './report.ts';

const sizes = [1_000, 10_000, 100_000, ...(process.argv.includes('--million') ? [1_000_000] : [])];
const limit = 20;
/** Runs of each measurement. The result is their median. */
const maxRuns = 15;
/** Largest collection for count and skip, which reads everything. Above, a page would take a minute. */
const maxCountAndSkip = 100_000;
/** Deadline of a page in lists without counters. It is longer than that of any request. */
const maxPageMs = 60_000;

interface Cost {
  /** Infinity when the deadline passed. */
  readonly durationMs: number;
  readonly calls: number;
  readonly readUnits: number;
}

interface Row {
  readonly size: number;
  readonly list: string;
  readonly page: string;
  readonly total: number;
  readonly own: Cost;
  readonly countSkip: Cost | undefined;
  readonly postgres: number | undefined;
}

const lists = (organization: string) => [
  { list: 'all', filters: [] as [string, string][], where: '' },
  {
    list: 'frequent status',
    filters: [['status', statuses.frequent]] as [string, string][],
    where: `where status = '${statuses.frequent}'`,
  },
  {
    list: 'rare status',
    filters: [['status', statuses.rare]] as [string, string][],
    where: `where status = '${statuses.rare}'`,
  },
  {
    list: 'by parent',
    filters: [['organizationId', organization]] as [string, string][],
    where: `where organization_id = '${organization}'`,
  },
  { list: 'by name', filters: [] as [string, string][], where: '', sortBy: 'name' },
];

/** Measures a function, for at most two seconds. */
async function cost(store: TestStore, run: (session: Session) => Promise<unknown>): Promise<Cost> {
  const times: number[] = [];
  let calls = 0;
  let readUnits = 0;
  const started = performance.now();
  while (times.length === 0 || (times.length < maxRuns && performance.now() - started < 2_000)) {
    const session = { tenant, database: store.database(maxPageMs) };
    const before = performance.now();
    try {
      await run(session);
      times.push(performance.now() - before);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      times.push(Number.POSITIVE_INFINITY);
    }
    ({ calls, readUnits } = session.database.consumption);
  }
  return { durationMs: median(times), calls, readUnits };
}

/** Counts all matching entities and skips to the page. */
async function countAndSkip({ database }: Session, collection: Collection, query: ListQuery): Promise<void> {
  const values = new Map(query.filters);
  const parent = values.get('organizationId');
  const listing = parent
    ? {
        family: 'parent' as const,
        partition: parentPartition(tenant, { child: 'project', field: 'organizationId' }, parent),
      }
    : { family: 'all' as const, partition: kindPartition(tenant, 'project') };
  const part = { from: firstBoundary, to: end };
  const request = partQuery({ ...listing, status: values.get('status') }, part, 'down');
  let counted = 0;
  for await (const { count } of database.queryPages({ ...request, Select: 'COUNT' })) counted += count;
  if (counted > collection.size) throw new Error('The count exceeds the size of the collection.');
  await database.slice(request, (query.page - 1) * limit, limit);
}

/** Counts and reads a page on PostgreSQL. @returns the milliseconds of both. */
async function postgresCost(
  postgres: Postgres | undefined,
  where: string,
  sortBy: string,
  page: number,
): Promise<number | undefined> {
  if (!postgres) return undefined;
  const order =
    sortBy === 'name' ? 'name collate "C" desc, created_at desc, id desc' : 'created_at desc, id desc';
  const counting = `select count(*) from project ${where}`;
  const paging = `select * from project ${where} order by ${order} limit ${limit} offset ${(page - 1) * limit}`;
  const times = await postgres.time(Array.from({ length: maxRuns }, () => [counting, paging]).flat());
  const pairs = times.flatMap((time, place) => (place % 2 === 0 ? [time + (times[place + 1] ?? 0)] : []));
  return median(pairs);
}

async function measure(
  store: TestStore,
  collection: Collection,
  postgres: Postgres | undefined,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { list, filters, where, sortBy = 'createdAt' } of lists(collection.organization)) {
    const query = { filters, sortBy, sortOrder: 'desc', limit, page: 1 } as const;
    const { total } = await listEntities(store.session(tenant), 'project', query);
    const last = Math.max(1, Math.ceil(total / limit));
    for (const [page, number] of [
      ['first', 1],
      ['middle', Math.ceil(last / 2)],
      ['last', last],
    ] as const) {
      const wanted = { ...query, page: number };
      const own = await cost(store, (session) => listEntities(session, 'project', wanted));
      const isSmall = collection.size <= maxCountAndSkip && sortBy === 'createdAt';
      const countSkip = isSmall
        ? await cost(store, (session) => countAndSkip(session, collection, wanted))
        : undefined;
      const postgresTime = await postgresCost(postgres, where, sortBy, number);
      rows.push({ size: collection.size, list, page, total, own, countSkip, postgres: postgresTime });
      const { durationMs, calls, readUnits } = own;
      console.log(
        collection.size,
        list,
        page,
        `${durationMs.toFixed(1)} ms`,
        `${calls} calls`,
        `${readUnits} units`,
        countSkip
          ? `| count and skip ${countSkip.durationMs.toFixed(0)} ms ${countSkip.calls} calls ${countSkip.readUnits} units`
          : '',
        postgresTime ? `| PostgreSQL ${postgresTime.toFixed(1)} ms` : '',
      );
    }
  }
  return rows;
}

/** Returns the maximum cost of 800 random pages of the lists in creation order. */
async function maxCost(
  store: TestStore,
  collection: Collection,
): Promise<{ readUnits: number; calls: number }> {
  let readUnits = 0;
  let calls = 0;
  for (const { filters, sortBy } of lists(collection.organization)) {
    if (sortBy) continue;
    const query = { filters, sortBy: 'createdAt', sortOrder: 'desc', limit, page: 1 } as const;
    const { total } = await listEntities(store.session(tenant), 'project', query);
    for (let number = 0; number < 200; number += 1) {
      const session = store.session(tenant);
      const page = 1 + Math.floor(Math.random() * Math.ceil(total / limit));
      await listEntities(session, 'project', { ...query, page });
      readUnits = Math.max(readUnits, session.database.consumption.readUnits);
      calls = Math.max(calls, session.database.consumption.calls);
    }
  }
  return { readUnits, calls };
}

function measurements(rows: readonly Row[]): string {
  const head = [
    'entities',
    'list',
    'page',
    'ms',
    'calls',
    'read units',
    'count and skip: ms',
    'calls',
    'read units',
    'PostgreSQL: ms',
  ];
  const ms = (number: number | undefined): string => {
    if (number === undefined) return '';
    return number > maxPageMs ? `over ${maxPageMs / 1_000} s` : number.toFixed(number < 10 ? 1 : 0);
  };
  return table(
    head,
    rows.map(({ size, list, page, own, countSkip, postgres }) => [
      size.toLocaleString('en'),
      list,
      page,
      ms(own.durationMs),
      own.calls,
      own.readUnits,
      ms(countSkip?.durationMs),
      countSkip?.calls ?? '',
      countSkip?.readUnits ?? '',
      ms(postgres),
    ]),
  );
}

/** Writes the results so far. */
function report(rows: readonly Row[], worst: readonly string[], version: string | undefined): void {
  const compared = version ? `, compared with ${version} over one connection` : '';
  const text = `<!-- Written by "npm run bench:lists". -->

Pages of ${limit}, projects of 440 bytes of JSON, half of them in one organization, one in 1,000 with the rare status. The
values are medians of up to ${maxRuns} runs on one machine, with the embedded engine${compared}.
"Count and skip" counts all matching entities on DynamoDB and skips to the page.

Maximum cost of 800 random pages of the lists in creation order: ${worst.join('; ')}.

${measurements(rows)}
`;
  publish('lists.md', text);
  const ofLast = (pick: (row: Row) => number | undefined) =>
    rows
      .filter(({ list, page }) => list === 'all' && page === 'last')
      .map((row) => ({ x: row.size, y: pick(row) }));
  const drawing = plot('The last page of all projects, and the total', 'entities', 'milliseconds', [
    { name: 'counted index', points: ofLast(({ own }) => own.durationMs) },
    { name: 'count and skip, DynamoDB', points: ofLast(({ countSkip }) => countSkip?.durationMs) },
    { name: 'count(*) and OFFSET, PostgreSQL', points: ofLast((row) => row.postgres) },
  ]);
  publish('lists.svg', drawing);
}

const store = await startTestStore();
const postgres = await Postgres.start();
if (!postgres) console.log('PostgreSQL is not installed. Its column stays empty.');
const collection = new Collection(store);
const rows: Row[] = [];
const worst: string[] = [];
for (const size of sizes) {
  const started = performance.now();
  await collection.growTo(size, (projects) => postgres?.add(projects));
  await postgres?.settle();
  console.log(`${size} entities loaded in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  rows.push(...(await measure(store, collection, postgres)));
  const { readUnits, calls } = await maxCost(store, collection);
  worst.push(`${size.toLocaleString('en')} entities: ${readUnits} read units, ${calls} calls`);
  console.log('maximum of 800 pages:', worst.at(-1));
  report(rows, worst, postgres?.version);
}
await postgres?.stop();
await store.stop();
