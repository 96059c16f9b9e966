import { toMutations } from './mutation.ts';

export const cascadeMutations = toMutations({
  'functions/store/cascades/sweep.ts': {
    'sweep-that-ends-after-a-page': [
      'a sweep takes the next relation although children are left',
      'next === undefined ? position + 1 : position',
      'next === null ? position : position + 1',
    ],
    'sweep-by-one-clock': [
      'the second sweep does not allow for clocks that differ',
      'maxRequestMs + 2 * maxClockErrorMs',
      'maxRequestMs + 0 * maxClockErrorMs',
    ],
  },
  'functions/store/cascades/children.ts': {
    'page-repeats-a-child': [
      'a page of children begins with the last child of the page before',
      'from: rangeOfId(after).to',
      'from: after',
    ],
    'clone-of-later-tasks': [
      'a job handles children that were created after it began',
      'to: snapshotId ?? allIds.to };',
      'to: allIds.to };',
    ],
    'rest-of-a-deleted-page': [
      'a job ends when all children of a page are deleted while it reads the page',
      'found.total > 0 &&',
      'found.total < 0 &&',
    ],
    'children-of-a-job-read-first': [
      'a deletion reads a page of children that it leaves to a job',
      'const found = await readPage(session, relation.child, query, { maxTotal });',
      'const found = await readPage(session, relation.child, query, {});',
    ],
    'child-of-another-parent': [
      'a child that moved during each attempt to read it still counts as a child of its earlier parent',
      'stored.filter((child) => refersToAny(relation, child, parentIds))',
      'stored',
    ],
  },
  'functions/store/cascades/clone.ts': {
    'copy-of-a-moved-task': [
      'a clone copies a task that moved to another project while its text was read again',
      '.filter((task) => refersToAny(ownership, task, [from]))',
      '.filter(() => true)',
    ],
  },
  'functions/store/cascades/continue-job.ts': {
    'job-without-actor': [
      'the changes of a job do not name who began it',
      'actor: leased?.actor',
      'actor: undefined',
    ],
  },
});
