import type { Mutation } from './mutation.ts';

const children = 'functions/store/cascades/children.ts';
const sweep = 'functions/store/cascades/sweep.ts';
const tests = 'test/unit/functions/store/cascades.test.ts';

export const cascadeMutations: readonly Mutation[] = [
  {
    name: 'sweep-that-ends-after-a-page',
    description: 'a sweep takes the next relation although children are left',
    file: sweep,
    search: 'next === undefined ? position + 1 : position',
    replacement: 'next === null ? position : position + 1',
    detectedBy: [tests],
    testNamePattern: '^sweep ',
  },
  {
    name: 'page-repeats-a-child',
    description: 'a page of children begins with the last child of the page before',
    file: children,
    search: 'from: rangeOfId(after).to',
    replacement: 'from: after',
    detectedBy: [tests],
    testNamePattern: '^readChildren ',
  },
  {
    name: 'clone-of-later-tasks',
    description: 'a job handles children that were created after it began',
    file: children,
    search: 'to: snapshotId ?? allIds.to };',
    replacement: 'to: allIds.to };',
    detectedBy: [tests],
    testNamePattern: '^readChildren ',
  },
  {
    name: 'rest-of-a-deleted-page',
    description: 'a job ends when all children of a page are deleted while it reads the page',
    file: children,
    search: 'found.total > 0)',
    replacement: 'found.total < 0)',
    detectedBy: [tests],
    testNamePattern: '^readChildren ',
  },
  {
    name: 'child-of-another-parent',
    description:
      'a child that moved during each attempt to read it still counts as a child of its earlier parent',
    file: children,
    search: 'stored.filter((child) => refersToAny(relation, child, parentIds))',
    replacement: 'stored',
    detectedBy: [tests],
    testNamePattern: '^readChildren ',
  },
  {
    name: 'copy-of-a-moved-task',
    description: 'a clone copies a task that moved to another project while its text was read again',
    file: 'functions/store/cascades/clone.ts',
    search: '.filter((task) => refersToAny(ownership, task, [from]))',
    replacement: '.filter(() => true)',
    detectedBy: [tests],
    testNamePattern: '^a clone ',
  },
  {
    name: 'sweep-by-one-clock',
    description: 'the second sweep does not allow for clocks that differ',
    file: sweep,
    search: 'maxRequestMs + 2 * maxClockErrorMs',
    replacement: 'maxRequestMs + 0 * maxClockErrorMs',
    detectedBy: [tests],
    testNamePattern: '^sweep ',
  },
  {
    name: 'job-without-actor',
    description: 'the changes of a job do not name who began it',
    file: 'functions/store/cascades/continue-job.ts',
    search: 'actor: leased?.actor',
    replacement: 'actor: undefined',
    detectedBy: ['test/unit/functions/http.test.ts'],
    testNamePattern: 'jobs record the subject',
  },
];
