import { testSequences } from './random-writers.ts';

testSequences('on the plain engine', () => undefined);
