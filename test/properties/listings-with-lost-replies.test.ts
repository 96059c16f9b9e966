import { lostReplies } from '../faults/engine-proxy.ts';
import { testSequences } from './random-writers.ts';

testSequences('when 30 % of the replies are lost', (seed) => lostReplies(0.3, seed));
