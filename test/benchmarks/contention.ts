/**
 * `npm run bench:contention`: creates in one project, 50 at a time, on an engine that refuses transactions that meet; with
 * counters that spread under contention, and with one item for each, in one run.
 */
import { spreading } from '../../functions/shared/store/spread.ts';
import { contend } from '../faults/contention.ts';
import { startFaultyService } from '../faults/faulty-service.ts';

const { mostParts } = spreading;
const faulty = await startFaultyService();
// Requests that were given up are counted; the log of each is not needed.
console.error = () => {};
for (const parts of [mostParts, 1, mostParts, 1]) {
  spreading.mostParts = parts;
  const { created, refused, milliseconds, longest } = await contend(faulty, 400, 50);
  console.log(
    `${parts === 1 ? 'one item a counter' : `up to ${parts} items a counter`}: ${created} of 400 created, ` +
      `${((created / milliseconds) * 1_000).toFixed(0)} a second, ${refused} refused, longest ${longest.toFixed(0)} ms`,
  );
}
await faulty.stop();
