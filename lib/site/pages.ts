/** The pages of the site in Markdown: what `/docs/….md` returns, and what VitePress makes HTML of. */
import type { OpenApiDocument } from '../openapi/types.ts';
import { pageGroups, readGuides } from './guides.ts';
import { operationPage, titleOf } from './operation-page.ts';
import { operationsByTag } from './operations.ts';
import { problemsPage } from './problems-page.ts';

const guides = readGuides();

function startPage({ info }: OpenApiDocument): string {
  const groups = Object.entries(pageGroups).map(([title, names]) => {
    const links = guides
      .filter(({ name }) => names.includes(name))
      .map((guide) => `- [${guide.title}](/docs/guides/${guide.name}): ${guide.summary}`);
    return `## ${title}\n\n${links.join('\n')}\n`;
  });
  return `# ${info['title']}

Store organizations, projects, tasks, users and tags for your web and mobile apps, with one REST API. Filter and sort every
list by any field, and get any page with an exact total.

[Getting started](/docs/guides/getting-started) shows the first requests. The [reference](/docs/reference) has a page for each
operation, and [Problems](/docs/problems) explains each error.

${groups.join('\n')}
## For programs

- [OpenAPI 3.1](/v1/openapi.json), and [OpenAPI for generators of clients](/docs/reference.json)
- [The JavaScript client](/docs/client.mjs) as one module. Its package has adapters for RxDB, WatermelonDB and TanStack DB: [copies of
  lists](/docs/guides/sync) that work offline
- [The JSON Schema of events](/docs/events.json)
- [The pages for language models](/llms.txt). Each page is also Markdown: add \`.md\` to its address.
`;
}

function referencePage(document: OpenApiDocument): string {
  const groups = operationsByTag(document).map(({ name, description, operations }) => {
    const items = operations.map(
      ({ path, method, operation }) =>
        `### [${titleOf(operation)}](/docs/reference/${operation.operationId}) {#${operation.operationId}}\n\n\`${method.toUpperCase()} ${path}\`\n`,
    );
    return `## ${name}\n\n${description}\n\n${items.join('\n')}`;
  });
  return `# Reference

${String(document.info['description'])}

${groups.join('\n')}`;
}

/**
 * Returns the text of each page by its path, such as `/docs/guides/errors`.
 * @param document the document for generators, which has samples.
 */
export function markdownPages(document: OpenApiDocument): Readonly<Record<string, string>> {
  const operations = operationsByTag(document).flatMap((tag) => tag.operations);
  return {
    '/docs': startPage(document),
    ...Object.fromEntries(guides.map(({ name, text }) => [`/docs/guides/${name}`, text])),
    '/docs/problems': problemsPage(),
    '/docs/reference': referencePage(document),
    ...Object.fromEntries(
      operations.map((place) => [
        `/docs/reference/${place.operation.operationId}`,
        operationPage(document, place),
      ]),
    ),
  };
}
