import { toMutations } from './mutation.ts';

export const dueWorkMutations = toMutations({
  'functions/engine/write/commit.ts': {
    'limit-for-jobs-of-jobs': [
      'jobs begin no further ones, so they make no progress',
      'applyInBatches(session, [changeSet], 1);',
      'requireJobCapacity(session, changeSet.writes).then(() => applyInBatches(session, [changeSet], 1));',
    ],
  },
  'functions/engine/care/compact-log.ts': {
    'reminder-of-another-life': [
      'the schedule deletes a reminder that a writer has requested meanwhile',
      'await database.deleteItem(reminderKey(reminder), hasDueTimeOf(reminder));',
      'await database.deleteItem(reminderKey(reminder), hasDueTimeOf(reminder) && undefined);',
    ],
    'reminder-without-its-records': [
      'the schedule deletes a reminder although a step failed to absorb its records',
      'if (!look.isComplete) return look;',
      '',
    ],
    'look-that-always-steps': [
      'a look at a busy log absorbs however few records there are',
      'takeSteps(session, kind, false)',
      'takeSteps(session, kind, true)',
    ],
  },
  'functions/jobs/on-schedule.ts': {
    'schedule-turns-around-a-hole': [
      'the schedule looks at a log again and again until its hole is old enough to be filled',
      'isUnfinished = look.hasMore;',
      'isUnfinished = !look.isComplete;',
    ],
  },
  'functions/jobs/due-work.ts': {
    'large-log-waits-a-minute': [
      'a log that needs more time waits for the next run of the schedule, however much time is left',
      'unfinished.push(reminder)',
      'unfinished.splice(0)',
    ],
    'large-log-before-others': [
      'a log that needs more time gets it before the logs that have had none',
      'takeAny(logs) ?? takeAny(unfinished)',
      'takeAny(unfinished) ?? takeAny(logs)',
    ],
    'one-job-of-a-tenant': [
      'a tenant gets only one turn in a call of the schedule',
      'if (rest.length > 0) turns.push(rest);',
      '',
    ],
    'logs-before-jobs': [
      'workers compact logs while jobs are due',
      'const turn = takeAny(turns);',
      'const turn = logs.length > 0 ? undefined : takeAny(turns);',
    ],
    'jobs-of-a-tenant-first': [
      'a tenant with many jobs keeps the others waiting',
      'else groups.set(job.tenant, [job]);',
      "else groups.set('', [...(groups.get('') ?? []), job]);",
    ],
    'first-tenants-first': [
      'jobs that never end always come first',
      'randomInteger(0, elements.length)',
      '0',
    ],
    'left-work-not-counted': [
      'nobody learns that runs of the schedule leave work',
      'turns.length + logs.length + unfinished.length',
      '0',
    ],
  },
  'functions/jobs/on-log-records.ts': {
    'failed-look-forgotten': [
      'a log that could not be compacted waits for half a day',
      'await lookAgain({ tenant, database: reserve }, kind);',
      'void lookAgain;\n        void reserve;',
    ],
  },
  'functions/engine/model/job.ts': {
    'deep-tree-in-one-item': [
      'the job of a tree of hundreds of levels outgrows its item, and never ends',
      'Math.floor(900 / level)',
      'Math.floor(90_000 / level)',
    ],
    'tenants-not-skipped': [
      'the schedule reads all jobs of a tenant before those of the next one',
      '`${tenant}#${tenant && last}`',
      '`${tenant}#${tenant && last.slice(1)}`',
    ],
  },
  'functions/jobs/on-stream.ts': {
    'worker-for-each-progress': [
      'each write of a job calls the function of the stream',
      "? eventName === 'INSERT'",
      "? eventName !== 'REMOVE'",
    ],
  },
  'functions/engine/write/job-limit.ts': {
    'late-looks-refuse-jobs': [
      'the jobs that deletions leave for later count as unfinished',
      '|| version !== 1',
      '|| version !== 0',
    ],
    'jobs-without-limit': [
      'a tenant begins any number of jobs',
      'if (count > maxJobs) throw',
      'if (count > 10 * maxJobs) throw',
    ],
  },
  'functions/engine/deletions/delete-entity.ts': {
    'first-sweep-forgotten': [
      'a deletion that leaves its children to the job begins with the next pass',
      'if (!descendants) return begun;',
      'if (!descendants) return { changes, writes: sweepLater(session, deleted) };',
    ],
    'two-sweeps-of-nothing': [
      'a deletion that has handled all children leaves two sweeps to a job',
      'writes: sweepLater(session, deleted), orElse: begun',
      'writes: begun.writes, orElse: begun && sweepLater(session, deleted) && begun',
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'second-sweep-during-the-deletion': [
      'the only sweep of a deletion comes before the requests have ended that saw the parent',
      'nextPassAt(nowMs + maxRequestMs)',
      'nextPassAt(nowMs)',
    ],
  },
});
