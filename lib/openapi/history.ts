/** The schema, the parameters and the example of the history of an entity. */

import { longTextField } from '../../functions/contract/fields.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { maxHistoryCursorLength } from '../../functions/engine/feed/list-history.ts';
import { readOnlyFields } from '../../functions/engine/model/entity.ts';
import { defaultLimit, maxLimit } from '../../functions/http/parse-list-query.ts';
import { count, listOf, maxHeadBytes, objectOf, text, textOrNull } from './json-schema.ts';
import { docsOf } from './resources.ts';
import { inQuery, type Parameter, type Schema } from './types.ts';

const { maximum: _, ...limit } = count(
  1,
  `Changes per page. A higher value than ${maxLimit} counts as ${maxLimit}.`,
);

/** The parameters of histories, by the names of their components. */
export const historyParameters: Readonly<Record<'historyAfter' | 'historyLimit', Parameter>> = {
  historyAfter: inQuery('after', 'The `cursor` of the page before, or empty for the first page.', {
    type: 'string',
    maxLength: maxHistoryCursorLength,
  }),
  historyLimit: inQuery(
    'limit',
    'Changes per page. A page can have fewer, although more follow.',
    { ...limit, default: defaultLimit },
    { example: defaultLimit },
  ),
};

function fieldChange(name: string, { readOnly: _readOnly, ...value }: Schema): Schema {
  const isCut: Schema = {
    type: 'boolean',
    enum: [true],
    description: 'The values are the first 100 characters of longer texts.',
  };
  return {
    type: 'object',
    description: `The change of \`${name}\`.`,
    properties: {
      from: { ...value, description: 'The value before. It is absent if there was no entity.' },
      to: { ...value, description: 'The value after. It is absent if the entity was deleted.' },
      ...(name === longTextField && { isCut }),
    },
  };
}

/** Returns the fields that changes have, without those that only the service sets. */
export const changingFields = (fields: Readonly<Record<string, Schema>>) =>
  Object.entries(fields).filter(([name]) => !(readOnlyFields as readonly string[]).includes(name));

/** @param fields the schemas of the fields of the entity. */
export function historySchema({ kind }: Resource, fields: Readonly<Record<string, Schema>>): Schema {
  const changes = changingFields(fields).map(([name, schema]) => [name, fieldChange(name, schema)] as const);
  const entry = objectOf(
    'One change.',
    {
      version: count(1, 'The version that the change made. The `ETag` of the entity ends with it.'),
      time: { type: 'string', format: 'date-time', maxLength: 24, description: 'When it was made.' },
      operation: {
        type: 'string',
        enum: ['create', 'update', 'delete', 'restore'],
        description: 'What the request did. Jobs make changes with the operations of requests.',
      },
      actor: text(
        maxHeadBytes,
        'The `subject` of the token of the request. It is absent where requests need no token.',
      ),
      changes: {
        type: 'object',
        description:
          'The fields that changed, except `updatedAt`. An entity that was created, deleted or restored has all fields.',
        properties: Object.fromEntries(changes),
      },
    },
    ['actor'],
  );
  return objectOf(`Changes of the ${kind}.`, {
    data: listOf(maxLimit, entry, 'The changes, the newest first.'),
    cursor: textOrNull(maxHistoryCursorLength, 'The `after` of the next page; null on the last page.'),
    isComplete: {
      type: 'boolean',
      description: 'Whether the history goes back to the creation. If not, earlier changes have expired.',
    },
  });
}

/** Returns a page with one change, of the fields that the resource's example of an update has. */
export function historyExample({ kind }: Resource): object {
  const { example, change } = docsOf({ kind });
  const changes = Object.entries(change).map(([name, to]) => [name, { from: example[name], to }] as const);
  const entry = {
    version: 3,
    time: example['updatedAt'],
    operation: 'update',
    actor: '8d3c1f52-6a0e-4b7d-9c21-5e8f7a90b3d4',
    changes: Object.fromEntries(changes),
  };
  return { data: [entry], cursor: null, isComplete: true };
}
