/**
 * `npm run bench:contention`: creates in one project, 50 at a time, on an engine that refuses transactions that meet; with
 * counters that spread under contention, and with one item for each, in one run. Writes
 * `docs/performance/contention.md`.
 */
import { spreading } from '../functions/shared/store/dynamodb/spread.ts';
import { type Contention, contend } from '../test/faults/contention.ts';
import { startFaultyService } from '../test/faults/faulty-service.ts';
import { median, publish, table } from './report.ts';

const rounds = 5;
const creates = 400;
const atOnce = 50;

const { mostParts } = spreading;
const faulty = await startFaultyService();

const measured = new Map<number, Contention[]>([
  [mostParts, []],
  [1, []],
]);
for (let round = 0; round < rounds; round += 1) {
  for (const [parts, results] of measured) {
    spreading.mostParts = parts;
    const result = await contend(faulty, creates, atOnce);
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
  'a second',
  'transactions refused',
  'longest request, ms',
];
const row = ([parts, results]: [number, Contention[]]) => [
  parts === 1 ? 'one item a counter' : `up to ${parts} items a counter`,
  results.map(({ created }) => created).join(', '),
  rateOf(results).toFixed(0),
  median(results.map(({ refused }) => refused)),
  median(results.map(({ longest }) => longest)).toFixed(0),
];
const ratio = rateOf(measured.get(mostParts)) / rateOf(measured.get(1));
const text = `<!-- Written by "npm run bench:contention". -->

${creates} creates in one project, ${atOnce} at a time; an item is held for 8 ms by each transaction, and another that wants it is
refused, as DynamoDB does. ${rounds} rounds in turn, medians. Counters that spread create ${ratio.toFixed(1)} times as fast as single ones.

${table(head, [...measured].map(row))}
`;
publish('contention.md', text);
console.log(text);
