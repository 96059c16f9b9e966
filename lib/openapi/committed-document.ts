import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { OpenApiDocument } from './types.ts';

export const committedFile = fileURLToPath(new URL('../../openapi.json', import.meta.url));

export const clientTypesFile = committedFile.replace('openapi.json', 'client/types.ts');

export const agentToolsFile = committedFile.replace('openapi.json', 'client/mcp/tools.ts');

/** Returns undefined when neither the file nor the Git revision exists. */
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
    // Git, the revision or the file in it is missing.
    return undefined;
  }
}
