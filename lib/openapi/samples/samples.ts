import type { CodeSample, OpenApiDocument, Operation } from '../types.ts';
import { curlSample } from './curl.ts';
import { kotlinSample } from './kotlin.ts';
import { pythonSample } from './python.ts';
import { sampleRequest } from './request.ts';
import { swiftSample } from './swift.ts';
import { typescriptSample } from './typescript.ts';

/** The languages, the usual one first. */
const languages = [
  ['bash', 'curl', curlSample],
  ['typescript', 'TypeScript', typescriptSample],
  ['swift', 'Swift', swiftSample],
  ['kotlin', 'Kotlin', kotlinSample],
  ['python', 'Python', pythonSample],
] as const;

export function samplesOf(
  document: OpenApiDocument,
  path: string,
  method: string,
  operation: Operation,
): CodeSample[] {
  const request = sampleRequest(document, path, method, operation);
  return languages.map(([lang, label, write]) => ({ lang, label, source: write(request) }));
}
