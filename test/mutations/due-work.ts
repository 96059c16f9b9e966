import { toMutations } from './mutation.ts';

export const dueWorkMutations = toMutations({
  'functions/engine/write/commit.ts': {
    'limit-for-jobs-of-jobs': [
      'applyInBatches(session, [changeSet], 1);',
      'requireJobCapacity(session, changeSet.writes).then(() => applyInBatches(session, [changeSet], 1));',
    ],
  },
  'functions/engine/due-work/compact-log.ts': {
    'reminder-of-another-life': [
      'deleteItem(reminderKey(reminder), hasDueTimeOf(reminder))',
      'deleteItem(reminderKey(reminder), hasDueTimeOf(reminder) && undefined)',
    ],
    'reminder-without-its-records': ['if (!look.isComplete) return look;', ''],
    'look-that-always-steps': [
      'takeSteps(session, kind, false, forMs)',
      'takeSteps(session, kind, true, forMs)',
    ],
  },
  'functions/jobs/on-schedule.ts': {
    'schedule-turns-around-a-hole': ['isUnfinished = look.hasMore;', 'isUnfinished = !look.isComplete;'],
  },
  'functions/jobs/due-work.ts': {
    'large-log-waits-a-minute': ['unfinished.push(reminder)', 'unfinished.splice(0)'],
    'large-log-before-others': [
      'takeAny(logs) ?? takeAny(unfinished)',
      'takeAny(unfinished) ?? takeAny(logs)',
    ],
    'one-job-of-a-tenant': ['if (rest.length > 0) turns.push(rest);', ''],
    'logs-before-jobs': [
      'const turn = takeAny(turns);',
      'const turn = logs.length > 0 ? undefined : takeAny(turns);',
    ],
    'jobs-of-a-tenant-first': [
      'groupBy(ready, ({ tenant }) => tenant)',
      'groupBy(ready, ({ tenant: { length } }) => length < 0)',
    ],
    'first-tenants-first': ['randomInteger(0, elements.length)', '0'],
    'left-work-not-counted': ['turns.length + logs.length + unfinished.length', '0'],
  },
  'functions/jobs/on-log-records.ts': {
    'failed-look-forgotten': [
      'await lookAgain({ tenant, database: reserve }, kind);',
      'void lookAgain;\n        void reserve;',
    ],
  },
  'functions/engine/model/job.ts': {
    'deep-tree-in-one-item': ['Math.floor(900 / level)', 'Math.floor(90_000 / level)'],
    'tenants-not-skipped': ['`${tenant}#${tenant && last}`', '`${tenant}#${tenant && last.slice(1)}`'],
  },
  'functions/jobs/on-stream.ts': {
    'worker-for-each-progress': ["? eventName === 'INSERT'", "? eventName !== 'REMOVE'"],
  },
  'functions/engine/write/unfinished-jobs.ts': {
    'late-looks-refuse-jobs': ['|| version !== 1', '|| version !== 0'],
    'jobs-without-limit': ['if (count > maxJobs)', 'if (count > 10 * maxJobs)'],
  },
  'functions/engine/deletions/delete-entity.ts': {
    'first-sweep-forgotten': [
      'if (!descendants) return begun;',
      'if (!descendants) return { changes, writes: sweepLater(session, deleted) };',
    ],
    'two-sweeps-of-nothing': [
      'writes: sweepLater(session, deleted), orElse: begun',
      'writes: begun.writes, orElse: begun && sweepLater(session, deleted) && begun',
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'second-sweep-during-the-deletion': ['nextPassAt(now() + maxRequestMs)', 'nextPassAt(now())'],
  },
});
