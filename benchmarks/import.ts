/**
 * `npm run bench -- import`: creates tasks by batches over HTTP events, from several clients at once, while no compaction runs. Then calls the function
 * of the schedule until the log is compacted. Writes `docs/performance/import.md`.
 *
 * `--tasks 300000` creates so many tasks, and a tenth as many with 50 tags and long texts of another script.
 */
import { parseArgs } from 'node:util';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { encodeReminder, reminderKey } from '../functions/engine/model/reminder.ts';
import { type SdkDynamoDb, sharedClient } from '../functions/engine/table/client.ts';
import { handler as onSchedule } from '../functions/jobs/on-schedule.ts';
import { forEach } from '../functions/runtime/for-each.ts';
import { batchTasks } from '../functions/tasks/contract.ts';
import { rebuildLogs } from '../lib/audit/change-logs.ts';
import { jobTimeoutMs } from '../lib/hosting/functions.ts';
import { invokeWithEvent, openFunctions } from '../lib/local/invoke.ts';
import { functionContext, scheduledEvent } from '../lib/local/lambda-context.ts';
import { operationEvent } from '../lib/local/operation-event.ts';
import { startEngineStore, type TestStore } from '../test/support/local-store.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { coldCost, warmCost } from './list-request.ts';
import { publishPage, table } from './report.ts';
import { TaskCollection, tenant } from './task-collection.ts';

const { values: flags } = parseArgs({
  options: { tasks: { type: 'string', default: usualOrSmallest('300000', '500') }, ...formOption },
});

const clients = 4;

/** Operations of a batch: as many as the API takes. */
const batchSize = 25;

/** Tasks before the import. */
const tasksBefore = usualOrSmallest(10_000, 200);

/** The schedule runs each minute. */
const scheduleMs = 60_000;

/** The page whose read units are measured. */
const list = { collection: 'tasks', query: 'sortBy=priority&sortOrder=desc' } as const;

/** Counts the write units of all functions of this process. */
class WriteUnits {
  units = 0;

  constructor({ middlewareStack }: DynamoDBDocumentClient) {
    middlewareStack.add(
      (next, context) => async (sent) => {
        const response = await next(sent);
        const { ConsumedCapacity } = response.output as { ConsumedCapacity?: unknown };
        const reports = [ConsumedCapacity ?? []].flat() as { readonly CapacityUnits?: number }[];
        if (/Put|Delete|Update|Write/.test(context.commandName ?? ''))
          for (const { CapacityUnits = 0 } of reports) this.units += CapacityUnits;
        return response;
      },
      { step: 'initialize', name: 'writeUnits' },
    );
  }
}

/** Counts the steps that failed: their function logs them. */
class FailedSteps {
  count = 0;
  readonly #write = process.stdout.write.bind(process.stdout);

  constructor() {
    process.stdout.write = (line: string | Uint8Array, ...more: never[]): boolean => {
      const text = String(line);
      if (text.includes('"A step failed."')) this.count += 1;
      // The lines of requests and of steps are not shown.
      return text.startsWith('{"timestamp"') && !text.includes('"ERROR"') ? true : this.#write(line, ...more);
    };
  }
}

type Body = Readonly<Record<string, unknown>>;

/** Creates tasks by batches, one after the other for each client. */
async function create(count: number, body: () => Body): Promise<void> {
  const began = performance.now();
  await forEach(Array(Math.ceil(count / batchSize)).keys(), clients, async () => {
    const operations = Array.from({ length: batchSize }, () => ({ operation: 'create', body: body() }));
    const { statusCode, body: response } = await invokeWithEvent(
      batchTasks,
      operationEvent(batchTasks, { body: { operations } }),
    );
    if (statusCode !== 200) throw new Error(`A batch failed: ${JSON.stringify(response)}`);
  });
  console.log('Batches for seconds:', (performance.now() - began) / 1_000);
}

/**
 * Makes the log due, and calls the function of the schedule, each minute, until it is not due any more.
 * @returns its calls, and the seconds from the first one to the end of the last one.
 */
async function compact(store: TestStore): Promise<{ readonly calls: number; readonly seconds: number }> {
  await store.database().putItem(encodeReminder({ tenant, kind: 'task', dueAt: Date.now() - 1 }));
  for (let calls = 1; ; calls += 1) {
    const began = performance.now();
    await onSchedule(scheduledEvent(), functionContext('schedule', jobTimeoutMs));
    const lastMs = performance.now() - began;
    console.log({ calls, lastMs });
    const reminder = await store.database().get(reminderKey({ tenant, kind: 'task' }));
    if (!reminder) return { calls, seconds: ((calls - 1) * scheduleMs + lastMs) / 1_000 };
  }
}

const units = async () => ({
  first: (await coldCost(list, 1)).readUnits,
  warm: (await warmCost(list, 1)).readUnits,
});

const store = await startEngineStore();
const collection = new TaskCollection(store, tasksBefore);
await collection.load(() => {});
const close = await openFunctions(store, undefined);
const writes = new WriteUnits((sharedClient() as SdkDynamoDb).documents);
const failed = new FailedSteps();
await compact(store);

async function measureImport(
  name: string,
  count: number,
  body: () => Body,
): Promise<readonly (string | number)[]> {
  const before = await units();
  await create(count, body);
  const unitsBefore = writes.units;
  const compacted = await compact(store);
  const after = await units();
  await rebuildLogs(store.client, store.tableName);
  const rebuilt = await units();
  const row = [
    name,
    count.toLocaleString('en'),
    compacted.calls,
    compacted.seconds.toFixed(0),
    failed.count,
    ((writes.units - unitsBefore) / count).toFixed(2),
    `${before.first}, ${before.warm}`,
    `${after.first}, ${after.warm}`,
    `${rebuilt.first}, ${rebuilt.warm}`,
  ];
  console.log(row.join(' | '));
  return row;
}

const character = (): string => String.fromCharCode(0x4e00 + Math.floor(Math.random() * 3_000));
const text = (length: number): string => Array.from({ length }, character).join('');

const count = Number(flags.tasks);
const rows = [
  await measureImport('as seeded', count, () => collection.newTask),
  await measureImport('50 tags, long texts', Math.ceil(count / 10), () => ({
    ...collection.newTask,
    name: text(255),
    description: text(1_000),
    tagIds: [...collection.tags].sort(() => Math.random() - 0.5).slice(0, 50),
  })),
];
close();
await store.stop();

publishPage(
  'import.md',
  `${clients} clients create tasks over HTTP events, in batches of ${batchSize}, in a log of ${tasksBefore.toLocaleString('en')} tasks, while nothing compacts it. After the last write,
the function of the schedule is called each minute, and nothing else runs, until the log is compacted. Seconds are those from its first call to the end of its last one.
Write units are those of these calls for each created task. Read units are those of the first page by priority: of the first list of a process,
and of the second one. "Rebuilt" are those after \`npm run audit -- --rebuild\`, which writes the columns of the same rows at once: what a list of so many
rows costs, however they were written.

${table(
  [
    'tasks',
    'created',
    'calls of the schedule',
    'seconds',
    'failed steps',
    'write units',
    'read units before',
    'read units after',
    'read units rebuilt',
  ],
  rows,
)}
`,
);
