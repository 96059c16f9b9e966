import { testHistories } from './histories.ts';

testHistories(1, 2);
