import type { Mutation } from './mutation.ts';

/** Mutations of responses and of the log. */
export const responseMutations: readonly Mutation[] = [
  {
    name: 'attributes-shown',
    description: 'responses contain all attributes of an entity in the table',
    file: 'functions/shared/http/renderers.ts',
    search: 'resource ? showEntity(resource, entity, view, expanded) : entity',
    replacement: 'resource ? { ...entity } : entity',
    detectedBy: ['test/security/contents-and-amounts.test.ts'],
    testNamePattern: 'API3',
  },
  {
    name: 'etags-of-another-entity',
    description: 'the entity tags of a list all have the version of its first entity',
    file: 'functions/shared/http/renderers.ts',
    search: 'page.versions[position] ?? 0',
    replacement: 'page.versions[0] ?? 0',
    detectedBy: ['test/contract/list-options/entity-tags.test.ts'],
    testNamePattern: 'are the ETags of the entities',
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
    name: 'body-in-the-log',
    description: 'the log contains the body of the request',
    file: 'functions/shared/http/request-log.ts',
    search: 'status: request.response?.statusCode,',
    replacement: 'status: request.response?.statusCode,\n      body: request.event.body,',
    detectedBy: ['test/faults/disclosure.test.ts'],
  },
  {
    name: 'tag-of-expanded-entities',
    description: 'the ETag of an entity says nothing about what it expands',
    file: 'functions/shared/http/renderers.ts',
    search: 'const tag = view.expansions.length > 0 ? undefined : versionTag(',
    replacement: 'const tag = versionTag(',
    detectedBy: ['test/unit/functions/shared/http/renderers.test.ts'],
  },
  {
    name: 'expanded-secrets',
    description: 'expanded entities show all attributes in the table',
    file: 'functions/shared/http/entity-view.ts',
    search: 'entities.map((one) => target.show(one))',
    replacement: 'entities.map((one) => ({ ...target.show(one), ...one }))',
    detectedBy: ['test/unit/functions/shared/http/entity-view.test.ts'],
  },
];
