import { maxOperations } from '../../functions/contract/contract.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { maxOwnIdAgeMs, maxOwnIdAheadMs } from '../../functions/engine/entities/own-ids.ts';
import { maxIfMatchLength } from '../../functions/http/batch-operations.ts';
import { entityTag } from './headers.ts';
import { objectOf, text } from './json-schema.ts';
import { referTo, type Schema } from './types.ts';

/** The value of `If-Match`, and of `ifMatch` in an operation. */
export const ifMatchPattern = '^(?:\\*|(?:W/)?"[^"]*"(?:, *(?:W/)?"[^"]*"){0,99})$';

/** Which ids of their own callers can give. */
export const ownIdRule = `An id that you generate must be a version 7 UUID in lower case, with a time at most ${maxOwnIdAgeMs / 86_400_000} days in the past and ${maxOwnIdAheadMs / 1_000} seconds in the future. \`createdAt\` is the time of the id.`;

const id = ({ kind }: Resource): Schema => ({
  ...text(255, `Id of the ${kind}. It can occur only once in a batch.`),
  'x-reference': kind,
});

const ownId = ({ kind }: Resource): Schema =>
  text(255, `${ownIdRule} Without it, the service generates the id of the ${kind}.`);

const ifMatch: Schema = {
  type: 'string',
  maxLength: maxIfMatchLength,
  pattern: ifMatchPattern,
  description:
    'The `ETag` of the version to change, or a list of at most 100. If a newer version exists, the response is 412.',
};

/** Returns the schema of one operation. All members but those that are `optional` are required. */
const operation = (
  name: string,
  description: string,
  properties: Record<string, Schema>,
  optional: string,
): Schema => ({
  type: 'object',
  title: name,
  description,
  properties: { operation: { type: 'string', enum: [name], description: 'The operation.' }, ...properties },
  required: ['operation', ...Object.keys(properties).filter((property) => property !== optional)],
  additionalProperties: false,
});

/** Returns the schema of the body of a batch. @param name of the schema of an entity. */
export const batchSchema = (resource: Resource, name: string): Schema => ({
  type: 'object',
  description: 'Operations that are all applied, or none.',
  properties: {
    operations: {
      type: 'array',
      minItems: 1,
      maxItems: maxOperations,
      description: 'The operations.',
      items: {
        oneOf: [
          operation(
            'create',
            `Creates a ${resource.kind}.`,
            { id: ownId(resource), body: referTo('schemas', `New${name}`) },
            'id',
          ),
          operation(
            'update',
            'Updates fields: fields that are left out keep their values.',
            { id: id(resource), ifMatch, body: referTo('schemas', `${name}Changes`) },
            'ifMatch',
          ),
          operation('delete', `Deletes a ${resource.kind}.`, { id: id(resource), ifMatch }, 'ifMatch'),
        ],
      },
    },
  },
  required: ['operations'],
  additionalProperties: false,
});

const status = (...statuses: number[]): Schema => ({
  type: 'integer',
  format: 'int32',
  minimum: 200,
  maximum: Math.max(204, ...statuses),
  enum: statuses,
  description: 'Status of the operation.',
});

export const batchResultsSchema = ({ kind, access }: Resource, name: string): Schema =>
  objectOf('The results of a batch.', {
    results: {
      type: 'array',
      minItems: 1,
      maxItems: maxOperations,
      description: 'One result for each operation, in their order.',
      items: {
        oneOf: [
          {
            type: 'object',
            title: 'written',
            description: `The ${kind} that an operation created (201) or updated (200).`,
            properties: {
              status: status(200, 201),
              etag: { ...entityTag, description: 'Version of the entity, for `If-Match`.' },
              body: referTo('schemas', name),
            },
            required: ['status', 'etag', 'body'],
          },
          {
            type: 'object',
            title: 'deleted',
            description: `The ${kind} is deleted${access ? '; or, in a repeated response, one that you do not see any more (404)' : ''}.`,
            properties: { status: access ? status(204, 404) : status(204) },
            required: ['status'],
          },
        ],
      },
    },
  });
