/** What `npm test` runs. `npm run test:all` runs the same with all cases, and then the other tests. */
import type { Step } from './run-steps.ts';
import { tool } from './tools.ts';

const wholeKinds = ['unit', 'contract', 'infrastructure', 'client'];

/** The kinds of which only some test files run: those that find most errors in little time. */
export const partialKinds = ['faults', 'properties'];

export const selectedFiles = 'lists-against|listings-on|lost-responses|crash-points|every-write|simulation';

const wholeFolders = `test/(${wholeKinds.join('|')}|mutations)/`;

/** Returns types, lint, and the tests to run before every commit. @param environment of the tests. */
export const testSteps = (environment: Readonly<Record<string, string>> = {}): Step[] => [
  { name: 'types', command: tool('tsc', '--noEmit') },
  { name: 'types of the board', command: tool('tsc', '--project', 'examples/board') },
  { name: 'lint', command: tool('biome', 'check', '--error-on-warnings', '.') },
  {
    // One run: the workers start once, and no core waits for the last file of each of several runs.
    name: 'tests',
    command: tool(
      'jest',
      '--selectProjects',
      ...wholeKinds,
      ...partialKinds,
      '--testPathPatterns',
      wholeFolders,
      selectedFiles,
    ),
    environment,
  },
];
