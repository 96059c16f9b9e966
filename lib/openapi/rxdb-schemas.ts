/** The schemas of RxDB for copies of all collections. */
import { pascal } from '../../functions/contract/contract.ts';
import { resources } from '../../functions/schema.ts';
import type { OpenApiDocument, Schema } from './types.ts';

/** Returns what RxDB needs to know of a field. Indexes need the greatest length. */
const property = ({ type, maxLength, items }: Schema): object => ({
  type,
  maxLength,
  ...(items && { items: property(items) }),
});

/** Returns the text of `client/adapters/rxdb-schemas.ts`. */
export function rxdbSchemasModule({ components }: OpenApiDocument): string {
  const lines = resources.map(({ kind, plural, fieldNames }) => {
    const { properties = {} } = components.schemas[pascal(kind)] as Schema;
    const fields = fieldNames.map((field) => [field, property(properties[field] as Schema)]);
    const schema = {
      version: 0,
      primaryKey: 'id',
      type: 'object',
      properties: { ...Object.fromEntries(fields), version: { type: 'string' } },
      required: ['id'],
    };
    const name = plural.replaceAll(/-./g, (letter) => letter.slice(1).toUpperCase());
    return `  ${name}: ${JSON.stringify(schema)} as unknown as Schema<types.${pascal(kind)}>,`;
  });
  return [
    '// Generated from the OpenAPI document by "npx pm-api openapi". Do not edit.',
    "import type { RxJsonSchema } from 'rxdb';",
    "import type * as types from '../types.ts';",
    "import type { Versioned } from '../versions.ts';",
    '',
    'type Schema<Entity> = RxJsonSchema<Versioned<Entity>>;',
    '',
    '/** A schema for copies of each collection. `withFields` leaves fields out. */',
    'export const schemas = {',
    ...lines,
    '};',
    '',
  ].join('\n');
}
