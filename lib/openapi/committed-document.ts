import { fileURLToPath } from 'node:url';

export const committedFile = fileURLToPath(new URL('../../openapi.json', import.meta.url));

export const clientTypesFile = committedFile.replace('openapi.json', 'client/types.ts');

export const rxdbSchemasFile = committedFile.replace('openapi.json', 'client/adapters/rxdb-schemas.ts');

export const agentToolsFile = committedFile.replace('openapi.json', 'client/mcp/tools.ts');
