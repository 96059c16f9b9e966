/** The overview for language models (https://llmstxt.org): what the service is, its guides and its operations. */
import type { OpenApiDocument } from '../openapi/types.ts';
import type { Guide } from './guides.ts';
import { type OperationPlace, titleOf } from './operation-page.ts';
import { operationsByTag } from './operations.ts';

const rules = `- Lists: \`GET /v1/tasks?status=active&dueDate[lt]=2026-03-09&sortBy=priority&limit=100\`. Filters are \`field=value\` or \`field[operator]=value\`, all of which must match. \`total\` is exact.
- Send the \`ETag\` of an entity as \`If-Match\` with a write: the response is 412 if somebody has changed it.
- Send an \`Idempotency-Key\` with each \`POST\` and each change with \`If-Match\`, and repeat the request with the same key when no response arrived.
- Errors are problem documents (RFC 9457). \`errors\` says what is wrong, and where.`;

const operationLink = ({ path, method, operation }: OperationPlace): string =>
  `- [${titleOf(operation)}](/docs/reference/${operation.operationId}.md): \`${method.toUpperCase()} ${path}\``;

/** Returns the text of `/llms.txt`. */
export const llmsText = (
  document: OpenApiDocument,
  guides: readonly Guide[],
): string => `# ${document.info['title']}

> Organizations, projects, users, tasks and tags over HTTP and JSON. Each list takes any filter and any order, and has an exact total.

In the examples, \`https://api.example.com\` stands for the address of the service.

${rules}

## Guides

${guides.map(({ name, title, summary }) => `- [${title}](/docs/guides/${name}.md): ${summary}`).join('\n')}

## Reference

- [OpenAPI document](/v1/openapi.json): every operation, field and error
- [Problems](/docs/problems.md): the meaning and the solution of each error
- [Events](/docs/events.json): the JSON Schema of each event
- [All pages in one text](/llms-full.txt)

${operationsByTag(document)
  .map(({ name, operations }) => `## ${name}\n\n${operations.map(operationLink).join('\n')}\n`)
  .join('\n')}`;
