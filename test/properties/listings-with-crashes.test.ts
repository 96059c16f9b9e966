import { crashes } from '../faults/engine-proxy.ts';
import { testSequences } from './random-writers.ts';

testSequences('when requests stop after a call', crashes);
