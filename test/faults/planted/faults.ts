import { answerFaults } from './faults-of-answers.ts';
import { requestFaults } from './faults-of-requests.ts';
import { databaseFaults } from './faults-of-the-database.ts';
import { writeFaults } from './faults-of-writes.ts';
import type { PlantedFault } from './planted-fault.ts';

/** All faults that `npm run test:planted-faults` plants, one at a time. */
export const faults: readonly PlantedFault[] = [
  ...databaseFaults,
  ...writeFaults,
  ...requestFaults,
  ...answerFaults,
];
