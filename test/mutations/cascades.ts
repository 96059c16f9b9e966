import { toMutations } from './mutation.ts';

export const cascadeMutations = toMutations({
  'functions/engine/deletions/sweep.ts': {
    'sweep-that-ends-after-a-page': ['left: { ...work, hasFound: true },', 'left: undefined,'],
    'late-children-of-descendants-stay': [
      'const hasMembers = !isFirst && kinds.length > 0;',
      'const hasMembers = isFirst && kinds.length > 0;',
    ],
    'no-pass-after-a-late-parent': [
      'if (!work.isFirst && !work.hasFound) return',
      'if (!work.isFirst) return',
    ],
    'late-children-of-erased-parents-stay': [
      'const writes = sweepLater(session, erased);',
      'const writes = sweepLater(session, erased.slice(erased.length));',
    ],
    'sweep-by-one-clock': ['maxRequestMs + 2 * maxClockErrorMs', 'maxRequestMs + 0 * maxClockErrorMs'],
  },
  'functions/engine/lists/children.ts': {
    'rest-of-a-deleted-page': ['children.length === 0 && total > 0', 'children.length === 0 && total < 0'],
    'children-of-a-job-read-first': [
      'await readPage(session, relation.child, query, { maxTotal });',
      'await readPage(session, relation.child, query, {});',
    ],
    'child-of-another-parent': [
      'stored.filter((child) => refersToAny(relation, child, parentIds))',
      'stored',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'clone-of-later-tasks': [
      'const existed = all.map((fields) => fields && refersToAny(relation, { entity: fields }, parentIds));',
      'const existed = all.map(() => true);',
    ],
  },
  'functions/projects/clone.ts': {
    'clone-ends-with-its-project': ['{ left: work, dueAt: new Date', '{ left: undefined, dueAt: new Date'],
    'clone-of-long-texts-stops': ['bytes > maxStepBytes', 'bytes < 0 * maxStepBytes'],
    'clone-without-trees': [
      'known.has(parentOf(task)) ? parentOf(task) : null',
      'known.has(parentOf(task)) && known.size === 0 ? parentOf(task) : null',
    ],
    'sub-tasks-at-the-top': ['!inside.includes(', '!inside.slice(inside.length).includes('],
    'sub-task-of-a-deleted-copy': [
      'if (copies && parentId === null) return [];',
      'if (copies && parentId === null && id === to) return [];',
    ],
    'copy-of-a-moved-task': [
      '.filter((task) => refersToAny(ownership(), task, [from]))',
      '.filter(() => true)',
    ],
  },
  'functions/engine/due-work/continue-job.ts': {
    'job-without-actor': ['actor: leased?.actor', 'actor: undefined'],
  },
});
