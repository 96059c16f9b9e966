import type { PlantedFault } from './planted-fault.ts';

/** Mistakes in what is answered, and in what is said in the log. */
export const answerFaults: readonly PlantedFault[] = [
  {
    name: 'attributes-shown',
    what: 'whatever the table holds of an entity is answered',
    file: 'functions/shared/http/endpoint.ts',
    search: 'resource ? resource.show(entity) : entity',
    replacement: 'resource ? { ...entity } : entity',
    caughtBy: ['test/security/contents-and-amounts.test.ts'],
    named: 'API3',
  },
  {
    name: 'keys-in-entities',
    what: 'the keys of the table become members of an entity',
    file: 'functions/shared/store/model/entities.ts',
    search: 'if (!internalAttributes.has(name)) members',
    replacement: "if (name !== '' || internalAttributes.has(name)) members",
    caughtBy: ['test/contract/caching-and-concurrency.test.ts'],
    named: 'v1/tags/{id} has another ETag after a PATCH',
  },
  {
    name: 'cause-in-the-answer',
    what: 'a 500 says what went wrong inside',
    file: 'functions/shared/http/problems.ts',
    search: "'The cause has been logged under the requestId.'",
    replacement: 'String((error as Error).stack)',
    caughtBy: ['test/faults/disclosure.test.ts'],
  },
  {
    name: 'order-reversed',
    what: 'what was read backwards is shown backwards',
    file: 'functions/shared/store/lists/counted-index/page.ts',
    search: "(direction === 'up') === (order === 'asc')",
    replacement: "(direction === 'up') !== (order === 'asc')",
    caughtBy: ['test/contract/lists.test.ts'],
    named: 'divides a total of 5',
  },
  {
    name: 'body-in-the-log',
    what: 'the log tells what was sent',
    file: 'functions/shared/http/answers.ts',
    search:
      "logDone('The request is answered.', subject(request), { status: request.response?.statusCode });",
    replacement:
      "logDone('The request is answered.', subject(request), { status: request.response?.statusCode, body: request.event.body });",
    caughtBy: ['test/faults/disclosure.test.ts'],
  },
];
