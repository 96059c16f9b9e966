/** The JSON Schema of events (`functions/jobs/cloud-events.ts`), from the fields of the contract. */

import { longTextField } from '../../functions/contract/fields.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import type { ChangeOperation } from '../../functions/engine/feed/describe-change.ts';
import { busSource, type EventType, eventNames } from '../../functions/jobs/cloud-events.ts';
import { resources } from '../../functions/schema.ts';
import { fieldSchemas } from './entity-schemas.ts';
import { changingFields } from './history.ts';
import { count, objectOf } from './json-schema.ts';
import type { Schema } from './types.ts';

/** The values that an operation has of each field. One that is older than a field has no value before its first update. */
const valuesOf: Readonly<
  Record<ChangeOperation, { readonly has: readonly string[]; readonly required: string }>
> = {
  create: { has: ['to'], required: 'to' },
  update: { has: ['from', 'to'], required: 'to' },
  delete: { has: ['from'], required: 'from' },
  restore: { has: ['to'], required: 'to' },
};

function fieldChange(name: string, field: Schema, operation: ChangeOperation): Schema {
  const { readOnly: _, ...value } = field;
  const { has, required } = valuesOf[operation];
  const isCut = {
    const: true,
    description: 'A text is longer than its first 100 characters, which are here.',
  };
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries(has.map((key) => [key, value])),
      ...(name === longTextField && { isCut }),
    },
    required: [required],
  };
}

function dataSchema(resource: Resource, operation: ChangeOperation): Schema {
  const fields = changingFields(fieldSchemas(resource));
  return {
    type: 'object',
    properties: {
      version: count(1, 'The version that the change made.'),
      actor: { type: 'string', description: 'The subject of the token whose request made the change.' },
      changes: {
        type: 'object',
        description: 'The fields that changed.',
        properties: Object.fromEntries(
          fields.map(([name, field]) => [name, fieldChange(name, field, operation)]),
        ),
      },
      isCut: { const: true, description: 'The event would be too large with its changes.' },
    },
    required: ['version'],
    anyOf: [{ required: ['changes'] }, { required: ['isCut'] }],
  };
}

function eventSchema(resource: Resource, operation: ChangeOperation): [EventType, Schema] {
  const type: EventType = `${resource.kind}.${eventNames[operation]}`;
  const { id } = fieldSchemas(resource);
  return [
    type,
    objectOf(undefined, {
      specversion: { const: '1.0' },
      id: { type: 'string', description: 'Kind, id and version of the entity: the same on a repeat.' },
      type: { const: type },
      source: { type: 'string', format: 'uri-reference', description: 'The tenant.' },
      subject: { ...id, description: `The id of the ${resource.kind}.` },
      time: { type: 'string', format: 'date-time', description: 'When the change was made.' },
      sequence: {
        type: 'string',
        pattern: '^[0-9]{15}$',
        description:
          'The position of the change in the log of its kind. Events of one source and kind have the order of their sequences. Those of one request can have the same.',
      },
      datacontenttype: { const: 'application/json' },
      data: dataSchema(resource, operation),
    }),
  ];
}

/** Returns the schema of all events. `$defs` has the schema of each type. */
export function eventSchemas(): Schema {
  const operations = Object.keys(eventNames) as ChangeOperation[];
  const definitions = resources.flatMap((resource) =>
    operations.map((operation) => eventSchema(resource, operation)),
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Events of ${busSource}`,
    oneOf: definitions.map(([type]) => ({ $ref: `#/$defs/${type}` })),
    $defs: Object.fromEntries(definitions),
  };
}
