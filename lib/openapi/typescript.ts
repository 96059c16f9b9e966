import type { Schema } from './types.ts';

export const quoted = (value: unknown): string => `'${String(value)}'`;

export const union = (values: readonly unknown[]): string => values.map(quoted).join(' | ');

export const arrayOf = (type: string): string => `readonly ${type.includes('|') ? `(${type})` : type}[]`;

function typeOf({ type, enum: values, items }: Schema): string {
  if (values) return union(values);
  if (items) return arrayOf(typeOf(items));
  return [type]
    .flat()
    .map((one) => (one === 'integer' ? 'number' : String(one)))
    .join(' | ');
}

/** The type that suggests known statuses and takes any other. */
export const statusType = 'Status';

/** @param withoutNull leaves `null` out. */
export function fieldType(name: string, schema: Schema, withoutNull = false): string {
  if (name === 'status') return statusType;
  return withoutNull ? typeOf(schema).replace(' | null', '') : typeOf(schema);
}

/** Returns what a caller may write, as sentences: the form, the length, and the default. */
function limits({ minLength, maxLength, maxItems, format, default: fallback }: Schema): string {
  const form = { date: ' `YYYY-MM-DD`.', 'date-time': ' As in `2026-03-02T09:15:27.318Z`.' }[String(format)];
  const least = Number(minLength) > 0 ? `${minLength} to` : 'At most';
  const length =
    form || maxLength === undefined ? '' : ` ${least} ${Number(maxLength).toLocaleString('en')} characters.`;
  const items = maxItems === undefined ? '' : ` At most ${maxItems}.`;
  const omitted =
    fallback === undefined ? '' : ` Default: \`${JSON.stringify(fallback).replaceAll('"', "'")}\`.`;
  return `${form ?? ''}${length}${items}${omitted}`;
}

export const comment = (text: unknown, indent = ''): string => `${indent}/** ${String(text)} */\n`;

export const optional = (name: string, type: string): string => `  readonly ${name}?: ${type} | undefined;\n`;

export function field(name: string, schema: Schema, isRequired: boolean): string {
  const type = fieldType(name, schema);
  const declared = isRequired ? `  readonly ${name}: ${type};\n` : optional(name, type);
  const described = `${schema['description']}${schema['readOnly'] ? '' : limits(schema)}`;
  return `${comment(described, '  ')}${declared}`;
}

export const declaration = (name: string, description: unknown, fields: readonly string[]): string =>
  `${comment(description)}export interface ${name} {\n${fields.join('')}}\n`;
