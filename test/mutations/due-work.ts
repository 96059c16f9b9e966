import { toMutations } from './mutation.ts';

export const dueWorkMutations = toMutations({
  'functions/store/unit-of-work/commit.ts': {
    'limit-for-jobs-of-jobs': [
      'jobs begin no further ones, so they make no progress',
      '    const writer = { session, positions };\n    await send(writer, changeSet, ',
      '    const writer = { session, positions };\n    await requireJobCapacity(session, changeSet.writes);\n    await send(writer, changeSet, ',
    ],
  },
  'functions/store/cascades/compact-log.ts': {
    'reminder-of-another-life': [
      'the schedule deletes a reminder that a writer has requested meanwhile',
      'await database.deleteItem(reminderKey(reminder), isUnchanged(reminder));',
      'await database.deleteItem(reminderKey(reminder), isUnchanged(reminder) && undefined);',
    ],
    'reminder-without-its-records': [
      'the schedule deletes a reminder although a step failed to absorb its records',
      'if (!found.isComplete) return found;',
      '',
    ],
    'look-that-always-steps': [
      'a look at a busy log absorbs however few records there are',
      'look(session, kind, false)',
      'look(session, kind, true)',
    ],
  },
  'functions/jobs/due-work.ts': {
    'large-log-waits-a-minute': [
      'a log that needs more time waits for the next run of the schedule, however much time is left',
      'this.#unfinished.push(reminder)',
      'this.#unfinished.splice(0)',
    ],
    'large-log-before-others': [
      'a log that needs more time gets it before the logs that have had none',
      'takeAny(this.#reminders) ?? takeAny(this.#unfinished)',
      'takeAny(this.#unfinished) ?? takeAny(this.#reminders)',
    ],
    'later-pages-forgotten': [
      'a tenant gets only the jobs of its first page',
      'hasMore: hasMore && isReady(',
      'hasMore: !hasMore && isReady(',
    ],
    'logs-before-jobs': [
      'workers compact logs while jobs are searched',
      'this.#turns.length === 0 && this.#isWalking',
      'this.#turns.length < 0 && this.#isWalking',
    ],
    'first-tenants-first': [
      'jobs that never end always come first',
      'randomInteger(0, elements.length)',
      '0',
    ],
    'left-work-not-counted': [
      'nobody learns that runs of the schedule leave work',
      'this.#turns.length + this.#reminders.length + this.#unfinished.length',
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
  'functions/store/model/job.ts': {
    'tenants-not-skipped': [
      'the schedule reads all jobs of a tenant before those of the next one',
      "tenant === '' ? '#' : `${tenant}#${last}`",
      "tenant === '' ? '#' : `${tenant}#`",
    ],
  },
  'functions/jobs/on-stream.ts': {
    'worker-for-each-progress': [
      'each write of a job calls the function of the stream',
      "? eventName === 'INSERT'",
      "? eventName !== 'REMOVE'",
    ],
  },
  'functions/store/unit-of-work/job-limit.ts': {
    'jobs-without-limit': [
      'a tenant begins any number of jobs',
      'known.count + begun > maxJobs',
      'known.count + begun > 10 * maxJobs',
    ],
  },
  'functions/store/cascades/delete-entity.ts': {
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
  'functions/store/cascades/sweep.ts': {
    'second-sweep-during-the-deletion': [
      'the only sweep of a deletion comes before the requests have ended that saw the parent',
      'nextPassAt(nowMs + maxRequestMs)',
      'nextPassAt(nowMs)',
    ],
  },
});
