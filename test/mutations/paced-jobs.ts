import type { Mutation } from './mutation.ts';

const pacedJobs = 'test/unit/functions/store/cascades/paced-jobs.test.ts';
const continued = 'functions/store/cascades/continue-job.ts';

export const pacedJobMutations: readonly Mutation[] = [
  {
    name: 'jobs-without-pace',
    description: 'a worker reserves the time of a step and does not wait for it',
    file: 'functions/store/cascades/pace-jobs.ts',
    search: 'await delay(waitMs);',
    replacement: 'void delay;',
    detectedBy: [pacedJobs],
    testNamePattern: 'one after the other',
  },
  {
    name: 'pace-without-throttles',
    description: 'jobs are not slower after a throttle',
    file: 'functions/store/cascades/pace-jobs.ts',
    search: 'throttles > this.#throttles',
    replacement: 'throttles < this.#throttles',
    detectedBy: [pacedJobs],
    testNamePattern: 'slower after',
  },
  {
    name: 'pace-of-all-tenants',
    description: 'the jobs of all tenants share a pace',
    file: 'functions/store/model/pace.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text.
    search: '{ pk: `${tenant}#pace`, sk',
    replacement: '{ pk: tenant && `#pace`, sk',
    detectedBy: [pacedJobs],
    testNamePattern: 'another tenant',
  },
  {
    name: 'postponed-job-due-at-once',
    description: 'a job that cannot get its turn is delivered again and again',
    file: continued,
    search: 'timeMs >= maxTurnMs',
    replacement: 'timeMs < maxTurnMs',
    detectedBy: [pacedJobs],
    testNamePattern: 'far away',
  },
  {
    name: 'steps-without-limit',
    description: 'a job that makes no progress is continued for ever',
    file: continued,
    search: 'taken >= maxSteps',
    replacement: 'taken >= maxSteps * 2',
    detectedBy: [pacedJobs],
    testNamePattern: 'too many steps',
  },
];
