import { toMutations } from './mutation.ts';

export const responseMutations = toMutations({
  'functions/http/renderers.ts': {
    'attributes-shown': [
      'responses contain all attributes of an entity in the table',
      'resource ? showEntity(resource, entity, view, expanded) : entity',
      'resource ? { ...entity } : entity',
    ],
    'tag-of-expanded-entities': [
      'the ETag of an entity says nothing about what it expands',
      'const tag = view.expansions.length > 0 ? undefined : versionTag(',
      'const tag = versionTag(',
    ],
  },
  'functions/http/render-list.ts': {
    'etags-of-another-entity': [
      'the entity tags of a list all have the version of its first entity',
      'page.versions[position] ?? 0',
      'page.versions[0] ?? 0',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'keys-in-entities': [
      'the keys of the table become fields of an entity',
      'if (internalAttributes.has(name)) continue;',
      "if (name === '' && internalAttributes.has(name)) continue;",
    ],
  },
  'functions/http/problems.ts': {
    'cause-in-the-response': [
      'a 500 contains the stack trace of the cause',
      "'The cause has been logged under the requestId.'",
      'String((error as Error).stack)',
    ],
  },
  'functions/http/request-log.ts': {
    'body-in-the-log': [
      'the log contains the body of the request',
      'status: request.response?.statusCode,',
      'status: request.response?.statusCode,\n      body: request.event.body,',
    ],
  },
  'functions/http/entity-view.ts': {
    'expanded-secrets': [
      'expanded entities show all attributes in the table',
      'entities.map((one) => target.show(one, fields))',
      'entities.map((one) => ({ ...target.show(one, fields), ...one }))',
    ],
    'any-number-expanded': [
      'a page expands any number of entities',
      'count > maxExpandedEntities',
      'count > 100 * maxExpandedEntities',
    ],
  },
});
