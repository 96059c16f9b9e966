import type { OpenApiDocument, Operation } from '../../openapi/types.ts';
import { type Guide, guideLinks } from '../guides.ts';
import { escaped, type Page } from '../layout.ts';
import { markdown } from '../markdown.ts';
import { operationSection, titleOf } from './operation.ts';

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function byTag({ tags, paths }: OpenApiDocument) {
  const all = Object.entries(paths).flatMap(([path, item]): Placed[] =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags.map((tag) => ({
    ...tag,
    all: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
}

const link = ({ path, method, operation }: Placed): string =>
  `<li><a href="#${operation.operationId}" data-search="${escaped(`${operation.operationId} ${method} ${path}`.toLowerCase())}"><span>${escaped(titleOf(operation))}</span><b class="method ${method}">${method.toUpperCase()}</b></a></li>`;

/** Returns the reference. @param document without HEAD operations, with samples. */
export function referencePage(document: OpenApiDocument, guides: readonly Guide[]): Page {
  const groups = byTag(document);
  const navigation = groups.map(
    ({ name, all }) =>
      `<p class="group"><a href="#${name}">${name}</a></p><ul>${all.map(link).join('\n')}</ul>`,
  );
  const sections = groups.map(
    ({ name, description, all }) =>
      `<h2 id="${name}"><a href="#${name}">${name}</a></h2>\n<p>${escaped(description)}</p>\n${all.map((one) => operationSection({ document, ...one })).join('\n')}`,
  );
  return {
    title: 'API reference · Project management API',
    description: 'Every operation of the API, with samples and a form to try it.',
    section: '/docs',
    scripts: ['reference.js'],
    sidebar: `<search><input type="search" id="search" placeholder="Search  /" aria-label="Search operations" autocomplete="off"></search>
${guideLinks(guides)}
${navigation.join('\n')}
<p class="facts" id="nothing" role="status" hidden>No operation matches.</p>`,
    main: `<div class="reference"><h1>API reference</h1>
<div class="text">${markdown(String(document.info['description']))}</div>
<form class="token of-token-pages"><label for="token">Access token</label><input type="password" id="token" autocomplete="off" placeholder="for Try it; kept until the tab is closed"></form>
${sections.join('\n')}</div>`,
  };
}
