/** Earlier versions of the document. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { files } from '../hosting/functions.ts';
import type { OpenApiDocument } from './types.ts';

/** The document that is committed, and served. */
export const committedFile = files['openapi.json'] ?? '';

/** The types of the client, made from it. */
export const clientTypesFile = committedFile.replace('openapi.json', 'client/types.ts');

/**
 * The document in a file, or as a revision of git has it.
 * @returns nothing when there is none.
 */
export function earlierDocument(base: string): OpenApiDocument | undefined {
  if (existsSync(base)) return JSON.parse(readFileSync(base, 'utf8')) as OpenApiDocument;
  try {
    const directory = committedFile.replace(/[^/]*$/, '');
    const text = execFileSync('git', ['show', `${base}:./openapi.json`], {
      cwd: directory,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(text) as OpenApiDocument;
  } catch {
    // No git, no such revision, or none with the document.
    return undefined;
  }
}
