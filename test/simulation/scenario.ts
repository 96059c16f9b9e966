/** The words of scenarios: requests of a world, and what they are about. */

import { logPartition } from '#functions/engine/model/change-log.ts';
import { jobSortKey } from '#functions/engine/model/job.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import type { Kind } from '#functions/schema.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { isClean, reportLines } from '#lib/audit/report.ts';
import type { Call } from '../support/table/course.ts';
import { simulate } from './life.ts';
import { tableName } from './process.ts';
import type { World } from './world.ts';

interface Body {
  readonly id: string;
  readonly total: number;
  readonly version: number;
  readonly data: readonly Body[];
  readonly results: readonly { readonly status: number; readonly body: Body }[];
  readonly [field: string]: unknown;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** Each world of a file is later than the one before. */
let worlds = 0;

/** Lets a scenario happen in a world of its own, then a quiet time, and checks what must hold of all worlds. */
export async function inWorld(act: (world: World) => Promise<void>): Promise<void> {
  worlds += 1;
  await simulate(worlds, {}, act);
}

export function scenario(title: string, act: (world: World) => Promise<void>): void {
  test(title, () => inWorld(act));
}

/** What the functions have logged since the last call. */
let written: string[] = [];

export function takeLog(): Readonly<Record<string, unknown>>[] {
  const lines = written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  written = [];
  return lines;
}

/** Keeps the log, instead of printing it. Call it once in a file. */
export function keepLog(): void {
  beforeAll(() => {
    jest.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  });
  beforeEach(() => {
    written = [];
  });
  afterAll(() => jest.restoreAllMocks());
}

/** Sends a request to one of the processes, a moment after the one before. */
export async function send(
  world: World,
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
): Promise<Received> {
  await world.wait(1);
  return (await world.send(method, path, body, headers)) as Received;
}

/** Sends a request that succeeds. @returns its body. */
export async function succeed(world: World, method: string, path: string, body?: object): Promise<Body> {
  const { status, body: returned } = await send(world, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path} responded ${status}: ${JSON.stringify(returned)}`);
  return returned;
}

export const create = async (world: World, plural: string, fields: object = {}): Promise<string> =>
  (await succeed(world, 'POST', `/v1/${plural}`, { name: 'created', ...fields })).id;

/** Creates tasks with some fields. @returns their ids. */
export async function createTasks(world: World, count: number, fields: object): Promise<string[]> {
  const ids: string[] = [];
  for (let left = count; left > 0; left -= 25) {
    const operations = Array.from({ length: Math.min(25, left) }, (_, place) => ({
      operation: 'create',
      body: { name: `task ${left - place}`, ...fields },
    }));
    const { results } = await succeed(world, 'POST', '/v1/tasks/batch', { operations });
    ids.push(...results.map(({ body }) => body.id));
  }
  return ids;
}

/** Creates a project with tasks. */
export async function createProject(world: World, tasks = 0): Promise<string> {
  const projectId = await create(world, 'projects', { organizationId: await create(world, 'organizations') });
  await createTasks(world, tasks, { projectId });
  return projectId;
}

export const totalOf = async (world: World, path: string): Promise<number> =>
  (await succeed(world, 'GET', `/v1/${path}?limit=1`)).total;

/** Returns the ids of a list. */
export const listed = async (world: World, path: string): Promise<string[]> =>
  (await succeed(world, 'GET', `/v1/${path}`)).data.map(({ id }) => id);

/** @throws Error with what the audit has found. */
export async function requireClean({ table, time }: World): Promise<void> {
  const report = await auditTable(table, tableName, { pauseMs: 0, nowMs: time.now() });
  if (!isClean(report)) throw new Error(reportLines(report).join('\n'));
}

/**
 * Runs an action, and crashes the process that makes the n-th call of it, when DynamoDB has performed the call.
 * @returns the result, and whether a process has crashed.
 */
export async function crashAt<Result>(
  { processes }: World,
  call: number,
  action: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly hasCrashed: boolean }> {
  const crashes = (): number => processes.reduce((sum, process) => sum + process.crashes, 0);
  const before = crashes();
  for (const process of processes) process.callsLeft = call;
  const result = await action();
  for (const process of processes) process.callsLeft = undefined;
  return { result, hasCrashed: crashes() > before };
}

/** Returns whether a key is in the log of a kind. */
export const isInLog =
  (kind: Kind) =>
  ({ pk }: Key): boolean =>
    pk === logPartition('@public', kind);

export const isTransaction = ({ operation }: Call): boolean => operation === 'TransactWriteItems';

export const isIndexQuery = ({ operation, input }: Call): boolean =>
  operation === 'Query' && 'IndexName' in input && input.IndexName === 'by-creation';

export const jobsOf = ({ table }: World): Item[] => table.snapshot().filter(({ sk }) => sk === jobSortKey);
