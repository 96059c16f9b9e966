import { readdirSync, readFileSync } from 'node:fs';
import { requireFigures, table } from '../../benchmarks/report.ts';
import { rowsRead } from '../../benchmarks/rows-read.ts';

const head = ['list', 'ms'];

test.each([
  ['a table without rows', table(head, [])],
  ['a figure that is not a number', table(head, [['all', Number.NaN]])],
  ['a missing value', `The slowest list takes ${undefined} ms of 10.`],
  ['no figure', 'Lists:'],
])('a report is rejected with %s, and accepted with figures', (_, text) => {
  expect(() => requireFigures('lists.md', text)).toThrow('lists.md would have no figures');
  requireFigures('lists.md', `Lists:\n\n${table(head, [['all', 1]])}\n`);
});

test('the rows that a plan reads are those of all loops, with those that filters remove', () => {
  const removed = { 'Rows Removed by Filter': 5, 'Rows Removed by Index Recheck': 1 };
  const tasks = { 'Relation Name': 'tasks', 'Actual Rows': 10, 'Actual Loops': 3, ...removed };
  const projects = { 'Relation Name': 'projects', 'Actual Rows': 1, 'Actual Loops': 20 };
  const plan = { 'Actual Rows': 20, 'Actual Loops': 1, Plans: [tasks, projects] };
  expect(rowsRead(plan, 'tasks')).toBe(48);
  expect(rowsRead(plan, 'projects')).toBe(20);
});

test('all published results are of one commit, without changes', () => {
  const folder = new URL('../../benchmarks/results/', import.meta.url);
  const pages = readdirSync(folder).filter((file) => file.endsWith('.md'));
  const commits = pages.map((page) => {
    const [, commit] = /at commit `([^`]+)`/.exec(readFileSync(new URL(page, folder), 'utf8')) ?? [];
    return [page, commit];
  });
  const [, first] = commits[0] ?? [];
  expect(first).toMatch(/^[\da-f]+$/);
  expect(commits).toEqual(pages.map((page) => [page, first]));
});
