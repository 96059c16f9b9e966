import { conflicts } from '../faults/engine-proxy.ts';
import { testSequences } from './random-writers.ts';

testSequences('when transactions conflict', () => conflicts(8));
