import { toMutations } from './mutation.ts';

export const cascadeMutations = toMutations({
  'functions/engine/deletions/sweep.ts': {
    'sweep-that-ends-after-a-page': [
      'the job of a deletion ends although descendants are left',
      'left: { ...work, hasFound: true },',
      'left: undefined,',
    ],
    'late-children-of-descendants-stay': [
      'a child of a request that still saw what a deletion has removed stays, unless its parent is the root',
      'const hasMembers = !isFirst && kinds.length > 0;',
      'const hasMembers = isFirst && kinds.length > 0;',
    ],
    'no-pass-after-a-late-parent': [
      'the pass that removes a late entity is the last one, although requests saw it',
      'if (!work.isFirst && !work.hasFound) return',
      'if (!work.isFirst) return',
    ],
    'late-children-of-erased-parents-stay': [
      'a child of a request that still saw what a step has erased stays',
      'const writes = sweepLater(session, erased);',
      'const writes = sweepLater(session, erased.slice(erased.length));',
    ],
    'sweep-by-one-clock': [
      'the second sweep does not allow for clocks that differ',
      'maxRequestMs + 2 * maxClockErrorMs',
      'maxRequestMs + 0 * maxClockErrorMs',
    ],
  },
  'functions/engine/lists/children.ts': {
    'rest-of-a-deleted-page': [
      'a job ends when all children of a page are deleted while it reads the page',
      'children.length === 0 && total > 0',
      'children.length === 0 && total < 0',
    ],
    'children-of-a-job-read-first': [
      'a deletion reads a page of children that it leaves to a job',
      'await readPage(session, relation.child, query, { maxTotal });',
      'await readPage(session, relation.child, query, {});',
    ],
    'child-of-another-parent': [
      'a child that moved during each attempt to read it still counts as a child of its earlier parent',
      'stored.filter((child) => refersToAny(relation, child, parentIds))',
      'stored',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'clone-of-later-tasks': [
      'a job handles children that were created after it began',
      'const existed = all.map((fields) => fields && refersToAny(relation, { entity: fields }, parentIds));',
      'const existed = all.map(() => true);',
    ],
  },
  'functions/projects/clone.ts': {
    'clone-ends-with-its-project': [
      'a clone that is deleted and restored at once is never complete',
      '{ left: work, dueAt: new Date',
      '{ left: undefined, dueAt: new Date',
    ],
    'clone-of-long-texts-stops': [
      'the record of a step that copies long texts is larger than an item',
      'bytes > maxStepBytes',
      'bytes < 0 * maxStepBytes',
    ],
    'clone-without-trees': [
      'the copies of sub-tasks have no parent',
      'known.has(parentOf(task)) ? parentOf(task) : null',
      'known.has(parentOf(task)) && known.size === 0 ? parentOf(task) : null',
    ],
    'sub-tasks-at-the-top': [
      'a clone copies a sub-task twice: at the top, and below its parent',
      '!inside.includes(',
      '!inside.slice(inside.length).includes(',
    ],
    'sub-task-of-a-deleted-copy': [
      'a clone copies a sub-task of a task whose copy was deleted',
      'if (copies && parentId === null) return [];',
      'if (copies && parentId === null && id === to) return [];',
    ],
    'copy-of-a-moved-task': [
      'a clone copies a task that moved to another project while its text was read again',
      '.filter((task) => refersToAny(ownership(), task, [from]))',
      '.filter(() => true)',
    ],
  },
  'functions/engine/due-work/continue-job.ts': {
    'job-without-actor': [
      'the changes of a job do not name who began it',
      'actor: leased?.actor',
      'actor: undefined',
    ],
  },
});
