/** The overview for language models (https://llmstxt.org): what the service is, its guides and its operations. */
import type { OpenApiDocument } from '../openapi/types.ts';
import type { Guide } from './guides.ts';
import { productName } from './layout.ts';

const rules = `- Lists: \`GET /v1/tasks?status=active&dueDate[lt]=2026-03-09&sortBy=priority&limit=100\`. Filters are \`field=value\` or \`field[operator]=value\`, all of which must match. \`total\` is exact.
- Send the \`ETag\` of an entity as \`If-Match\` with a write: the response is 412 if somebody has changed it.
- Send an \`Idempotency-Key\` with each \`POST\`, and repeat the request with the same key when no response arrived.
- Errors are problem documents (RFC 9457). \`errors\` says what is wrong, and where.`;

/** Returns the text of `/llms.txt`. */
export function llmsText({ paths }: OpenApiDocument, guides: readonly Guide[]): string {
  const operations = Object.entries(paths)
    .flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    )
    .filter(({ path, method }) => path.startsWith('/v1/') && method !== 'head')
    .map(({ path, method, operation }) => `- \`${method.toUpperCase()} ${path}\`: ${operation.summary}`);
  return `# ${productName}

> Organizations, projects, users, tasks and tags over HTTP and JSON. Each list takes any filter and any order, and has an exact total.

${rules}

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](/docs/guides/${name}): ${summary.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')}`).join('\n')}

## Reference

- [OpenAPI document](/v1/openapi.json): every operation, field and error
- [Problems](/docs/problems): the meaning and the solution of each error
- [Events](/docs/events.json): the JSON Schema of each event

## Operations

${operations.join('\n')}
`;
}
