/** The document for people and for generators of clients: without HEAD, and with samples of code. */
import { samplesOf } from './samples/samples.ts';
import type { Components, OpenApiDocument, Operation, PathItem } from './types.ts';

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

/** HEAD repeats every GET. Generators would make a second method of it. */
const withoutHead = ({ head: _, ...item }: PathItem): PathItem => item;

/**
 * Returns a copy of the document without HEAD operations, and with `x-codeSamples`. Checkers use the whole document,
 * at `/v1/openapi.json`.
 */
export function referenceDocument(document: OpenApiDocument): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const operations = Object.entries(withoutHead(item)).map(([method, operation]): [string, Operation] => [
      method,
      { ...operation, 'x-codeSamples': samplesOf(document, path, method, operation) },
    ]);
    paths[path] = Object.fromEntries(operations);
  }
  return { ...document, paths, components: usedComponents(paths, document.components) };
}
