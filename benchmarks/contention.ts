/**
 * `npm run bench -- contention`: creates tasks, 50 in parallel, on an engine that rejects conflicting transactions: all in one project, and in
 * fifty projects. Writes `docs/performance/contention.md`.
 */

import { type Contention, contend } from './contend.ts';
import { startFaultyService } from './faulty-service.ts';
import { usualOrSmallest } from './form.ts';
import { median, publishPage, table } from './report.ts';

const rounds = usualOrSmallest(5, 1);
const creates = usualOrSmallest(400, 40);
const concurrency = usualOrSmallest(50, 10);

/** Projects among which the tasks are distributed. */
const manyProjects = usualOrSmallest(50, 5);

const faulty = await startFaultyService();

/** @throws Error when no create succeeded, or, in the smallest form, one failed. */
function requireCreates({ created }: Contention): void {
  const required = usualOrSmallest(1, creates);
  if (created < required) throw new Error(`Only ${created} of ${creates} creates succeeded.`);
}

const measured = new Map<number, Contention[]>([
  [1, []],
  [manyProjects, []],
]);
for (let round = 0; round < rounds; round += 1) {
  for (const [projects, results] of measured) {
    const result = await contend(faulty, { number: creates, atOnce: concurrency, projects });
    requireCreates(result);
    results.push(result);
    console.log(projects, result);
  }
}
await faulty.stop();

const rate = ({ created, milliseconds }: Contention): number => (created / milliseconds) * 1_000;
const rateOf = (results: readonly Contention[] = []): number => median(results.map(rate));
const head = [
  '',
  `created of ${creates}, by round`,
  'per second',
  'rejected transactions',
  'longest request, ms',
];
const row = ([projects, results]: [number, Contention[]]) => [
  projects === 1 ? 'in one project' : `in ${projects} projects`,
  results.map(({ created }) => created).join(', '),
  rateOf(results).toFixed(0),
  median(results.map(({ refused }) => refused)),
  median(results.map(({ longest }) => longest)).toFixed(0),
];
const ratio = rateOf(measured.get(1)) / rateOf(measured.get(manyProjects));
publishPage(
  'contention.md',
  `${creates} creates, ${concurrency} in parallel. Each transaction holds its items for 8 ms; another transaction on one of them is rejected, as in
DynamoDB. The values are medians of ${rounds} rounds in turn. In one project, creates are ${ratio.toFixed(2)} times as fast as in ${manyProjects}.

${table(head, [...measured].map(row))}
`,
);
