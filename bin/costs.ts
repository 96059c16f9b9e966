/** `npm run costs`: measures the units of typical requests on the embedded engine and prints what they cost on AWS. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { rebuildLogs } from '../lib/audit/logs.ts';
import { flagsOrHelp, runCommand } from '../lib/cli/command-line.ts';
import { progressLines } from '../lib/cli/progress.ts';
import { type Cost, costOfMillion, idleMonth, monthOf, total } from '../lib/costs/costs.ts';
import { prices } from '../lib/costs/prices.ts';
import { startService } from '../lib/local/service.ts';
import { seed } from '../lib/seed/seed.ts';

/** Milliseconds that Lambda bills: an estimate for warm functions, and one cold start of 400 ms in a hundred requests. */
const billedMs = { request: 15 + 4, list: 40 + 4 };

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

type Answer = { readonly id: string; readonly data: readonly { readonly id: string }[] };

/** Sends a request. @returns its response with the units in `Server-Timing`. */
async function send(url: string, method: string, path: string, body?: object) {
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

async function measure(url: string): Promise<Record<string, Cost & { units: string }>> {
  const { body: projects } = await send(url, 'GET', '/v1/projects?limit=1');
  const { body: users } = await send(url, 'GET', '/v1/users?limit=1');
  const parents = { projectId: projects.data[0]?.id, userId: users.data[0]?.id };
  const small = await send(url, 'POST', '/v1/tasks', { name: 'A task', ...parents });
  const task = `/v1/tasks/${small.body.id}`;
  const long = { name: 'A task', description: 'x'.repeat(5_000), ...parents };
  const listed = '/v1/tasks?priority=high&sortBy=dueDate';
  // The first list of a process reads the columns.
  await send(url, 'GET', listed);
  const found = {
    'list the first page of tasks': await send(url, 'GET', '/v1/tasks'),
    'list tasks by priority, sorted by due date': await send(url, 'GET', listed),
    'read a task': await send(url, 'GET', task),
    'create a small task': small,
    'create a task with 5 KB of description': await send(url, 'POST', '/v1/tasks', long),
    'change the status of a task': await send(url, 'PATCH', task, { status: 'done' }),
    'delete a task': await send(url, 'DELETE', task),
  };
  return Object.fromEntries(
    Object.entries(found).map(([operation, { used }]) => {
      const isList = operation.startsWith('list');
      const time = { billedMs: isList ? billedMs.list : billedMs.request, memoryMb: isList ? 1_769 : 1_024 };
      const units = `${used.readUnits} | ${used.writeUnits}`;
      return [operation, { ...costOfMillion({ ...used, ...time }), units }];
    }),
  );
}

const dollars = (amount: number): string => amount.toFixed(2);

const help = `Measures the units of typical requests on the embedded engine, and prints what they cost on AWS.

  npm run costs

  --help   prints this text`;

await runCommand('npm run costs', async () => {
  if (!flagsOrHelp(help, {})) return 0;
  const service = await startService({ port: 0, databaseFile: ':memory:' });
  const progress = progressLines(console.error);
  await seed({ amounts, seed: 1, url: service.url, concurrency: 16 }, progress);
  const client = new DynamoDBClient({ endpoint: service.endpoint });
  // Lists of a compacted log: records that are not compacted yet add to the read units.
  await rebuildLogs(DynamoDBDocumentClient.from(client), service.tableName);
  client.destroy();
  const measured = await measure(service.url);
  await service.stop();
  console.log(`| a million times | read units | write units | database | Lambda | gateway | logs | transfer | sum |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`);
  for (const [operation, { units, ...cost }] of Object.entries(measured)) {
    const parts = Object.values(cost).map(dollars);
    console.log(`| ${operation} | ${units} | ${parts.join(' | ')} | **${dollars(total(cost))}** |`);
  }
  const costs = Object.fromEntries(
    Object.entries(measured).map(([name, { units: _, ...cost }]) => [name, cost]),
  );
  console.log(`
Prices of ${prices.date}, in US dollars.
Idle: ${dollars(idleMonth())} a month.
A team of 20: ${dollars(monthOf(20, habits, costs, 0.1))} a month.
A company of 2,000: ${dollars(monthOf(2_000, habits, costs, 10))} a month.`);
  return 0;
});
