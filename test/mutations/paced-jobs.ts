import { toMutations } from './mutation.ts';

export const pacedJobMutations = toMutations({
  'functions/engine/model/pace.ts': {
    'reservation-of-a-wrong-clock': [
      'a reservation of a process whose clock was wrong stops all jobs of its tenant',
      ' && pace.freeAt <= nowMs + maxAheadMs',
      ' && pace.freeAt <= nowMs + maxAheadMs * pace.freeAt',
    ],
    'pace-of-all-tenants': [
      'the jobs of all tenants share a pace',
      '{ pk: `${tenant}#pace`, sk',
      '{ pk: tenant && `#pace`, sk',
    ],
  },
  'functions/engine/due-work/pace-jobs.ts': {
    'jobs-without-pace': [
      'a worker reserves the time of a step and does not wait for it',
      'await delay(waitMs);',
      'void delay;',
    ],
    'pace-without-throttles': [
      'jobs are not slower after a throttle',
      'throttles > this.#throttles',
      'throttles < this.#throttles',
    ],
  },
  'functions/engine/due-work/read-jobs.ts': {
    'jobs-behind-the-end-of-a-page': [
      'the schedule leaves out the jobs of a tenant that a page ends within',
      'const isCut = next !== undefined &&',
      'const isCut = next === undefined &&',
    ],
  },
  'functions/engine/due-work/continue-job.ts': {
    'once-without-its-progress': [
      'a step that two workers take makes its changes twice',
      '  await applyChangeSet(session, { ...once, writes: [',
      '  await applyChangeSet(session, once);\n  await applyChangeSet(session, { changes: [], writes: [',
    ],
    'postponed-job-due-at-once': [
      'a job that cannot get its turn is delivered again and again',
      'timeMs >= maxTurnMs',
      'timeMs < maxTurnMs',
    ],
    'steps-without-limit': [
      'a job that makes no progress is continued for ever',
      'taken >= maxSteps',
      'taken >= maxSteps * 2',
    ],
  },
});
