/** Fields and parameters as lists in Markdown. */

import { resolve } from '../openapi/resolve.ts';
import type { OpenApiDocument, Parameter, Schema } from '../openapi/types.ts';

export const code = (value: unknown): string => `\`${String(value)}\``;

/** Returns a default as it would be sent: the values of a parameter without brackets. */
const shownDefault = (value: unknown): string =>
  code(Array.isArray(value) && value.length > 0 ? value.join(',') : JSON.stringify(value));

/** Returns the name of what a schema refers to, alone or as one of several. */
function nameOf({ $ref, anyOf = [] }: Schema): string | undefined {
  const reference = $ref ?? anyOf.find((one) => one['$ref'])?.['$ref'];
  return reference === undefined
    ? undefined
    : String(reference)
        .split('/')
        .at(-1)
        ?.replace(/^Expanded/, '')
        .toLowerCase();
}

/** Names of formats that are not words. */
const formatNames: Readonly<Record<string, string>> = { uuid: 'UUID', uri: 'URL', email: 'e-mail address' };

/** Returns what a text is. Any text is accepted in place of an id, but only ids are found. */
function nameOfText({ format, 'x-reference': reference }: Schema): string {
  const own = reference ? 'uuid' : String(format ?? 'string');
  return formatNames[own] ?? own;
}

function typeOf(schema: Schema): string {
  const { type, items, enum: values, oneOf, anyOf = [] } = schema;
  const name = nameOf(schema);
  if (name) return `${name}${anyOf.some((one) => one.type === 'null') ? ' or null' : ''}`;
  const types = [type ?? []].flat();
  const plain = types.find((one) => one !== 'null');
  const shown = plain === 'string' ? nameOfText(schema) : plain;
  const shownType =
    plain === 'array'
      ? `array of ${typeOf(items ?? {})}s`
      : (shown ?? (values ? 'string' : oneOf ? 'object' : 'any'));
  return `${shownType}${types.includes('null') ? ' or null' : ''}`;
}

/** A longer limit protects the service, and nobody reaches it with a value that makes sense. */
const maxShownLength = 10_000;

function limitsOf(schema: Schema): string[] {
  const { minLength, maxLength, maxItems, minimum, maximum, format, 'x-reference': reference } = schema;
  const isUnlimited = (bound: unknown) => typeof bound !== 'number' || bound > 1_000_000;
  return [
    // A format says more than its length.
    ...(Number(maxLength) <= maxShownLength && !format && !reference
      ? [`${minLength ? `${minLength} to` : 'up to'} ${Number(maxLength).toLocaleString('en')} characters`]
      : []),
    ...(isUnlimited(maxItems) ? [] : [`at most ${maxItems}`]),
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(isUnlimited(maximum) ? [] : [`to ${maximum}`]),
  ];
}

function factsOf(schema: Schema, isRequired: boolean, example?: unknown): string {
  const values = schema.enum ?? schema.items?.enum;
  return [
    ...(isRequired ? ['**required**'] : []),
    typeOf(schema),
    ...limitsOf(schema),
    ...(values ? [`${schema.items ? 'of' : 'one of'} ${values.map(code).join(' ')}`] : []),
    ...('default' in schema ? [`default ${shownDefault(schema['default'])}`] : []),
    ...(example === undefined ? [] : [`for example ${code(example)}`]),
  ].join(', ');
}

/** An item of a list: a name, what its values are, and what it is for. */
const entry = (name: string, facts: string, description: unknown = ''): string =>
  `- ${code(name)}: ${facts}${description === '' ? '' : `  \n  ${String(description).replaceAll('\n', '\n  ')}`}`;

/** Returns a section with a title, or nothing if it has no content. */
export const section = (title: string, content: string): string =>
  content === '' ? '' : `## ${title}\n\n${content}\n`;

export const parameterList = (parameters: readonly Parameter[]): string =>
  parameters
    .map(({ name, schema, required = false, example, description }) =>
      entry(name, factsOf(schema, required, example), description),
    )
    .join('\n');

/**
 * Returns the fields of an object, those of objects in it indented. Fields that a request has in vain are left out.
 * @param depth how many levels of objects are listed.
 */
export function fieldList(
  document: OpenApiDocument,
  schema: Schema,
  isOf: 'request' | 'response',
  depth = 2,
): string {
  const { properties = {}, required = [] } = resolve(document, schema);
  return Object.entries(properties)
    .filter(([, property]) => isOf === 'response' || !property['readOnly'])
    .map(([name, property]) => {
      const own = resolve(document, property);
      const shown = isOf === 'request' ? own : property;
      const isRequired = isOf === 'request' && required.includes(name);
      const inner = resolve(document, own.items?.anyOf?.[0] ?? own.items ?? own.anyOf?.[0] ?? own);
      const nested =
        isOf === 'response' && depth > 1 && inner.properties
          ? `\n${fieldList(document, inner, isOf, depth - 1).replaceAll(/^/gm, '  ')}`
          : '';
      return entry(name, factsOf(shown, isRequired), own['description']) + nested;
    })
    .join('\n');
}

const withoutOperator = (name: string): string => name.replace(/\[.*/, '');

/** Returns the filters of a list as a table: for each field its operators, with an example of a value. */
export function filterList(filters: readonly Parameter[]): string {
  const fields = [...new Set(filters.map(({ name }) => withoutOperator(name)))];
  const rows = fields.map((field) => {
    const own = filters.filter(({ name }) => withoutOperator(name) === field);
    const type = typeOf(own.find(({ name }) => name.includes('[gt'))?.schema ?? { type: 'string' });
    const operators = own.map(({ name }) => code(/\[(\w+)\]/.exec(name)?.[1] ?? '='));
    return `| ${code(field)} | ${type} | ${operators.join(' ')} |`;
  });
  if (rows.length === 0) return '';
  return `| field | type | operators |\n| --- | --- | --- |\n${rows.join('\n')}\n\n${code('=')} stands for ${code('field=value')}, and an operator for ${code('field[operator]=value')}: [what each means](/docs/guides/interface#filter).`;
}
