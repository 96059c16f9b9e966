/** The document for generators of clients. */
import type { Components, OpenApiDocument, Operation, PathItem, Reference } from './types.ts';

function referencesIn(value: unknown): string[] {
  const found = JSON.stringify(value).matchAll(/"\$ref":"([^"]+)"/g);
  return [...found].map(([, reference]) => reference ?? '');
}

/** Returns the references that a value needs, directly and through components. */
function neededReferences(paths: OpenApiDocument['paths'], components: Components): Set<string> {
  const needed = new Set(referencesIn(paths));
  // Iterating a Set includes what is added meanwhile.
  for (const reference of needed) {
    const [, , section = '', name = ''] = reference.split('/');
    const component = (components as unknown as Record<string, Record<string, unknown>>)[section]?.[name];
    for (const inner of referencesIn(component ?? {})) needed.add(inner);
  }
  return needed;
}

function usedComponents(paths: OpenApiDocument['paths'], components: Components): Components {
  const needed = neededReferences(paths, components);
  const kept = Object.entries(components).map(([section, named]) => [
    section,
    section === 'securitySchemes'
      ? named
      : Object.fromEntries(
          Object.entries(named).filter(([name]) => needed.has(`#/components/${section}/${name}`)),
        ),
  ]);
  return Object.fromEntries(kept) as Components;
}

/** Returns a value without the alternative that entities have some fields alone. */
const withWholeEntities = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, inner: { anyOf?: readonly { $ref?: string }[] } | null) => {
    const [whole, partial] = inner?.anyOf ?? [];
    return partial?.$ref?.includes('/Partial') ? whole : inner;
  }) as Value;

const fieldsHint =
  '\n\nWith the parameter `fields`, for example `fields=name,status`, entities have their `id` and these fields alone. It is not in this document.';

const isFields = (parameter: object): boolean => /\.fields$/.test((parameter as Reference).$ref ?? '');

/** Returns an operation without the parameter `fields`, which its description names. */
function withoutFields(operation: Operation): Operation {
  const { parameters = [], description = '' } = operation;
  return parameters.some(isFields)
    ? {
        ...operation,
        description: description + fieldsHint,
        parameters: parameters.filter((parameter) => !isFields(parameter)),
      }
    : operation;
}

/**
 * Returns a copy of the document in which entities are always whole, without the parameter `fields`: generators would make each field of an entity optional.
 * Each operator of a filter stays a parameter of its own: as properties of one `deepObject`, swagger-typescript-api 13.13.0 sends `[object Object]`.
 * Checkers use the whole document, at `/v1/openapi.json`.
 */
export function generatorDocument(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]): [string, PathItem] => [
    path,
    Object.fromEntries(Object.entries(item).map(([method, one]) => [method, withoutFields(one)])),
  ]);
  const whole = withWholeEntities({ paths: Object.fromEntries(paths), components: document.components });
  return { ...document, paths: whole.paths, components: usedComponents(whole.paths, whole.components) };
}
