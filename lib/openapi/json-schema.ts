import { toJsonSchema } from '@valibot/to-json-schema';
import type * as v from 'valibot';
import type { Resource } from '../../functions/contract/resource.ts';
import { fieldDescriptions } from './resources.ts';
import type { Schema } from './types.ts';

/** Limit of API Gateway for the request line and the headers. No parameter can be longer. */
export const maxHeadBytes = 10_240;

/** Returns the schema of a whole number that every JSON parser represents exactly. */
export const count = (minimum: number, description: string): Schema => ({
  type: 'integer',
  format: 'int64',
  minimum,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});

/** Returns the schema of a text that has at most `maxLength` characters. */
export const text = (maxLength: number, description: string): Schema => ({
  type: 'string',
  maxLength,
  description,
});

export const textOrNull = (maxLength: number, description: string): Schema => ({
  type: ['string', 'null'],
  maxLength,
  description,
});

export const listOf = (maxItems: number, items: Schema, description: string): Schema => ({
  type: 'array',
  maxItems,
  items,
  description,
});

/** Returns the schema of an object. All its properties but the `optional` ones are required. */
export const objectOf = (
  description: string | undefined,
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema => ({
  type: 'object',
  ...(description !== undefined && { description }),
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

/** Any text. A value that no entity has matches nothing. */
export const anyText: Schema = { type: 'string', maxLength: maxHeadBytes };

/** Replaces `anyOf` with null by a list of types, and names the resource of a reference. */
function simplified(schema: Schema): Schema {
  // No keyword tells decimals: validators divide by `multipleOf` in floating point, and refuse 0.07 with 0.01.
  const { anyOf, reference, decimals, ...rest } = schema as Schema & {
    reference?: { readonly target: () => Pick<Resource, 'kind'> };
    decimals?: number;
  };
  const [one, other] = anyOf ?? [];
  if (one && other?.type === 'null') {
    const value = simplified(one);
    return { ...value, type: [String(value.type), 'null'], ...rest };
  }
  return {
    ...rest,
    ...(decimals === 0 && { type: 'integer', format: 'int64' }),
    ...(reference !== undefined && { 'x-reference': reference.target().kind }),
    ...(schema.items && { items: simplified(schema.items) }),
  };
}

/** Converts an object's schema. Custom checks have no JSON Schema and are left out; the metadata of a field describes its bounds. */
export function converted(schema: v.GenericSchema, typeMode: 'input' | 'output'): Schema {
  const { properties, required } = toJsonSchema(schema, {
    target: 'draft-2020-12',
    typeMode,
    errorMode: 'ignore',
  }) as unknown as Schema;
  const described = Object.entries(properties ?? {}).map(([name, field]) => [
    name,
    { ...simplified(field), description: fieldDescriptions[name] },
  ]);
  return { type: 'object', properties: Object.fromEntries(described), ...(required && { required }) };
}
