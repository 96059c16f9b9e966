import {
  type FieldType,
  type ListField,
  type ListOperator,
  operatorsOfBooleans,
  operatorsOfSeveralValues,
} from '../../functions/contract/list-fields.ts';
import { deletedOf, type Resource } from '../../functions/contract/resource.ts';
import { maxChangesCursorLength } from '../../functions/engine/feed/cursor.ts';
import { maxPlaceCursorLength } from '../../functions/engine/lists/place-cursor.ts';
import { maxWordLength } from '../../functions/engine/model/words.ts';
import { maxLongTextPrefix, maxValues } from '../../functions/http/operands.ts';
import {
  defaultChangesLimit,
  defaultLimit,
  maxChangesLimit,
  maxLimit,
  maxSearchWords,
  maxSortFields,
} from '../../functions/http/parse-list-query.ts';
import { anyText, count } from './json-schema.ts';
import { describeOperator, exampleMark } from './operator-descriptions.ts';
import { docsOf, knownStatuses } from './resources.ts';
import { inQuery, type Parameter, type Schema } from './types.ts';

const { maximum: _, ...limit } = count(
  1,
  `Entities per page. Values above ${maxLimit} count as ${maxLimit}.`,
);

export const pageParameters: Readonly<Record<'page' | 'after' | 'limit', Parameter>> = {
  page: inQuery(
    'page',
    'Number of the page. Pages after the last one are empty.',
    { ...count(1, 'The first page is 1.'), default: 1 },
    { example: 1 },
  ),
  after: inQuery(
    'after',
    'The `next` of the previous page, or empty for the first page. No entity is skipped or repeated, even if others write in the meantime. Keep the filters and the order. Cannot be combined with `page`.',
    { type: 'string', maxLength: maxPlaceCursorLength },
  ),
  limit: inQuery(
    'limit',
    'Entities per page.',
    { ...limit, default: defaultLimit },
    { example: defaultLimit },
  ),
};

/** The parameters of change feeds that lists do not have, by the names of their components. */
export const changesParameters: Readonly<Record<'since' | 'changesLimit', Parameter>> = {
  since: inQuery(
    'since',
    'The `cursor` of the previous response. Without it, the feed begins with all entities; with `now`, with the next change. Keep the filters and `fields`.',
    { type: 'string', minLength: 1, maxLength: maxChangesCursorLength },
  ),
  changesLimit: inQuery(
    'limit',
    'Changes per page. A page can have a few more, because one request can change many entities.',
    {
      ...limit,
      description: `Values above ${maxLimit} count as ${maxLimit}; without descriptions, those above ${maxChangesLimit} as ${maxChangesLimit}.`,
      default: defaultChangesLimit,
    },
    { example: defaultChangesLimit },
  ),
};

const severalValues = (name: string, description: string, schema: Schema): Parameter => ({
  name,
  in: 'query',
  description,
  style: 'form',
  explode: false,
  schema: { type: 'array', minItems: 1, ...schema },
});

const names = (values: readonly string[], maxItems = values.length): Schema => ({
  maxItems,
  items: { type: 'string', enum: values },
});

const alias = ({ schema, ...parameter }: Parameter, name: string): Parameter => {
  const { default: __, ...withoutDefault } = schema;
  return {
    ...parameter,
    name,
    deprecated: true,
    description: `Alias of \`${parameter.name}\`.`,
    schema: withoutDefault,
  };
};

const fieldsWith = (
  { listFields }: Resource,
  property: 'isSortable' | 'isCountable' | 'isSummable',
): string[] =>
  Object.values(listFields)
    .filter((field) => field[property])
    .map(({ name }) => name);

function sortParameters(resource: Resource): Parameter[] {
  const usual = 'deletedAt' in resource.listFields ? 'deletedAt' : 'createdAt';
  const sortBy = severalValues(
    'sortBy',
    `Up to ${maxSortFields} fields to sort by. Text sorts by Unicode code point and enumerations by rank. Null is the lowest value.`,
    { ...names(fieldsWith(resource, 'isSortable'), maxSortFields), default: [usual] },
  );
  const sortOrder = severalValues(
    'sortOrder',
    'One direction for all fields of `sortBy`, or one for each. Ties are sorted by `createdAt`, then `id`, in the first direction.',
    { ...names(['asc', 'desc'], maxSortFields), default: ['desc'] },
  );
  return [sortBy, sortOrder];
}

function viewParameters(resource: Resource): Parameter[] {
  return [
    severalValues('fields', 'The fields to return. `id` is always included.', names(resource.fieldNames)),
    ...expandParameters(resource),
    severalValues(
      'countBy',
      'Adds `counts`: the number of matching entities on all pages for each value of these fields.',
      names(fieldsWith(resource, 'isCountable')),
    ),
    ...sumParameters(resource),
    searchParameter,
    inQuery(
      'etags',
      'Adds `etags`: the `ETag` of each entity, in the order of `data`. Send it as `If-Match` to prevent a lost update.',
      { type: 'boolean', default: false },
    ),
    inQuery(
      'changesCursor',
      'Adds `changesCursor`: the `since` of the change feed that continues this list, with the same filters and `fields`. If you read several pages, keep that of the first one.',
      { type: 'boolean', default: false },
    ),
  ];
}

const searchParameter: Parameter = inQuery(
  'search',
  `Each of these words must be the beginning of a word of \`name\` or \`description\`, without regard to case and accents. A word has letters and digits. Up to ${maxSearchWords} words of at most ${maxWordLength} characters.`,
  anyText,
);

function sumParameters(resource: Resource): Parameter[] {
  const summable = fieldsWith(resource, 'isSummable');
  if (summable.length === 0) return [];
  const description =
    'Adds `sums`: what these fields of the matching entities on all pages add up to. With `countBy`, each value has its sums too. Null counts as nothing.';
  return [severalValues('sumBy', description, names(summable))];
}

function expandParameters({ expansions }: Resource): Parameter[] {
  const all = Object.values(expansions);
  if (all.length === 0) return [];
  const added = all.map(({ name, field }) => `\`${name}\` for \`${field}\``).join(', ');
  const description = `Embeds the referenced entities: ${added}.`;
  return [severalValues('expand', description, names(all.map(({ name }) => name)))];
}

/** What an operator compares with fields of some types. Without an operator, any text is allowed. */
const operandSchemas: Partial<Record<FieldType, Schema>> = {
  date: { type: 'string', format: 'date', maxLength: 10 },
  time: { type: 'string', format: 'date-time', maxLength: 40 },
  number: { type: 'number' },
  flag: { type: 'boolean' },
};

/** Returns the schema of a value that a field is compared with. A value that no entity has is allowed, and matches nothing. */
function operandSchema({ name, type, values }: ListField, operator: ListOperator | undefined): Schema {
  const isOrder = operator && ['lt', 'lte', 'gt', 'gte'].includes(operator);
  const ofType = operator && operandSchemas[type];
  if (ofType) return ofType;
  if (type === 'enumeration' && isOrder) return { type: 'string', enum: values };
  if (type === 'enumeration') return { ...anyText, examples: values };
  if (type === 'long text' && operator === 'startsWith') {
    return { type: 'string', maxLength: maxLongTextPrefix };
  }
  const isWhole = !operator || ['ne', 'in', 'notIn'].includes(operator);
  return name === 'status' && isWhole ? { ...anyText, examples: knownStatuses } : anyText;
}

/** What lists of deleted entities show besides. */
export const deletedExample: Readonly<Record<string, unknown>> = {
  deletedAt: '2026-03-09T18:05:11.204Z',
  deletedBy: '8d3c0e9a-7a51-4d5e-9a0e-3c1f2d4b5a69',
  deletedWith: '019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36',
};

function exampleOperands(resource: Resource, { name, values }: ListField, operator: ListOperator): unknown[] {
  if (operatorsOfBooleans.has(operator)) return ['true'];
  const example: Readonly<Record<string, unknown>> = {
    ...docsOf(resource).example,
    ...deletedExample,
  };
  // The example of a task is below no other one.
  const value = [example[name]].flat()[0] ?? example['id'];
  if (operator === 'startsWith') return [String(value).split(' ')[0]];
  if (operator === 'contains') return [String(value).split(' ').at(-1)];
  if (!operatorsOfSeveralValues.has(operator)) return [value];
  if (name === 'status') return knownStatuses.slice(-2);
  return values.length > 0 ? values.slice(-2) : [value];
}

/** Returns a filter as in a URL. A colon needs no encoding there, and times are easier to read with it. */
const inUrl = (name: string, operands: readonly unknown[]): string =>
  `${name}=${operands.map((value) => encodeURIComponent(String(value)).replaceAll('%3A', ':')).join(',')}`;

/**
 * Returns the parameter of a field and an operator. Its example is in the description: Swagger UI sends the examples of all parameters,
 * which would be more filters than a list takes.
 */
function operatorParameter(resource: Resource, field: ListField, operator: ListOperator): Parameter {
  const name = `${field.name}[${operator}]`;
  const example = inUrl(name, exampleOperands(resource, field, operator));
  const description = `${describeOperator(field, operator)}${exampleMark}\`${example}\`.`;
  if (operatorsOfBooleans.has(operator)) {
    return inQuery(name, description, { type: 'boolean' });
  }
  const schema = withReference(resource, field, operandSchema(field, operator));
  return operatorsOfSeveralValues.has(operator)
    ? severalValues(name, description, { maxItems: maxValues, items: schema })
    : inQuery(name, description, schema);
}

function withReference({ expansions }: Resource, { name }: ListField, schema: Schema): Schema {
  const expansion = Object.values(expansions).find(({ field }) => field === name);
  return expansion ? { ...schema, 'x-reference': expansion.target.kind } : schema;
}

const exactParameter = (resource: Resource, field: ListField): Parameter =>
  inQuery(
    field.name,
    field.type === 'list of references'
      ? `\`${field.name}\` contains this value.`
      : `Exact match of \`${field.name}\`.`,
    withReference(resource, field, operandSchema(field, undefined)),
  );

/**
 * Returns the name of a parameter among the components: brackets are not allowed there. Generators make names of types from it, without
 * its punctuation: `sort_by` would have the name of `sortBy`.
 */
const componentName = ({ plural }: Resource, { name, deprecated }: Parameter): string =>
  `${plural}.${name.replace('[', '.').replace(']', '')}${deprecated ? '.alias' : ''}`;

export function listParameters(resource: Resource): Map<string, Parameter> {
  const fields = Object.values(resource.listFields);
  const [sortBy, sortOrder] = sortParameters(resource) as [Parameter, Parameter];
  const all = [
    sortBy,
    sortOrder,
    ...viewParameters(resource),
    ...fields.map((field) => exactParameter(resource, field)),
    ...fields.flatMap((field) =>
      field.operators.map((operator) => operatorParameter(resource, field, operator)),
    ),
    alias(sortBy, 'sort_by'),
    alias(sortOrder, 'sort_order'),
  ];
  return new Map(all.map((parameter) => [componentName(resource, parameter), parameter]));
}

/** Returns the parameters of lists of deleted entities that other lists of the resource do not have in this form. */
export function deletedListParameters(resource: Resource): Map<string, Parameter> {
  const others = listParameters(resource);
  return new Map(
    [...listParameters(deletedOf(resource))]
      .filter(([name, parameter]) => JSON.stringify(parameter) !== JSON.stringify(others.get(name)))
      .map(([name, parameter]) => [`deleted.${name}`, parameter]),
  );
}

export function deletedListParameterNames(resource: Resource): string[] {
  const own = deletedListParameters(resource);
  const names = [...listParameters(deletedOf(resource))].flatMap(([name, parameter]) =>
    parameter.name === 'changesCursor' ? [] : own.has(`deleted.${name}`) ? [`deleted.${name}`] : [name],
  );
  return [...Object.keys(pageParameters), ...names];
}

export const listParameterNames = (resource: Resource): string[] => [
  ...Object.keys(pageParameters),
  ...listParameters(resource).keys(),
];

/** Returns the names of the parameters of a change feed: filters, and how entities are shown. */
export function changesParameterNames(resource: Resource): string[] {
  const own = [...listParameters(resource)].filter(
    ([, { name, deprecated }]) =>
      !deprecated &&
      !['sortBy', 'sortOrder', 'expand', 'countBy', 'sumBy', 'search', 'changesCursor'].includes(name),
  );
  return [...Object.keys(changesParameters), ...own.map(([component]) => component)];
}

export const expandParameterNames = (resource: Resource): string[] =>
  expandParameters(resource).map((parameter) => componentName(resource, parameter));
