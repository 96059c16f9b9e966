import { resourceDocs } from '../../openapi/resources.ts';
import type { OpenApiDocument, Operation } from '../../openapi/types.ts';
import { methodPill } from '../code.ts';
import { type Guide, guideLinks } from '../guides.ts';
import { escaped, exampleOrigin } from '../html.ts';
import { type Page, productName } from '../layout.ts';
import { markdown } from '../markdown.ts';
import { operationSection, pathHtml, titleOf } from './operation.ts';
import { responseTemplates } from './response-templates.ts';

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

function byTag({ tags, paths }: OpenApiDocument) {
  const all = Object.entries(paths).flatMap(([path, item]): Placed[] =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  return tags
    .map((tag) => ({ ...tag, all: all.filter(({ operation }) => operation.tags.includes(tag.name)) }))
    .filter(({ all: own }) => own.length > 0);
}

const link = ({ method, operation }: Placed): string =>
  `<li><a href="#${operation.operationId}" data-operation><span>${escaped(titleOf(operation))}</span>${methodPill(method)}</a></li>`;

const operationCard = (all: readonly Placed[]): string =>
  `<div class="panel card"><div class="bar"><span>Operations</span></div><ul>${all
    .map(
      ({ path, method, operation }) =>
        `<li><a href="#${operation.operationId}">${methodPill(method)} <code>${pathHtml(path)}</code></a></li>`,
    )
    .join('\n')}</ul></div>`;

/** Returns the ids of the examples, each with the collection of its entity: the page shows ids of its service instead. */
const exampleIds = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(resourceDocs).map(([kind, { example }]) => [String(example['id']), `${kind}s`]),
  );

/** Returns the reference. @param document without HEAD operations, with samples. */
export function referencePage(document: OpenApiDocument, guides: readonly Guide[]): Page {
  const groups = byTag(document);
  const navigation = groups.map(
    ({ name, all }, position) =>
      `<details class="group"${position === 0 ? ' open data-followed' : ''}><summary>${name}</summary><ul>${all.map(link).join('\n')}</ul></details>`,
  );
  const sections = groups.map(
    ({ name, description, all }) =>
      `<div class="resource halves"><div><h2 id="${name}"><a href="#${name}">${name}</a></h2>\n<p class="lead">${escaped(description)}</p></div>${operationCard(all)}</div>\n${all.map((one) => operationSection({ document, ...one })).join('\n')}`,
  );
  return {
    title: `API reference · ${productName}`,
    description: 'Every operation of the API, with samples and a form to try it.',
    section: '/docs',
    scripts: ['reference.js'],
    modules: ['samples.mjs'],
    sidebar: `<details class="group"><summary>Guides</summary>${guideLinks(guides)}</details>
${navigation.join('\n')}`,
    main: `<div class="reference" data-examples="${escaped(JSON.stringify(exampleIds()))}"><div class="halves intro"><div><p class="eyebrow">Version ${escaped(document.info.version)}</p><h1>API reference</h1>
${markdown(String(document.info['description']))}</div>
<div class="panel card"><div class="bar"><span>Base address</span></div><p><code>${exampleOrigin}</code></p>
<form class="token of-token-pages"><label for="token">Access token</label><input type="password" id="token" autocomplete="off" placeholder="Used by “Try it” until you close the tab"></form>
<p class="facts"><a href="/v1/openapi.json" download>OpenAPI 3.1</a> · <a href="/docs/reference.json" download>OpenAPI for generators</a> · <a href="/docs/client.mjs" download>JavaScript client</a></p></div></div>
${sections.join('\n')}</div>
${responseTemplates(document)}`,
  };
}
