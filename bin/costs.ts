import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Command } from '@commander-js/extra-typings';
import { SdkDynamoDb } from '../functions/engine/table/client.ts';
import { rebuildLogs } from '../lib/audit/rebuild-logs.ts';
import { progressOn } from '../lib/command-line/progress.ts';
import { coldShare, costOfMillion, idleMonth, total, type Usage } from '../lib/costs/costs.ts';
import { prices } from '../lib/costs/prices.ts';
import { databaseUsage } from '../lib/local/request-line.ts';
import { type Service, startService } from '../lib/local/service.ts';
import { seed } from '../lib/seed/seed.ts';

/** Milliseconds of a cold start: an estimate. The functions need 43 to 146 ms of it with 1,024 or 1,769 MB. */
const coldStartMs = 400;

/**
 * Milliseconds that Lambda bills: an estimate for warm functions, and one cold start in a hundred requests. On an engine on the same machine,
 * a warm request takes 3 to 4 ms and a list 7 to 16; each of two to four calls takes some milliseconds more in AWS.
 */
const billedMs = { request: 15 + coldStartMs / 100, list: 40 + coldStartMs / 100 };

const amounts = { organizations: 1, users: 20, tags: 12, projects: 30, tasks: 2_000 };

/** The typical operations: what they are called here, the function, and how often a user calls them on a working day. */
const operations = {
  firstPage: ['list the first page of tasks', 'listTasks', 60],
  byPriority: ['list tasks by priority, sorted by due date', 'listTasks', 20],
  ofProject: ['list the tasks of a project', 'listProjectTasks', 10],
  read: ['read a task', 'readTask', 60],
  history: ['read the history of a task with 5 changes', 'listTaskChanges', 2],
  create: ['create a task', 'createTask', 4],
  createLong: ['create a task with 5 KB of description', 'createTask', 1],
  batch: ['create 25 tasks in a batch', 'batchTasks', 0.1],
  changeStatus: ['change the status of a task', 'updateTask', 10],
  delete: ['delete a task', 'deleteTask', 0.5],
} as const satisfies Record<string, readonly [string, string, number]>;

type Operation = keyof typeof operations;

const teams = [1, 5, 20, 100, 2_000];
const workingDays = 21;

interface Response {
  readonly body: { readonly id: string; readonly data: readonly { readonly id: string }[] };
  readonly used: Pick<Usage, 'readUnits' | 'writeUnits' | 'responseBytes'>;
}

async function send(url: string, method: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(url + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  const used = databaseUsage(response.headers.get('server-timing') ?? '');
  return {
    body: JSON.parse(text || '{}') as Response['body'],
    used: { ...used, responseBytes: text.length },
  };
}

/** Lists of a process before the one whose units count: the first ones read columns, new records, and entities by key that have no columns in memory yet. */
const listsBefore = 10;

/** Reads a list whose columns are in memory. */
async function sendWarm(url: string, path: string): Promise<Response> {
  for (let list = 0; list < listsBefore; list += 1) await send(url, 'GET', path);
  return send(url, 'GET', path);
}

async function measure({ url }: Service): Promise<Record<Operation, Response>> {
  const first = async (plural: string): Promise<string> =>
    (await send(url, 'GET', `/v1/${plural}?limit=1`)).body.data[0]?.id ?? '';
  // The long text, which is created below, would be on this page.
  const firstPage = await sendWarm(url, '/v1/tasks');
  const parents = { projectId: await first('projects'), userId: await first('users') };
  const body = { name: 'A task', ...parents };
  const create = await send(url, 'POST', '/v1/tasks', body);
  const task = `/v1/tasks/${create.body.id}`;
  const createLong = await send(url, 'POST', '/v1/tasks', { ...body, description: 'x'.repeat(5_000) });
  const batched = { operations: Array.from({ length: 25 }, () => ({ operation: 'create', body })) };
  for (let count = 0; count < 4; count += 1) await send(url, 'PATCH', task, { name: `Name ${count}` });
  return {
    firstPage,
    byPriority: await sendWarm(url, '/v1/tasks?priority=high&sortBy=dueDate'),
    ofProject: await sendWarm(url, `/v1/projects/${parents.projectId}/tasks`),
    read: await send(url, 'GET', task),
    history: await send(url, 'GET', `${task}/changes`),
    create,
    createLong,
    batch: await send(url, 'POST', '/v1/tasks/batch', batched),
    changeStatus: await send(url, 'PATCH', task, { status: 'done' }),
    delete: await send(url, 'DELETE', task),
  };
}

/** Returns the requests that a team makes on a day, by function. */
function requestsByFunction(users: number): readonly number[] {
  const requests = new Map<string, number>();
  for (const [, name, perDay] of Object.values(operations))
    requests.set(name, (requests.get(name) ?? 0) + users * perDay);
  return [...requests.values()];
}

const dollars = (amount: number): string => amount.toFixed(2);

function print(measured: Readonly<Record<Operation, Response>>): void {
  console.log(`Prices of ${prices.date}, in US dollars.

| a million times | read units | write units | database | Lambda | gateway | logs | transfer | sum |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`);
  let perUser = 0;
  for (const [name, [title, , perDay]] of Object.entries(operations)) {
    const { used } = measured[name as Operation];
    const isList = title.startsWith('list');
    const time = {
      billedMs: isList ? billedMs.list : billedMs.request,
      memoryMb: isList || name === 'delete' ? 1_769 : 1_024,
    };
    const cost = costOfMillion({ ...used, ...time });
    perUser += (total(cost) * perDay * workingDays) / 1_000_000;
    const parts = [used.readUnits, used.writeUnits, ...Object.values(cost).map(dollars)];
    console.log(`| ${title} | ${parts.join(' | ')} | **${dollars(total(cost))}** |`);
  }
  console.log(`
| a month without requests | US dollars |
| --- | ---: |
| with alarms | ${dollars(idleMonth(true))} |
| with alarms=false | ${dollars(idleMonth(false))} |

| users | requests of a month, US dollars | share of cold starts |
| ---: | ---: | ---: |`);
  for (const users of teams) {
    const share = 100 * coldShare(requestsByFunction(users));
    console.log(`| ${users} | ${dollars(perUser * users)} | ${share.toFixed(1)} % |`);
  }
}

export const command = new Command('costs')
  .description(
    'Measures the units of typical requests on the embedded engine, and prints what they cost on AWS.',
  )
  .action(async () => {
    const service = await startService({ port: 0, databaseFile: ':memory:' });
    try {
      await seed({ amounts, seed: 1, url: service.url, concurrency: 16 }, progressOn(process.stderr));
      const client = new DynamoDBClient({ endpoint: service.endpoint });
      // Lists of a compacted log: pending records add to the read units.
      await rebuildLogs(new SdkDynamoDb(client), service.tableName);
      client.destroy();
      print(await measure(service));
    } finally {
      await service.stop();
    }
  });
