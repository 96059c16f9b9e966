/**
 * `npm run bench:lists`: what a page of a list costs as the collection grows, by the counted index, by the usual way on
 * DynamoDB (count everything, skip to the page), and by PostgreSQL, in one run. Writes `docs/performance/lists.md`
 * and its plot.
 *
 * `-- --million` goes up to 10^6 entities, which takes most of an hour and 10 GB of memory.
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
/** Runs of each, of which the median counts. */
const runs = 15;
/** The usual way reads everything: above this it would take a minute a page. */
const largestUsual = 100_000;
/** Milliseconds after which a page is given up, in lists that have no counters. No request may take as long. */
const patience = 60_000;

interface Cost {
  /** Infinity when it was given up. */
  readonly milliseconds: number;
  readonly calls: number;
  readonly readUnits: number;
}

interface Row {
  readonly size: number;
  readonly list: string;
  readonly page: string;
  readonly total: number;
  readonly own: Cost;
  readonly usual: Cost | undefined;
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

/** Runs something and measures it; a whole second of it is enough. */
async function cost(store: TestStore, work: (session: Session) => Promise<unknown>): Promise<Cost> {
  const times: number[] = [];
  let calls = 0;
  let readUnits = 0;
  const started = performance.now();
  while (times.length === 0 || (times.length < runs && performance.now() - started < 2_000)) {
    const session = { tenant, database: store.database(patience) };
    const before = performance.now();
    try {
      await work(session);
      times.push(performance.now() - before);
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      times.push(Number.POSITIVE_INFINITY);
    }
    ({ calls, readUnits } = session.database.consumption);
  }
  return { milliseconds: median(times), calls, readUnits };
}

/** Counts all that match, and skips to the page. */
async function usualWay({ database }: Session, collection: Collection, query: ListQuery): Promise<void> {
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
  if (counted > collection.size) throw new Error('More was counted than there is.');
  await database.slice(request, (query.page - 1) * limit, limit);
}

/** Counts and pages on PostgreSQL. @returns the milliseconds of both together. */
async function postgresWay(
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
  const times = await postgres.time(Array.from({ length: runs }, () => [counting, paging]).flat());
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
      const isUsual = collection.size <= largestUsual && sortBy === 'createdAt';
      const usual = isUsual
        ? await cost(store, (session) => usualWay(session, collection, wanted))
        : undefined;
      const postgresTime = await postgresWay(postgres, where, sortBy, number);
      rows.push({ size: collection.size, list, page, total, own, usual, postgres: postgresTime });
      const { milliseconds, calls, readUnits } = own;
      console.log(
        collection.size,
        list,
        page,
        `${milliseconds.toFixed(1)} ms`,
        `${calls} calls`,
        `${readUnits} units`,
        usual
          ? `| usual ${usual.milliseconds.toFixed(0)} ms ${usual.calls} calls ${usual.readUnits} units`
          : '',
        postgresTime ? `| PostgreSQL ${postgresTime.toFixed(1)} ms` : '',
      );
    }
  }
  return rows;
}

/** The dearest of many pages, anywhere in the lists in the order of creation. */
async function dearest(
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
    'usual way: ms',
    'calls',
    'read units',
    'PostgreSQL: ms',
  ];
  const ms = (number: number | undefined): string => {
    if (number === undefined) return '';
    return number > patience ? `over ${patience / 1_000} s` : number.toFixed(number < 10 ? 1 : 0);
  };
  return table(
    head,
    rows.map(({ size, list, page, own, usual, postgres }) => [
      size.toLocaleString('en'),
      list,
      page,
      ms(own.milliseconds),
      own.calls,
      own.readUnits,
      ms(usual?.milliseconds),
      usual?.calls ?? '',
      usual?.readUnits ?? '',
      ms(postgres),
    ]),
  );
}

/** Writes what was measured so far. */
function report(rows: readonly Row[], worst: readonly string[], version: string | undefined): void {
  const compared = version ? `, and ${version}, which counts and pages in one connection` : '';
  const text = `<!-- Written by "npm run bench:lists". -->

Pages of ${limit}, projects of 440 bytes of JSON, half of them in one organization, one in 1,000 with the rare status. The
median of up to ${runs} runs, on one machine, in one run: the embedded engine${compared}.
The usual way counts all that match, and skips to the page.

The dearest of 800 pages anywhere in the lists by creation: ${worst.join('; ')}.

${measurements(rows)}
`;
  publish('lists.md', text);
  const ofLast = (pick: (row: Row) => number | undefined) =>
    rows
      .filter(({ list, page }) => list === 'all' && page === 'last')
      .map((row) => ({ x: row.size, y: pick(row) }));
  const drawing = plot('The last page of all projects, and the total', 'entities', 'milliseconds', [
    { name: 'counted index', points: ofLast(({ own }) => own.milliseconds) },
    { name: 'count and skip, DynamoDB', points: ofLast(({ usual }) => usual?.milliseconds) },
    { name: 'count(*) and OFFSET, PostgreSQL', points: ofLast((row) => row.postgres) },
  ]);
  publish('lists.svg', drawing);
}

const store = await startTestStore({ stream: false });
const postgres = await Postgres.start();
if (!postgres) console.log('PostgreSQL is not installed: it is left out.');
const collection = new Collection(store);
const rows: Row[] = [];
const worst: string[] = [];
for (const size of sizes) {
  const started = performance.now();
  await collection.growTo(size, (projects) => postgres?.add(projects));
  await postgres?.settle();
  console.log(`${size} entities loaded in ${((performance.now() - started) / 1_000).toFixed(0)} s`);
  rows.push(...(await measure(store, collection, postgres)));
  const { readUnits, calls } = await dearest(store, collection);
  worst.push(`${size.toLocaleString('en')} entities: ${readUnits} read units, ${calls} calls`);
  console.log('dearest of 800 pages:', worst.at(-1));
  report(rows, worst, postgres?.version);
}
await postgres?.stop();
await store.stop();
