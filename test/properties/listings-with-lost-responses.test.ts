import { lostResponses } from '../faults/engine-proxy.ts';
import { testSequences } from './random-writers.ts';

testSequences('when 30 % of the responses are lost', (seed) => lostResponses(0.3, seed));
