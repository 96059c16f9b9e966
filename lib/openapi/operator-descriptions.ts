import type { FieldType, ListField, ListOperator } from '../../functions/contract/list-fields.ts';
import type { Resource } from '../../functions/contract/resource.ts';
import { maxFilters } from '../../functions/http/parse-filters.ts';
import { docsOf } from './resources.ts';

const before: Partial<Record<FieldType, string>> = {
  enumeration: 'ranks below',
  date: 'is earlier than',
  time: 'is earlier than',
  number: 'is less than',
};

const after: Partial<Record<FieldType, string>> = {
  enumeration: 'ranks above',
  date: 'is later than',
  time: 'is later than',
  number: 'is greater than',
};

const phrases: Readonly<Record<ListOperator, (field: ListField) => string>> = {
  ne: ({ isNullable }) => `is not this value${isNullable ? ', including null' : ''}`,
  in: ({ type }) =>
    type === 'list of references' ? 'contains at least one of these ids' : 'is one of these values',
  notIn: ({ isNullable }) => `is none of these values${isNullable ? ', including null' : ''}`,
  all: () => 'contains all of these ids',
  lt: ({ type }) => `${before[type] ?? 'sorts before'} this value`,
  lte: ({ type }) => `is this value, or ${before[type] ?? 'sorts before'} it`,
  gt: ({ type }) => `${after[type] ?? 'sorts after'} this value`,
  gte: ({ type }) => `is this value, or ${after[type] ?? 'sorts after'} it`,
  startsWith: () => 'begins with this text, ignoring case',
  contains: () => 'contains this text, ignoring case',
  isNull: () => 'is null; with `false`, is not null',
  isEmpty: () => 'is empty; with `false`, is not empty',
};

/** Precedes the example in the description of an operator. */
export const exampleMark = ' For example, ';

export const describeOperator = (field: ListField, operator: ListOperator): string =>
  `\`${field.name}\` ${phrases[operator](field)}.`;

export function describeFilters({ kind, plural }: Resource): string {
  const { question, query } = docsOf({ kind }).list;
  return [
    `Filter with \`field=value\` for an exact match or \`field[operator]=value\`. Entities must match all filters, up to ${maxFilters}.`,
    'Separate the values of `in`, `notIn` and `all` with commas. Write `\\,` for a comma and `\\\\` for a backslash.',
    `For example, ${question}: \`GET /v1/${plural}?${query}\`.`,
  ].join(' ');
}
