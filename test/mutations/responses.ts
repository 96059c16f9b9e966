import { toMutations } from './mutation.ts';

export const responseMutations = toMutations({
  'functions/http/renderers.ts': {
    'attributes-shown': [
      'resource ? showEntity(resource, entity, view, expanded) : entity',
      'resource ? { ...entity } : entity',
    ],
    'tag-of-expanded-entities': [
      'const tag = rendering.view.expansions.length > 0 ? undefined : versionTag(',
      'const tag = versionTag(',
    ],
  },
  'functions/http/render-list.ts': {
    'etags-of-another-entity': ['page.versions[position] ?? 0', 'page.versions[0] ?? 0'],
  },
  'functions/engine/model/item-codec.ts': {
    'keys-in-entities': [
      'if (internalAttributes.has(name)) continue;',
      "if (name === '' && internalAttributes.has(name)) continue;",
    ],
  },
  'functions/http/problems.ts': {
    'cause-in-the-response': [
      "'The cause has been logged under the requestId.'",
      'String((error as Error).stack)',
    ],
  },
  'functions/http/request-log.ts': {
    'body-in-the-log': [
      "status: isAborted(request) ? 'aborted' : request.response?.statusCode,",
      "status: isAborted(request) ? 'aborted' : request.response?.statusCode,\n      body: request.event.body,",
    ],
  },
  'functions/http/entity-view.ts': {
    'expanded-secrets': [
      'entities.map((one) => target.show(one, fields))',
      'entities.map((one) => ({ ...target.show(one, fields), ...one }))',
    ],
    'any-number-expanded': ['count > maxExpandedEntities', 'count > 100 * maxExpandedEntities'],
  },
});
