import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command } from '@commander-js/extra-typings';
import { rangeQuery } from '../functions/engine/columns/dynamodb-storage.ts';
import { deleteEntity } from '../functions/engine/deletions/delete-entity.ts';
import { readJobs } from '../functions/engine/due-work/read-jobs.ts';
import { createEntity } from '../functions/engine/entities/create-entity.ts';
import { alwaysDue, buildJobWrite } from '../functions/engine/model/job.ts';
import { SdkDynamoDb, sharedClient } from '../functions/engine/table/client.ts';
import { Database } from '../functions/engine/table/database.ts';
import { Deadline } from '../functions/engine/table/deadline.ts';
import type { Session } from '../functions/engine/table/session.ts';
import { continueJob } from '../functions/jobs/continue-job.ts';
import { publishRecords } from '../functions/jobs/publish-records.ts';
import { rebuildLogs } from '../lib/audit/change-logs.ts';
import { progressLines } from '../lib/cli/progress.ts';
import {
  type Cost,
  coldStarts,
  costOfMillion,
  costOfMillionEvents,
  type EventUsage,
  idleMonth,
  machineClientMonth,
  monthOf,
  requestMetricsMonth,
  total,
  type Usage,
} from '../lib/costs/costs.ts';
import { prices } from '../lib/costs/prices.ts';
import {
  backgroundUnits,
  backupsMonth,
  eventBusMonth,
  type MonthCost,
  monthOfWorkload,
  ownKeyMonth,
  type Workload,
} from '../lib/costs/workload.ts';
import { publishing } from '../lib/hosting/functions.ts';
import { type Service, startService } from '../lib/local/service.ts';
import { ensureTable } from '../lib/local/table.ts';
import { seed } from '../lib/seed/seed.ts';

/** Milliseconds of a cold start: an estimate. The functions need 43 to 146 ms of it with 1,024 or 1,769 MB (`benchmarks/results/memory.md`). */
const coldStartMs = 400;

/**
 * Milliseconds that Lambda bills: an estimate for warm functions, and one cold start in a hundred requests. On an engine on the same machine,
 * a warm request takes 3 to 4 ms and a list 7 to 16 (`benchmarks/results/memory.md`); each of two to four calls takes some milliseconds more in AWS.
 */
const billedMs = { request: 15 + coldStartMs / 100, list: 40 + coldStartMs / 100 };

/** Seconds between two writes of a log for which the table of requests has the background work. */
const secondsBetweenWrites = 60;

/** What a user does in a month of 21 days. */
const habits = {
  'list the first page of tasks': 21 * 60,
  'list tasks by priority, sorted by due date': 21 * 20,
  'read a task': 21 * 60,
  'create a small task': 21 * 3,
  'create a task with 5 KB of description': 21,
  'change the status of a task': 21 * 10,
};

const amounts = { organizations: 1, users: 20, tags: 12, projects: 30, tasks: 2_000 };

/** Tasks of the project whose deletion is measured. */
const tasksOfProject = 50;

type Answer = { readonly id: string; readonly data: readonly { readonly id: string }[] };

interface Answered {
  readonly body: Answer;
  readonly used: Pick<Usage, 'readUnits' | 'writeUnits' | 'responseBytes'>;
}

async function send(url: string, method: string, path: string, body?: object): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const [, readUnits, writeUnits] =
    /read=([\d.]+)(?:, write=([\d.]+))?/.exec(response.headers.get('server-timing') ?? '') ?? [];
  return {
    body: (text === '' ? {} : JSON.parse(text)) as Answer,
    used: {
      readUnits: Number(readUnits ?? 0),
      writeUnits: Number(writeUnits ?? 0),
      responseBytes: text.length,
    },
  };
}

/** Lists of a process before the one whose units count: the first ones read columns, new records, and entities by key that have no columns in memory yet. */
const listsBefore = 10;

/** Reads a list whose columns are in memory. */
async function sendWarm(url: string, path: string): Promise<Answered> {
  for (let list = 0; list < listsBefore; list += 1) await send(url, 'GET', path);
  return send(url, 'GET', path);
}

/** Makes the jobs of a tenant due, and continues them until none is left. @returns the units that the steps used. */
async function continueJobs(session: () => Session): Promise<Pick<Usage, 'readUnits' | 'writeUnits'>> {
  const used = { readUnits: 0, writeUnits: 0 };
  for (;;) {
    const { database } = session();
    const [job] = await readJobs(database);
    if (!job) return used;
    const due = { ...job, version: job.version + 1, dueAt: alwaysDue };
    await database.transact([buildJobWrite(job, due)]);
    const worker = session().database;
    await continueJob(worker, job, { owner: 'costs' });
    used.readUnits += worker.consumption.readUnits;
    used.writeUnits += worker.consumption.writeUnits;
  }
}

/** Deletes a project with tasks, in a table whose jobs only this function continues. */
async function deleteProjectWithJob(endpoint: string): Promise<Answered['used']> {
  const tableName = 'deletion';
  const client = new DynamoDBClient({ endpoint });
  await ensureTable(client, tableName, { stream: false });
  client.destroy();
  const session = (): Session => ({
    tenant: 'public',
    database: new Database(sharedClient(), tableName, new Deadline(60_000)),
  });
  const fields = { name: 'A project', status: 'active' };
  const organization = await createEntity(session(), 'organization', fields);
  const organizationId = organization.entity.id;
  const project = await createEntity(session(), 'project', { ...fields, organizationId });
  const projectId = project.entity.id;
  for (let count = 0; count < tasksOfProject; count += 1)
    await createEntity(session(), 'task', {
      ...fields,
      description: '',
      projectId,
      userId: null,
      tagIds: [],
    });
  const deletion = session();
  await deleteEntity(deletion, 'project', projectId);
  const job = await continueJobs(session);
  const { consumption } = deletion.database;
  return {
    readUnits: consumption.readUnits + job.readUnits,
    writeUnits: consumption.writeUnits + job.writeUnits,
    responseBytes: 0,
  };
}

async function measure({ url, endpoint }: Service) {
  const first = async (plural: string): Promise<string> => {
    const { body } = await send(url, 'GET', `/v1/${plural}?limit=1`);
    return body.data[0]?.id ?? '';
  };
  // Long texts, which are created below, would be on this page.
  const newest = await sendWarm(url, '/v1/tasks');
  const organizationId = await first('organizations');
  const parents = { projectId: await first('projects'), userId: await first('users') };
  const small = await send(url, 'POST', '/v1/tasks', { name: 'A task', ...parents });
  const task = `/v1/tasks/${small.body.id}`;
  const description = 'x'.repeat(5_000);
  const long = await send(url, 'POST', '/v1/tasks', { name: 'A task', description, ...parents });
  const longTask = `/v1/tasks/${long.body.id}`;
  const project = await send(url, 'POST', '/v1/projects', { name: 'A project', organizationId });
  const projectId = project.body.id;
  for (let count = 0; count < 10; count += 1) {
    await send(url, 'POST', '/v1/tasks', { name: 'A task', description, projectId });
  }
  const owner = await send(url, 'POST', '/v1/organizations', { name: 'An organization' });
  const operations = Array.from({ length: 25 }, () => ({
    operation: 'create',
    body: { name: 'A task', ...parents },
  }));
  for (let count = 0; count < 4; count += 1) await send(url, 'PATCH', task, { name: `Name ${count}` });
  return {
    'list the first page of tasks': newest,
    'list the first page of projects': await sendWarm(url, '/v1/projects'),
    'list the tasks of a project': await sendWarm(url, `/v1/projects/${parents.projectId}/tasks`),
    'list tasks with 5 KB of description, 10 on the page': await sendWarm(
      url,
      `/v1/projects/${projectId}/tasks`,
    ),
    'list tasks by priority, sorted by due date': await sendWarm(
      url,
      '/v1/tasks?priority=high&sortBy=dueDate',
    ),
    'read a task': await send(url, 'GET', task),
    'read a task with 5 KB of description': await send(url, 'GET', longTask),
    'read the history of a task with 5 changes': await send(url, 'GET', `${task}/changes`),
    'create a small task': small,
    'create a task with 5 KB of description': long,
    'create 25 small tasks in a batch': await send(url, 'POST', '/v1/tasks/batch', { operations }),
    'change the priority of a task': await send(url, 'PATCH', task, { priority: 'high' }),
    'change the status of a task': await send(url, 'PATCH', task, { status: 'done' }),
    'change the status of a task with 5 KB of description': await send(url, 'PATCH', longTask, {
      status: 'done',
    }),
    'replace a task': await send(url, 'PUT', task, { name: 'Another name', ...parents }),
    'delete a task': await send(url, 'DELETE', task),
    [`delete a project with ${tasksOfProject} tasks, with its job`]: {
      used: await deleteProjectWithJob(endpoint),
    },
    'create a project': project,
    'clone a project with 10 such tasks': await send(url, 'POST', `/v1/projects/${projectId}/clone`, {
      include: ['tasks'],
    }),
    'archive an organization': await send(url, 'POST', `/v1/organizations/${owner.body.id}/archive`),
  };
}

/** Returns what a million of each request cost. @param background the units of the work that follows a write. */
const costsOf = (
  measured: Readonly<Record<string, Pick<Answered, 'used'>>>,
  background: Pick<Usage, 'readUnits' | 'writeUnits'>,
): Readonly<Record<string, { cost: Cost; usage: Answered['used'] }>> =>
  Object.fromEntries(
    Object.entries(measured).map(([operation, { used }]) => {
      const isList = operation.startsWith('list');
      const readsColumns = isList || /^(?:clone|archive|delete)/.test(operation);
      const time = {
        billedMs: isList ? billedMs.list : billedMs.request,
        memoryMb: readsColumns ? 1_769 : 1_024,
      };
      const later = used.writeUnits > 0 ? background : { readUnits: 0, writeUnits: 0 };
      const units = {
        readUnits: used.readUnits + later.readUnits,
        writeUnits: used.writeUnits + later.writeUnits,
      };
      return [operation, { cost: costOfMillion({ ...used, ...units, ...time }), usage: used }];
    }),
  );

/** Calls of the function that publishes events: an estimate. A request to EventBridge takes some 20 ms, and compaction looks at the log. */
const publishingCalls = [
  { what: 'one change in a call', recordsPerCall: 1, billedMs: 60, memoryMb: 1_769 },
  {
    what: 'a hundred changes in a call',
    recordsPerCall: publishing.maxRecords,
    billedMs: 300,
    memoryMb: 1_769,
  },
];

/** Measures the events of the last record of the tasks' log. */
async function measureEvents(tableName: string): Promise<EventUsage> {
  const database = new Database(sharedClient(), tableName, new Deadline(60_000));
  const newest = rangeQuery('public', 'task', { above: 0, isDescending: true });
  const { items } = await database.query({ ...newest, Limit: 1 });
  const before = database.consumption.readUnits;
  let [events, bytes] = [0, 0];
  const keys = items.map(({ pk, sk }) => ({ pk, sk }));
  const unpublished = await publishRecords(database, keys, async (sent) => {
    events += sent.length;
    bytes += Buffer.byteLength(sent.map((event) => JSON.stringify(event)).join(''));
    return undefined;
  });
  if (unpublished) throw unpublished.error;
  return { readUnits: database.consumption.readUnits - before, events, bytes };
}

/** Makes changes, and measures the events of each. */
async function eventsOfChanges({ url, tableName }: Service) {
  const created = await send(url, 'POST', '/v1/tasks', { name: 'A task', priority: 'high' });
  const ofCreation = await measureEvents(tableName);
  await send(url, 'PATCH', `/v1/tasks/${created.body.id}`, { status: 'done' });
  const ofUpdate = await measureEvents(tableName);
  const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body: { name: 'A task' } }));
  await send(url, 'POST', '/v1/tasks/batch', { operations });
  return {
    'created tasks': ofCreation,
    'changes of a status': ofUpdate,
    'tasks, created 25 in a batch': await measureEvents(tableName),
  };
}

function printEvents(usages: Readonly<Record<string, EventUsage>>): void {
  console.log(`
| a million events | read units of a record | bytes | database | bus | archive | Lambda | sum |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`);
  for (const [change, usage] of Object.entries(usages)) {
    for (const { what, ...calls } of publishingCalls) {
      const cost = costOfMillionEvents(usage, calls);
      const parts = [
        usage.readUnits,
        Math.round(usage.bytes / usage.events),
        ...Object.values(cost as unknown as Record<string, number>).map(dollars),
      ];
      console.log(`| ${change}, ${what} | ${parts.join(' | ')} | **${dollars(total(cost))}** |`);
    }
  }
}

const dollars = (amount: number): string => amount.toFixed(2);

/** Steady traffic with the habits of a user, at all hours. The cold units have the shares of the habits: pages in creation order need few. */
const workloads: Readonly<Record<string, Workload>> = {
  '50 tenants with 10,000 tasks, 10 requests a second together': {
    tenants: 50,
    tasks: 10_000,
    requestsPerSecond: 10,
    historyDays: 30,
    coldReadUnits: 30,
  },
  'one tenant with a million tasks, 100 requests a second': {
    tenants: 1,
    tasks: 1_000_000,
    requestsPerSecond: 100,
    historyDays: 30,
    coldReadUnits: 84.5,
  },
};

/** Days of backups, and environments, for which the table has the price of options. */
const backupDays = 35;
const environments = 50;

function printWorkloads(costs: Readonly<Record<string, { readonly cost: Cost }>>, events: EventUsage): void {
  const habitual = Object.values(habits).reduce((sum, count) => sum + count, 0);
  const kinds = Object.entries(habits).map(([operation, count]) => {
    const cost = costs[operation]?.cost;
    if (!cost) throw new TypeError(`There is no cost of "${operation}".`);
    const isWrite = /^(?:create|change)/.test(operation);
    return { share: count / habitual, cost, isList: operation.startsWith('list'), isWrite };
  });
  const months = Object.values(workloads).map((workload) => monthOfWorkload(workload, kinds));
  const rows = Object.keys(months[0] ?? {}).map((name) => [
    name,
    0,
    ...months.map((month) => month[name as keyof MonthCost]),
  ]);
  const sums = months.map((month) => Object.values(month).reduce((sum, one) => sum + one, idleMonth()));
  const tasks = Object.values(workloads).map((one) => one.tenants * one.tasks);
  const all: readonly (readonly (string | number)[])[] = [
    ['schedule, alarms, metrics, dashboard', idleMonth(), ...months.map(() => idleMonth())],
    ...rows,
    ['**sum**', idleMonth(), ...sums],
    [`option: backups of ${backupDays} days`, 0, ...tasks.map((one) => backupsMonth(one, backupDays))],
    [
      'option: an event bus',
      0,
      ...Object.values(workloads).map((workload) => eventBusMonth(workload, kinds, events)),
    ],
    ['option: a key of your own in KMS', ownKeyMonth(0), ...tasks.map(() => ownKeyMonth(environments))],
  ];
  console.log(`
| a month, US dollars | idle | ${Object.keys(workloads).join(' | ')} |
| --- | ---: | ---: | ---: |`);
  for (const [name, ...amounts] of all)
    console.log(`| ${name} | ${amounts.map((amount) => dollars(Number(amount))).join(' | ')} |`);
}

export const command = new Command('costs')
  .description(
    'Measures the units of typical requests on the embedded engine, and prints what they cost on AWS.',
  )
  .action(async () => {
    const service = await startService({ port: 0, databaseFile: ':memory:' });
    const progress = progressLines(console.error);
    await seed({ amounts, seed: 1, url: service.url, concurrency: 16 }, progress);
    const client = new DynamoDBClient({ endpoint: service.endpoint });
    // Lists of a compacted log: pending records add to the read units.
    await rebuildLogs(new SdkDynamoDb(client), service.tableName);
    client.destroy();
    const measured = await measure(service);
    const costs = costsOf(measured, backgroundUnits(secondsBetweenWrites));
    const events = await eventsOfChanges(service);
    await service.stop();
    console.log(`Prices of ${prices.date}, in US dollars.

| a million times | read units | write units | database | Lambda | gateway | logs | transfer | sum |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`);
    for (const [operation, { cost, usage }] of Object.entries(costs)) {
      const parts = [usage.readUnits, usage.writeUnits, ...Object.values(cost).map(dollars)];
      console.log(`| ${operation} | ${parts.join(' | ')} | **${dollars(total(cost))}** |`);
    }
    printEvents(events);
    const ofMillion = Object.fromEntries(Object.entries(costs).map(([name, { cost }]) => [name, cost]));
    const team = monthOf(20, habits, ofMillion, 0.1) + requestMetricsMonth(12, 0.25);
    const company = monthOf(2_000, habits, ofMillion, 10) + requestMetricsMonth(40, 1);
    console.log(`
| a month | US dollars |
| --- | ---: |
| nothing but the service, without requests | ${dollars(idleMonth())} |
| a team of 20 | ${dollars(team)} |
| a company of 2,000 | ${dollars(company)} |
| their metrics of requests, included | ${dollars(requestMetricsMonth(12, 0.25))}, ${dollars(requestMetricsMonth(40, 1))} |
| a client for programs with a token a day | ${dollars(machineClientMonth(30))} |
| a client for programs with a token for each of a million requests | ${dollars(machineClientMonth(1_000_000))} |
| a million cold starts of ${coldStartMs} ms with 1,024 MB, with 1,769 MB | ${dollars(coldStarts(coldStartMs, 1_024))}, ${dollars(coldStarts(coldStartMs, 1_769))} |`);
    printWorkloads(costsOf(measured, { readUnits: 0, writeUnits: 0 }), events['created tasks']);
  });
