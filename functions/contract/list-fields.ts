/**
 * What lists can do with a field. It follows from the type of the field, so a new field has all of it at once: the parameters of lists, the
 * OpenAPI document and the client are derived from here.
 */
import * as v from 'valibot';
import { numberField } from '../engine/model/entity.ts';
import type { FilterOperator } from '../engine/model/list-query.ts';
import { isFreeText, longTextField, type ReferenceOptions } from './fields.ts';

/** The operators that callers write, `field[operator]=value`. Without an operator, a filter is an exact match. */
export type ListOperator = Exclude<FilterOperator, 'eq' | 'search'>;

const comparisons = ['lt', 'lte', 'gt', 'gte'] as const;
const choices = ['ne', 'in', 'notIn'] as const;

const operatorsOfType = {
  text: [...choices, 'startsWith', 'contains', ...comparisons],
  'long text': [...choices, 'startsWith'],
  enumeration: [...choices, ...comparisons],
  date: [...choices, ...comparisons],
  number: [...choices, ...comparisons],
  flag: ['ne'],
  time: [...choices, ...comparisons],
  id: [...choices, ...comparisons],
  reference: [...choices, ...comparisons],
  'list of references': ['in', 'all', 'isEmpty'],
} as const satisfies Readonly<Record<string, readonly ListOperator[]>>;

/** The types of fields that lists tell apart. Of a long text, rows hold only the beginning. */
export type FieldType = keyof typeof operatorsOfType;

export const operatorsOfSeveralValues: ReadonlySet<string> = new Set<ListOperator>(['in', 'notIn', 'all']);

export const operatorsOfBooleans: ReadonlySet<string> = new Set<ListOperator>(['isNull', 'isEmpty']);

/** Fields whose values hardly ever occur twice: counting or adding them says nothing. */
const uncounted: ReadonlySet<string> = new Set([
  ...['id', 'name', numberField, longTextField, 'createdAt', 'updatedAt', 'deletedAt'],
]);

export interface ListField {
  readonly name: string;
  readonly type: FieldType;
  readonly isNullable: boolean;
  /** Whether a value can have any character, a comma too. */
  readonly isFreeText: boolean;
  /** Of an enumeration: its values in the order of their rank. */
  readonly values: readonly string[];
  readonly operators: readonly ListOperator[];
  readonly isSortable: boolean;
  readonly isCountable: boolean;
  readonly isSummable: boolean;
  /** Of a number: the digits behind the point that it has, at most. */
  readonly decimals: number;
}

/** The parameters of lists that are no filters. */
export const listOptions = [
  'page',
  'after',
  'limit',
  'sortBy',
  'sortOrder',
  'fields',
  'expand',
  'countBy',
  'sumBy',
  'search',
  'etags',
  'changesCursor',
] as const;

export const changesOptions = ['since', 'limit', 'fields', 'etags'] as const;

const parameterNames: ReadonlySet<string> = new Set([...listOptions, ...changesOptions]);

type AnySchema = v.GenericSchema & {
  readonly type: string;
  readonly wrapped?: v.GenericSchema;
  readonly options?: readonly string[];
  readonly item?: v.GenericSchema;
};

export const withoutDefault = (schema: v.GenericSchema): v.GenericSchema => {
  const { type, wrapped } = schema as AnySchema;
  return type === 'optional' && wrapped ? wrapped : schema;
};

function valueSchema(schema: v.GenericSchema): AnySchema {
  const bare = withoutDefault(schema) as AnySchema;
  return bare.type === 'nullable' ? (bare.wrapped as AnySchema) : bare;
}

/** Returns what a reference, or each of a list of references, refers to, and how; `undefined` for another field. */
export function referenceIn(
  schema: v.GenericSchema,
): { readonly target: () => unknown; readonly options: ReferenceOptions } | undefined {
  const value = valueSchema(schema);
  return v.getMetadata(value.item ?? value)['reference'] as ReturnType<typeof referenceIn>;
}

function typeOf(name: string, schema: v.GenericSchema): FieldType {
  const value = valueSchema(schema);
  if (name === longTextField) return 'long text';
  if (value.type === 'array' && referenceIn(schema) !== undefined) return 'list of references';
  if (value.type === 'picklist') return 'enumeration';
  if (value.type === 'boolean') return 'flag';
  const { decimals, format } = v.getMetadata(value);
  if (value.type === 'number' && decimals !== undefined) return 'number';
  if (value.type !== 'string') {
    throw new TypeError(
      `The field "${name}" has a type that lists do not know. Use one of functions/contract/fields.ts: a text, status, oneOf, day, number, flag, reference or references.`,
    );
  }
  if (referenceIn(schema) !== undefined) return 'reference';
  return format === 'date' ? 'date' : 'text';
}

const listField = (name: string, type: FieldType, isNullable: boolean): ListField => ({
  name,
  type,
  isNullable,
  isFreeText: false,
  values: [],
  operators: [...operatorsOfType[type], ...(isNullable ? (['isNull'] as const) : [])],
  isSortable: type !== 'list of references',
  isCountable: !uncounted.has(name) && type !== 'number',
  isSummable: type === 'number' && !uncounted.has(name),
  decimals: 0,
});

const ownFields: Readonly<Record<string, FieldType>> = { id: 'id', createdAt: 'time', updatedAt: 'time' };

/** The fields that lists of deleted entities have besides. */
export const deletedListFields: Readonly<Record<string, ListField>> = {
  deletedAt: listField('deletedAt', 'time', false),
  deletedBy: listField('deletedBy', 'text', true),
  deletedWith: listField('deletedWith', 'id', true),
};

/**
 * Returns what lists can do with a field.
 * @param schema absent for a field that only the store sets.
 * @throws TypeError for a type that lists do not know, and for the name of a parameter.
 */
export function toListField(name: string, schema: v.GenericSchema | undefined): ListField {
  if (parameterNames.has(name)) {
    throw new TypeError(`No field can be called "${name}": lists have a parameter with this name.`);
  }
  if (!schema) return listField(name, ownFields[name] ?? 'text', false);
  const isNullable = withoutDefault(schema).type === 'nullable';
  return {
    ...listField(name, typeOf(name, schema), isNullable),
    isFreeText: isFreeText(valueSchema(schema)),
    values: valueSchema(schema).options ?? [],
    decimals: Number(v.getMetadata(valueSchema(schema))['decimals'] ?? 0),
  };
}
