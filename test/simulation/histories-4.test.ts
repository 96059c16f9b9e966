import { testHistories } from './histories.ts';

testHistories(3, 4);
