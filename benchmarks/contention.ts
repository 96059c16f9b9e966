/**
 * `npm run bench:contention`: creates entities in one project, 50 in parallel, on an engine that rejects conflicting
 * transactions: with sharded counters, and with one item per counter. Writes `docs/performance/contention.md`.
 */
import { spreading } from '../functions/shared/store/dynamodb/spread.ts';
import { type Contention, contend } from '../test/faults/contention.ts';
import { startFaultyService } from '../test/faults/faulty-service.ts';
import { median, publish, table } from './report.ts';

const rounds = 5;
const creates = 400;
const concurrency = 50;

const { mostParts } = spreading;
const faulty = await startFaultyService();

const measured = new Map<number, Contention[]>([
  [mostParts, []],
  [1, []],
]);
for (let round = 0; round < rounds; round += 1) {
  for (const [parts, results] of measured) {
    spreading.mostParts = parts;
    const result = await contend(faulty, creates, concurrency);
    results.push(result);
    console.log(parts, result);
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
const row = ([parts, results]: [number, Contention[]]) => [
  parts === 1 ? 'one item per counter' : `up to ${parts} shards per counter`,
  results.map(({ created }) => created).join(', '),
  rateOf(results).toFixed(0),
  median(results.map(({ refused }) => refused)),
  median(results.map(({ longest }) => longest)).toFixed(0),
];
const ratio = rateOf(measured.get(mostParts)) / rateOf(measured.get(1));
const text = `<!-- Written by "npm run bench:contention". -->

${creates} creates in one project, ${concurrency} in parallel. Each transaction holds an item for 8 ms; another transaction on the same
item is rejected, as in DynamoDB. The values are medians of ${rounds} rounds in turn. Sharded counters allow ${ratio.toFixed(1)} times as many
creates per second as single items.

${table(head, [...measured].map(row))}
`;
publish('contention.md', text);
console.log(text);
