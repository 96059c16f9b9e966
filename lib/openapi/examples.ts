/**
 * Examples of bodies and responses. They agree with each other: the response has what the request of the same operation sends, as the
 * service would return it.
 */
import type { Contract } from '../../functions/contract/contract.ts';
import { type Resource, readOnlyFieldsOf } from '../../functions/contract/resource.ts';
import { referencesOf } from '../../functions/engine/model/relations.ts';
import { converted } from './json-schema.ts';
import { docsOf } from './resources.ts';
import type { Examples } from './types.ts';

type Entity = Readonly<Record<string, unknown>>;

/** Entities that match the query of an example. */
const total = 41;

const exampleOf = ({ kind }: Resource): Entity => docsOf({ kind }).example;

const isWritableValue = ({ kind, fields, keptFields }: Resource, field: string): boolean =>
  field in fields &&
  !keptFields.includes(field) &&
  !referencesOf(kind).some((relation) => relation.field === field);

/** Returns a body that creates an entity. It succeeds in every service that has what required references name. */
export function creationBody(resource: Resource): Entity {
  const { required = [] } = converted(resource.schemas.whole(), 'input');
  // Optional references are left out: the entities do not exist in the reader's service. So is the subject: a user has it after the first request.
  const sent = Object.entries(exampleOf(resource)).filter(
    ([field]) => required.includes(field) || isWritableValue(resource, field),
  );
  return Object.fromEntries(sent);
}

/** Returns the entity that the body creates: fields that it leaves out have their defaults. @param more replaces fields. */
function createdEntity(resource: Resource, more: Entity = {}): Entity {
  const example = exampleOf(resource);
  const given = Object.fromEntries(readOnlyFieldsOf(resource).map((field) => [field, example[field]]));
  return resource.show({
    ...given,
    ...creationBody(resource),
    updatedAt: example['createdAt'],
    ...more,
  } as Parameters<Resource['show']>[0]);
}

const changedEntity = (resource: Resource): Entity => ({
  ...exampleOf(resource),
  ...docsOf(resource).change,
});

/** Returns the response to an operation that reads or changes one entity. */
export function entityExample({ method, operation, resource }: Contract): Entity | undefined {
  if (!resource) return undefined;
  const example = exampleOf(resource);
  if (method === 'PATCH') return changedEntity(resource);
  if (method === 'PUT') {
    const kept = Object.fromEntries(resource.keptFields.map((field) => [field, example[field]]));
    return createdEntity(resource, { ...kept, updatedAt: example['updatedAt'] });
  }
  return operation.startsWith('archive') ? { ...example, status: 'archived' } : example;
}

/** Returns the response to an operation that creates an entity. */
export function createdExample({ body, resource }: Contract): Entity | undefined {
  if (!resource) return undefined;
  if (body?.schema === resource.schemas.whole) return createdEntity(resource);
  const example = exampleOf(resource);
  // A clone: it is created after the entity that it copies.
  return {
    ...example,
    id: '019b2f50-1c7e-7d08-9a4b-5b1d9c0e7f42',
    createdAt: example['updatedAt'],
    updatedAt: example['updatedAt'],
  };
}

export const batchExample = (resource: Resource): object => ({
  operations: [
    { operation: 'create', body: creationBody(resource) },
    {
      operation: 'update',
      id: exampleOf(resource)['id'],
      body: docsOf(resource).change,
    },
    { operation: 'delete', id: '019b2f4f-7a30-7c1d-9e52-3c8b0d6f1a25' },
  ],
});

export function batchResultsExample(resource: Resource): object {
  const now = exampleOf(resource)['updatedAt'];
  const id = '019b2f50-1c7e-7d08-9a4b-5b1d9c0e7f42';
  return {
    results: [
      {
        status: 201,
        etag: '"5b1d9c0e7f42-1"',
        body: createdEntity(resource, { id, createdAt: now, updatedAt: now }),
      },
      { status: 200, etag: '"7a2c4d8f0e36-4"', body: changedEntity(resource) },
      { status: 204 },
    ],
  };
}

const valuesOf = (query: URLSearchParams, name: string): string[] =>
  (query.get(name) ?? '').split(',').filter((value) => value !== '');

/** Returns what `expand` adds to the entity of an example. */
function expanded({ expansions }: Resource, names: readonly string[]): Entity {
  const added = Object.values(expansions)
    .filter(({ name }) => names.includes(name))
    .map(({ name, isArray, target, shown }) => {
      const entity = target.show(exampleOf(target) as Parameters<Resource['show']>[0], shown);
      return [name, isArray ? [entity] : entity];
    });
  return Object.fromEntries(added);
}

/** Returns the examples of a list: the response to the query of the sample, and to none. */
export function listExamples(resource: Resource): Examples {
  const example = exampleOf(resource);
  const { question, query: text } = docsOf(resource).list;
  const query = new URLSearchParams(text);
  const fields = valuesOf(query, 'fields');
  const shown =
    fields.length === 0
      ? example
      : resource.show(example as Parameters<Resource['show']>[0], new Set(['id', ...fields]));
  const sums = Object.fromEntries(
    valuesOf(query, 'sumBy').map((field) => [field, Number(example[field]) * total]),
  );
  const hasSums = query.has('sumBy') && { sums };
  const counts = valuesOf(query, 'countBy').map((field) => [
    field,
    [{ value: [example[field]].flat()[0], count: total, ...hasSums }],
  ]);
  const page = { total, page: 1, limit: 20, totalPages: 3 };
  return {
    sample: {
      summary: `For example, ${question}`,
      value: {
        data: [{ ...shown, ...expanded(resource, valuesOf(query, 'expand')) }],
        ...page,
        ...(counts.length > 0 && { counts: Object.fromEntries(counts) }),
        ...hasSums,
      },
    },
    page: { summary: 'Without parameters', value: { data: [example], ...page } },
  };
}
