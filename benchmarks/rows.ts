/**
 * `npm run bench -- rows`: measures how long lists take whose columns are in memory, without a database: filters by each operator, several sort
 * fields, and counts of values. Writes no file.
 *
 * `--rows 1000000` measures with 10^6 rows instead of 100,000.
 */

import { parseArgs } from 'node:util';
import { ProcessMemory } from '../functions/engine/columns/process-memory.ts';
import type { ListSource } from '../functions/engine/columns/read/read-state.ts';
import { toRowQuery } from '../functions/engine/lists/to-row-query.ts';
import type { Filter, ListQuery, SortField } from '../functions/engine/model/list-query.ts';
import { type Row, toRow } from '../functions/engine/model/row.ts';
import { task } from '../functions/tasks/resource.ts';
import { DataGenerator } from '../lib/seed/data.ts';
import { listQuery } from '../test/support/list-queries.ts';
import { LogBuilder } from '../test/support/log-builder.ts';
import { readRows } from '../test/support/read-rows.ts';
import { formOption, usualOrSmallest } from './form.ts';
import { median, requireFigures, table } from './report.ts';

const { values } = parseArgs({
  options: { rows: { type: 'string', default: usualOrSmallest('100000', '2000') }, ...formOption },
});
const size = Number(values.rows);
const runs = usualOrSmallest(9, 2);

/** Rows in one step of compaction: a whole segment. */
const stepRows = 32_768;

const days = 150;
const dayMs = 86_400_000;

/** Returns a UUID of version 7 with a time and a number. */
const idAt = (timeMs: number, number: number): string => {
  const hex = Math.floor(timeMs).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`;
};

const start = Date.now() - days * dayMs;

const amounts = {
  organizations: 20,
  users: 200,
  tags: 60,
  projects: Math.min(2_000, size / 200),
  tasks: size,
};
const generator = new DataGenerator(amounts, 1, new Date());
const ids: Record<keyof typeof amounts, string[]> = {
  organizations: [],
  users: [],
  tags: [],
  projects: [],
  tasks: [],
};
for (const kind of ['organizations', 'users', 'tags', 'projects'] as const) {
  for (let position = 0; position < amounts[kind]; position += 1) {
    generator[kind](position, ids);
    ids[kind].push(idAt(start, position));
  }
}

function rowOf(position: number, timeMs: number): Row {
  const fields = generator.tasks(position, ids) as unknown as Record<string, unknown>;
  const updatedMs = Math.min(start + days * dayMs, timeMs + Math.random() ** 3 * days * dayMs);
  return toRow({ ...fields, updatedAt: new Date(updatedMs).toISOString() } as never);
}

const log = new LogBuilder();
for (let first = 0; first < size; first += stepRows) {
  const rows: Record<string, Row> = {};
  for (let position = first; position < Math.min(size, first + stepRows); position += 1) {
    const timeMs = start + (position * days * dayMs) / size;
    rows[idAt(timeMs, position)] = rowOf(position, timeMs);
  }
  log.commit(start + first, rows);
  await log.compactAll(start + first + 1);
}
log.log.records.length = 0;
console.log(`${size} rows in ${log.log.manifest?.segments.length} segments`);

const memory = new ProcessMemory(4 * 1024 ** 3).of('acme', 'task');
const source = (): ListSource => ({ reader: log.log.open(), memory });

async function timeOf(query: Parameters<typeof readRows>[1]): Promise<number> {
  const began = performance.now();
  await readRows(source(), query);
  return performance.now() - began;
}

const where = (field: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  field,
  operator,
  values,
});
const by = (...fields: string[]): SortField[] =>
  fields.map((name) => ({
    field: name.replace('-', ''),
    direction: name.startsWith('-') ? 'desc' : 'asc',
  }));
const today = new Date().toISOString().slice(0, 10);
const lastWeek = new Date(Date.now() - 7 * dayMs).toISOString();
const user = ids.users[0] ?? '';

const lists: Readonly<Record<string, Partial<ListQuery>>> = {
  'status eq, by creation': { filters: [where('status', 'eq', 'planned')] },
  'name contains "review"': { filters: [where('name', 'contains', 'review')] },
  'name contains "e"': { filters: [where('name', 'contains', 'e')] },
  'name contains "zzzz"': { filters: [where('name', 'contains', 'zzzz')] },
  'name startsWith "re"': { filters: [where('name', 'startsWith', 're')] },
  'updatedAt gte last week, by updatedAt': {
    filters: [where('updatedAt', 'gte', lastWeek)],
    sort: by('-updatedAt'),
  },
  'updatedAt gte last week': { filters: [where('updatedAt', 'gte', lastWeek)] },
  'createdAt gte last week': { filters: [where('createdAt', 'gte', lastWeek)] },
  'createdAt gte last week, status ne done': {
    filters: [where('createdAt', 'gte', lastWeek), where('status', 'ne', 'completed')],
  },
  'by name': { sort: by('name') },
  'by priority, dueDate, name': { sort: by('-priority', 'dueDate', 'name') },
  'by status, dueDate, updatedAt, page 500 of 100': {
    sort: by('status', '-dueDate', 'updatedAt'),
    page: 500,
    limit: 100,
  },
  'by name, updatedAt, dueDate, page of 100': { sort: by('name', '-updatedAt', 'dueDate'), limit: 100 },
  'by updatedAt, name, dueDate, page of 100': { sort: by('updatedAt', '-name', 'dueDate'), limit: 100 },
  'by dueDate, priority, name, page of 100': {
    sort: by('dueDate', '-priority', 'name'),
    limit: 100,
    page: 30,
  },
  'overdue tasks of a user by priority, counted by status': {
    filters: [where('userId', 'eq', user), where('dueDate', 'lt', today), where('status', 'ne', 'completed')],
    sort: by('-priority', 'dueDate'),
    countBy: ['status'],
  },
  'counted by status': { countBy: ['status'] },
  'counted by userId': { countBy: ['userId'] },
  'counted by projectId': { countBy: ['projectId'] },
  'counted by tagIds': { countBy: ['tagIds'] },
  'counted by status and priority': { countBy: ['status', 'priority'] },
};

const { ranks, defaults } = task;
const measured: (readonly (string | number)[])[] = [];
for (const [name, list] of Object.entries(lists)) {
  const query = toRowQuery('task', listQuery({ ...list, ranks, defaults }));
  const first = await timeOf(query);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await timeOf(query));
  const { total } = await readRows(source(), query);
  measured.push([name, total, first.toFixed(0), median(times).toFixed(1)]);
}
const report = table(['list', 'rows', 'first, ms', 'warm, ms'], measured);
requireFigures('The report', report);
console.log(report);
