import { testHistories } from './histories.ts';

testHistories(2, 4);
