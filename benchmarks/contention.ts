/**
 * `npm run bench:contention`: creates tasks, 50 in parallel, on an engine that rejects conflicting transactions: all in one project, and in
 * fifty projects. Writes `docs/performance/contention.md`.
 */
import { type Contention, contend } from '../test/faults/contention.ts';
import { startFaultyService } from '../test/faults/faulty-service.ts';
import { median, publish, table } from './report.ts';

const rounds = 5;
const creates = 400;
const concurrency = 50;

const faulty = await startFaultyService();

const measured = new Map<number, Contention[]>([
  [1, []],
  [50, []],
]);
for (let round = 0; round < rounds; round += 1) {
  for (const [projects, results] of measured) {
    const result = await contend(faulty, { number: creates, atOnce: concurrency, projects });
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
const ratio = rateOf(measured.get(1)) / rateOf(measured.get(50));
const text = `<!-- Written by "npm run bench:contention". -->

${creates} creates, ${concurrency} in parallel. Each transaction holds its items for 8 ms; another transaction on one of them is rejected, as in
DynamoDB. The values are medians of ${rounds} rounds in turn. In one project, creates are ${ratio.toFixed(2)} times as fast as in fifty.

${table(head, [...measured].map(row))}
`;
publish('contention.md', text);
console.log(text);
