import { runs } from '../support/runs.ts';
import { testSequences } from './list-sequences.ts';

testSequences('on the plain engine', {
  count: Number(process.env['SEQUENCES'] ?? runs(3, 8)),
  maxSteps: runs(50, 120),
});
