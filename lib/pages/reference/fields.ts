import type { OpenApiDocument, Schema } from '../../openapi/types.ts';
import { escaped } from '../html.ts';
import { inlineMarkdown } from '../markdown.ts';
import { resolve } from './resolve.ts';

const code = (value: unknown): string => `<code>${escaped(String(value))}</code>`;

/** Returns a default as it would be sent: the values of a parameter without brackets. */
const shownDefault = (value: unknown): string =>
  code(Array.isArray(value) && value.length > 0 ? value.join(',') : JSON.stringify(value));

/** Returns the name of what a schema refers to, alone or as one of several. */
function nameOf({ $ref, anyOf = [] }: Schema): string | undefined {
  const reference = $ref ?? anyOf.find((one) => one['$ref'])?.['$ref'];
  return reference === undefined ? undefined : String(reference).split('/').at(-1)?.toLowerCase();
}

/** Names of formats that are not words. */
const formatNames: Readonly<Record<string, string>> = { uuid: 'UUID', uri: 'URL', email: 'e-mail address' };

/** Returns what a text is. Any text is accepted in place of an id, but only ids are found. */
function nameOfText({ format, 'x-reference': reference }: Schema): string {
  const own = reference ? 'uuid' : String(format ?? 'string');
  return formatNames[own] ?? own;
}

export function typeOf(schema: Schema): string {
  const { type, items, enum: values, oneOf, anyOf = [] } = schema;
  const name = nameOf(schema);
  if (name) return `${name}${anyOf.some((one) => one.type === 'null') ? ' or null' : ''}`;
  const types = [type ?? []].flat();
  const isNullable = types.includes('null');
  const plain = types.find((one) => one !== 'null');
  const shown = plain === 'string' ? nameOfText(schema) : plain;
  const shownType =
    plain === 'array'
      ? `array of ${typeOf(items ?? {})}s`
      : (shown ?? (values ? 'string' : oneOf ? 'object' : 'any'));
  return `${shownType}${isNullable ? ' or null' : ''}`;
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

export function factsOf(schema: Schema): string {
  const values = schema.enum ?? schema.items?.enum;
  const facts = [
    escaped(typeOf(schema)),
    ...limitsOf(schema),
    ...(values ? [`${schema.items ? 'of' : 'one of'} ${values.map(code).join(' ')}`] : []),
    ...('default' in schema ? [`default ${shownDefault(schema['default'])}`] : []),
  ];
  return `<span class="facts">${facts.join(' · ')}</span>`;
}

export const entry = (name: string, facts: string, description: string, isRequired = false): string =>
  `<dt><code>${escaped(name)}</code>${isRequired ? ' <b class="required">required</b>' : ''} ${facts}</dt><dd>${inlineMarkdown(description)}</dd>`;

/** Returns the fields of an object as a list. Fields that are accepted and ignored are left out. */
export function fieldList(document: OpenApiDocument, schema: Schema): string {
  const { properties = {}, required = [] } = resolve(document, schema);
  const entries = Object.entries(properties)
    .filter(([, property]) => !property['readOnly'])
    .map(([name, property]) =>
      entry(name, factsOf(property), String(property['description'] ?? ''), required.includes(name)),
    );
  return entries.length === 0 ? '' : `<dl class="fields">${entries.join('\n')}</dl>`;
}

export function batchFields(document: OpenApiDocument, alternatives: readonly Schema[]): string {
  return alternatives
    .map((alternative) => {
      const { properties = {}, required = [] } = alternative;
      const entries = Object.entries(properties).map(([name, property]) => {
        const resolved = resolve(document, property);
        const description = String(resolved['description'] ?? '');
        return entry(name, factsOf(resolved), description, required.includes(name));
      });
      return `<h5>${escaped(String(alternative['title']))}</h5><dl class="fields">${entries.join('\n')}</dl>`;
    })
    .join('\n');
}
