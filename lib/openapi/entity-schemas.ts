import { pascal } from '../../functions/contract/contract.ts';
import {
  deletedOf,
  type Expansion,
  type Resource,
  readOnlyFieldsOf,
} from '../../functions/contract/resource.ts';
import { maxCountedValues } from '../../functions/engine/columns/read/count-values.ts';
import { maxChangesCursorLength } from '../../functions/engine/feed/cursor.ts';
import { maxPlaceCursorLength } from '../../functions/engine/lists/place-cursor.ts';
import { maxPosition } from '../../functions/engine/model/change-log.ts';
import { restorableDays } from '../../functions/engine/model/deletion.ts';
import { maxChangesLimit, maxLimit } from '../../functions/http/parse-list-query.ts';
import { entityTag } from './headers.ts';
import { historySchema } from './history.ts';
import { converted, count, listOf, objectOf, text, textOrNull } from './json-schema.ts';
import { docsOf } from './resources.ts';
import { referTo, type Schema } from './types.ts';

/** Returns the schemas of the fields that responses show. */
export function fieldSchemas(resource: Resource): Record<string, Schema> {
  const { properties = {} } = converted(resource.schemas.entity(), 'output');
  const readOnly = readOnlyFieldsOf(resource);
  const shown = Object.entries(properties).map(([name, { default: _, ...field }]) => [
    name,
    { ...field, ...(readOnly.includes(name) && { readOnly: true }) },
  ]);
  return Object.fromEntries(shown);
}

/** Returns the name of the schema of entities that an expansion adds. Those without a description are shown whole. */
const expandedName = ({ target, shown }: Expansion): string =>
  `${shown.size < target.fieldNames.length ? 'Expanded' : ''}${pascal(target.kind)}`;

function expandedSchema(expansion: Expansion, { maxItems }: Schema): Schema {
  const { field, isArray, target } = expansion;
  const entity = referTo('schemas', expandedName(expansion));
  const description = `With \`expand\`: the ${isArray ? target.plural : target.kind} of \`${field}\`.`;
  return isArray
    ? { type: 'array', maxItems, items: entity, readOnly: true, description }
    : { anyOf: [entity, { type: 'null' }], readOnly: true, description };
}

const expandedSchemas = ({ expansions }: Resource, fields: Record<string, Schema>): Record<string, Schema> =>
  Object.fromEntries(
    Object.values(expansions).map((expansion) => [
      expansion.name,
      expandedSchema(expansion, fields[expansion.field] ?? {}),
    ]),
  );

/** Returns the schema of sums; `undefined` for a resource without numbers. */
function sumsSchema({ listFields }: Resource): Schema | undefined {
  const summed = Object.values(listFields).filter(({ isSummable }) => isSummable);
  if (summed.length === 0) return undefined;
  return {
    type: 'object',
    description: 'With `sumBy`: what these fields add up to on all pages.',
    properties: Object.fromEntries(
      summed.map(({ name }) => [name, { type: 'number', description: `The sum of \`${name}\`.` }]),
    ),
  };
}

function countsSchema(resource: Resource, fields: Record<string, Schema>): Schema {
  const counted = Object.values(resource.listFields).filter(({ isCountable }) => isCountable);
  const sums = sumsSchema(resource);
  const properties = counted.map(({ name }) => {
    const field = fields[name] ?? {};
    const value = { ...(field.items ?? field), description: 'A value of the field.' };
    const ofValue = { value, count: count(1, 'Number of matching entities with this value.') };
    const valueCount = objectOf(undefined, { ...ofValue, ...(sums && { sums }) }, ['sums']);
    const description = `The most frequent values of \`${name}\`, by count and then by value.`;
    return [name, listOf(maxCountedValues, valueCount, description)];
  });
  return {
    type: 'object',
    description: 'With `countBy`: how often the values of these fields occur on all pages.',
    properties: Object.fromEntries(properties),
  };
}

/**
 * Returns the schema of an entity of a list. With `fields`, only its id is certain. The second alternative covers the first, so one
 * would be enough for validation. Both are there for generated clients: a list without `fields` then has the type of the entity, and
 * clients that try one alternative after the other find the whole entity first.
 */
const itemSchema = (name: string): Schema => ({
  anyOf: [referTo('schemas', name), referTo('schemas', `Partial${name}`)],
});

const etagsSchema = (maxItems: number): Schema =>
  listOf(
    maxItems,
    { ...entityTag, description: 'The `ETag` of the entity at this position.' },
    'With `etags=true`: the versions of the entities of this page, in the order of `data`.',
  );

const listSchema = (
  resource: Resource,
  fields: Record<string, Schema>,
  sums = sumsSchema(resource),
): Schema =>
  objectOf(
    `A page of ${resource.plural}.`,
    {
      data: listOf(maxLimit, itemSchema(pascal(resource.kind)), 'The entities of this page.'),
      etags: etagsSchema(maxLimit),
      total: count(0, 'Number of matching entities on all pages.'),
      page: count(1, 'Number of this page.'),
      limit: { ...count(1, 'Entities on a page, at most: the `limit` in effect.'), maximum: maxLimit },
      next: textOrNull(
        maxPlaceCursorLength,
        'With `after`: the `after` of the next page; null on the last page.',
      ),
      totalPages: count(0, 'Number of pages with this limit.'),
      counts: countsSchema(resource, fields),
      ...(sums && { sums }),
      changesCursor: text(
        maxChangesCursorLength,
        'With `changesCursor=true`: the `since` of the change feed that continues this list.',
      ),
    },
    ['etags', 'next', 'counts', 'sums', 'changesCursor'],
  );

/** Entities on a page of a change feed, at most: a record can have 100 more than the limit. */
const maxChanges = maxChangesLimit + maxLimit;

const changesSchema = (resource: Resource): Schema =>
  objectOf(
    `A page of changes of ${resource.plural}.`,
    {
      data: listOf(
        maxChanges,
        itemSchema(pascal(resource.kind)),
        'The entities that were created or changed, as they are now, each of them once, in no order.',
      ),
      etags: etagsSchema(maxChanges),
      removed: listOf(
        maxChanges,
        text(255, 'The id of an entity.'),
        'Entities that were deleted, or do not match the filters any more. You may not have them.',
      ),
      cursor: text(
        maxChangesCursorLength,
        'The `since` of the next request. Store it together with the data.',
      ),
      position: {
        type: 'integer',
        minimum: 0,
        maximum: maxPosition,
        description:
          'What was announced up to this position is on the pages up to this one, if `hasMore` is false.',
      },
      hasMore: { type: 'boolean', description: 'Whether to ask again at once.' },
    },
    ['etags'],
  );

/** The fields that lists of deleted entities show besides. */
const deletionSchemas: Record<string, Schema> = {
  deletedAt: {
    type: 'string',
    format: 'date-time',
    maxLength: 24,
    description: `When it was deleted. It can be restored for ${restorableDays} days.`,
  },
  deletedBy: textOrNull(
    1_024,
    'The subject of the token with which it was deleted: that of the user whose `subject` it is. Null on a service without tokens.',
  ),
  deletedWith: textOrNull(
    255,
    'The id of the entity whose deletion removed it. Null if it was deleted itself.',
  ),
  restores: count(0, 'Number of other entities that come back with it.'),
};

/** Returns the schema of a page of deleted entities: a list without the cursor of a feed. */
function deletedListSchema(resource: Resource, fields: Record<string, Schema>): Schema {
  const shown = deletedOf(resource);
  const all = { ...fields, ...deletionSchemas };
  const { properties = {}, ...list } = listSchema(shown, all);
  const { changesCursor: _, ...ofPage } = properties;
  const items = itemSchema(`Deleted${pascal(resource.kind)}`);
  return {
    ...list,
    description: `A page of deleted ${resource.plural}.`,
    properties: { ...ofPage, data: { ...ofPage['data'], items } },
  };
}

function expandedEntitySchemas({ expansions }: Resource): Record<string, Schema> {
  const named = Object.values(expansions).map((expansion): [string, Schema] => {
    const { target, shown } = expansion;
    const isShown = ([name]: [string, unknown]): boolean => shown.has(name);
    const properties = Object.fromEntries(Object.entries(fieldSchemas(target)).filter(isShown));
    const example = Object.fromEntries(Object.entries(docsOf(target).example).filter(isShown));
    const description = `One of the ${target.plural}, as \`expand\` adds it: without its description.`;
    return [
      expandedName(expansion),
      { type: 'object', description, properties, required: Object.keys(properties), example },
    ];
  });
  return Object.fromEntries(named.filter(([name]) => name.startsWith('Expanded')));
}

export function entitySchemas(resource: Resource): Record<string, Schema> {
  const { kind } = resource;
  const { description, example } = docsOf({ kind });
  const fields = fieldSchemas(resource);
  const expansions = expandedSchemas(resource, fields);
  const properties = { ...fields, ...expansions };
  const { id, name } = example;
  const one = pascal(kind);
  return {
    [one]: { type: 'object', description, properties, required: Object.keys(fields), example },
    [`Partial${one}`]: {
      type: 'object',
      description: `Fields of one of the ${resource.plural}: those that \`fields\` names.`,
      properties,
      required: ['id'],
      example: { id, name },
    },
    ...expandedEntitySchemas(resource),
    [`${one}List`]: listSchema(resource, fields),
    [`${one}ChangesPage`]: changesSchema(resource),
    [`Deleted${one}`]: objectOf(
      `One of the ${resource.plural} before its deletion.`,
      { ...properties, ...deletionSchemas },
      Object.keys(expansions),
    ),
    [`PartialDeleted${one}`]: {
      type: 'object',
      description: `Fields of one of the deleted ${resource.plural}: those that \`fields\` names.`,
      properties: { ...properties, ...deletionSchemas },
      required: ['id'],
    },
    [`Deleted${one}List`]: deletedListSchema(resource, fields),
    [`${one}History`]: historySchema(resource, fields),
  };
}
