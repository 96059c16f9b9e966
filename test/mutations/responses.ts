import type { Mutation } from './mutation.ts';

/** Mutations of responses and of the log. */
export const responseMutations: readonly Mutation[] = [
  {
    name: 'attributes-shown',
    description: 'responses contain all attributes of an entity in the table',
    file: 'functions/shared/http/renderers.ts',
    search: 'resource ? resource.show(entity) : entity',
    replacement: 'resource ? { ...entity } : entity',
    detectedBy: ['test/security/contents-and-amounts.test.ts'],
    testNamePattern: 'API3',
  },
  {
    name: 'keys-in-entities',
    description: 'the keys of the table become fields of an entity',
    file: 'functions/shared/store/model/item-codec.ts',
    search: 'if (!internalAttributes.has(name)) fields',
    replacement: "if (name !== '' || internalAttributes.has(name)) fields",
    detectedBy: ['test/contract/caching-and-concurrency.test.ts'],
    testNamePattern: 'v1/tags/{id} returns another ETag after a PATCH',
  },
  {
    name: 'cause-in-the-response',
    description: 'a 500 contains the stack trace of the cause',
    file: 'functions/shared/http/problems.ts',
    search: "'The cause has been logged under the requestId.'",
    replacement: 'String((error as Error).stack)',
    detectedBy: ['test/faults/disclosure.test.ts'],
  },
  {
    name: 'order-reversed',
    description: 'the rows of a page in descending order are returned in reverse order',
    file: 'functions/shared/store/lists/engine/list-rows.ts',
    search: 'if (query.isDescending) page.reverse();',
    replacement: '',
    detectedBy: ['test/contract/lists.test.ts'],
    testNamePattern: 'divide a total of 5',
  },
  {
    name: 'body-in-the-log',
    description: 'the log contains the body of the request',
    file: 'functions/shared/http/request-log.ts',
    search: 'status: request.response?.statusCode,',
    replacement: 'status: request.response?.statusCode,\n      body: request.event.body,',
    detectedBy: ['test/faults/disclosure.test.ts'],
  },
];
