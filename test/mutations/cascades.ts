import type { Mutation } from './mutation.ts';

const children = 'functions/shared/store/cascades/children.ts';
const sweep = 'functions/shared/store/cascades/sweep.ts';
const tests = 'test/unit/functions/shared/store/cascades';

/** Mutations of deletions, archives and clones. */
export const cascadeMutations: readonly Mutation[] = [
  {
    name: 'clone-from-an-index',
    description: 'a clone copies the tasks that a lagging index has',
    file: 'functions/shared/store/cascades/clone.ts',
    search: 'const { children, next, total } = await readChildren(session, ownership, [id]);',
    replacement:
      "const { readIndexedChildren } = await import('./indexed-children.ts');\n    const { children, next } = await readIndexedChildren(session, ownership, id, { limit: 100 });\n    const total = children.length;",
    detectedBy: ['test/faults/lagging-reads.test.ts'],
    testNamePattern: 'a clone copies the tasks as they are',
  },
  {
    name: 'page-repeats-a-child',
    description: 'a page of children begins with the last child of the page before',
    file: children,
    search: 'from: rangeOfId(after).to',
    replacement: 'from: after',
    detectedBy: [`${tests}/children.test.ts`],
  },
  {
    name: 'clone-of-later-tasks',
    description: 'a job handles children that were created after it began',
    file: children,
    search: 'to: snapshotId };',
    replacement: 'to: snapshotId && allIds.to };',
    detectedBy: [`${tests}/children.test.ts`],
  },
  {
    name: 'rest-of-a-deleted-page',
    description: 'a job ends when all children of a page are deleted while it reads the page',
    file: children,
    search: 'if (last === undefined && total > 0)',
    replacement: 'if (last === undefined && total < 0)',
    detectedBy: [`${tests}/children.test.ts`],
  },
  {
    name: 'sweep-by-one-clock',
    description: 'the second sweep does not allow for clocks that differ',
    file: sweep,
    search: 'maxRequestMs + 2 * maxClockSkewMs',
    replacement: 'maxRequestMs + 0 * maxClockSkewMs',
    detectedBy: [`${tests}/sweep.test.ts`],
  },
];
