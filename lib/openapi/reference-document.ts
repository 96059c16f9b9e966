/** The document for people: with samples of code. */
import { samplesOf } from './samples/samples.ts';
import type { OpenApiDocument, Operation, PathItem } from './types.ts';

/** Returns a copy of the document with `x-codeSamples`. */
export function referenceDocument(document: OpenApiDocument): OpenApiDocument {
  const paths: Record<string, PathItem> = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const operations = Object.entries(item).map(([method, operation]): [string, Operation] => [
      method,
      { ...operation, 'x-codeSamples': samplesOf(document, path, method, operation) },
    ]);
    paths[path] = Object.fromEntries(operations);
  }
  return { ...document, paths };
}
