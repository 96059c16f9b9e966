import { toMutations } from './mutation.ts';

export const pacedJobMutations = toMutations({
  'functions/engine/model/pace.ts': {
    'reservation-of-a-wrong-clock': [
      ' && pace.freeAt <= nowMs + maxAheadMs',
      ' && pace.freeAt <= nowMs + maxAheadMs * pace.freeAt',
    ],
    'pace-of-all-tenants': ['{ pk: `${tenant}#pace`, sk', '{ pk: tenant && `#pace`, sk'],
  },
  'functions/engine/due-work/pace-jobs.ts': {
    'jobs-without-pace': ['await delay(waitMs);', 'void delay;'],
    'pace-without-throttles': ['throttles > this.#throttles', 'throttles < this.#throttles'],
  },
  'functions/engine/due-work/read-jobs.ts': {
    'jobs-behind-the-end-of-a-page': [
      'const isCut = next !== undefined &&',
      'const isCut = next === undefined &&',
    ],
  },
  'functions/engine/due-work/continue-job.ts': {
    'once-without-its-progress': [
      '  await applyChangeSet(session, { ...once, writes: [',
      '  await applyChangeSet(session, once);\n  await applyChangeSet(session, { changes: [], writes: [',
    ],
    'postponed-job-due-at-once': ['timeMs >= maxTurnMs', 'timeMs < maxTurnMs'],
    'steps-without-limit': ['taken >= maxSteps', 'taken >= maxSteps * 2'],
  },
});
