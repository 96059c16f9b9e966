import { readFileSync } from 'node:fs';
import { hashedName } from '../../functions/http/hashed-name.ts';
import { escaped, icon } from './html.ts';

/** The name of the product on its pages. The document and the packages have names of what they are. */
export const productName = 'Trellis';

/** Files that pages load, by name. */
export type Assets = Readonly<Record<string, string | Buffer>>;

export const assetPath = (assets: Assets, name: string): string => {
  const content = assets[name];
  if (content === undefined) throw new Error(`No page has the file ${name}.`);
  return `/docs/${hashedName(name, content)}`;
};

export interface Page {
  readonly title: string;
  /** One sentence for search engines. */
  readonly description: string;
  /** Path of the link in the header that is the page's own. */
  readonly section?: '/docs' | '/docs/guides/getting-started' | '/docs/problems';
  readonly main: string;
  readonly sidebar?: string;
  /** Scripts of this page, and modules that they load when they need them. */
  readonly scripts?: readonly string[];
  readonly modules?: readonly string[];
  /** The language of samples that the page shows to a reader who has chosen none. Default: curl. */
  readonly language?: string;
}

const links: readonly (readonly [path: string, text: string])[] = [
  ['/docs/guides/getting-started', 'Guides'],
  ['/docs', 'Reference'],
  ['/docs/problems', 'Errors'],
];

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const footerLinks: readonly (readonly [path: string, text: string])[] = [
  ['/docs/guides/getting-started', 'Getting started'],
  ['/docs', 'API reference'],
  ['/docs/problems', 'Errors'],
  ['/v1/openapi.json', 'OpenAPI'],
  ['/docs/client.mjs', 'JavaScript client'],
  ['/llms.txt', 'Text for language models'],
  ['/v1/health', 'Health'],
];

/** Links that are files: a browser would show their text in place of the site. */
const isFile = (path: string): boolean => /\.\w+$/.test(path);

const footer = `<footer class="end"><p><b>${productName}</b> <span>Version ${escaped(version)}</span></p><nav aria-label="Site map">${footerLinks
  .map(([path, text]) => `<a href="${path}"${isFile(path) ? ' download' : ''}>${text}</a>`)
  .join('')}</nav></footer>`;

const icons = {
  menu: icon('M4 7h16M4 12h16M4 17h16'),
  search: icon('M20 20l-4.5-4.5M17 10.5a6.5 6.5 0 1 1-13 0a6.5 6.5 0 0 1 13 0z'),
  theme: icon('M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 1 1 0-17z', 'M12 3.5a8.5 8.5 0 0 1 0 17z'),
};

function header({ section, sidebar }: Page, assets: Assets): string {
  const items = links.map(
    ([path, text]) => `<a href="${path}"${path === section ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  const menu = sidebar
    ? `<button type="button" class="menu" aria-expanded="false" aria-controls="sidebar" aria-label="Contents">${icons.menu}</button>`
    : '';
  return `<header class="site">
${menu}<a class="name" href="/"><img src="${assetPath(assets, 'icon.svg')}" width="26" height="26" alt="">${productName}</a>
<nav aria-label="Site">${items.join('')}</nav>
<button type="button" class="search" data-ranking="${assetPath(assets, 'search.mjs')}" data-index="${assetPath(assets, 'search.json')}" aria-label="Search" aria-keyshortcuts="/ Meta+K Control+K">${icons.search}<span>Search</span><kbd>/</kbd></button>
<button type="button" class="theme" aria-label="Switch between light and dark">${icons.theme}</button>
</header>`;
}

/** Numbers regions of the same name: a reader who moves from region to region could not tell them apart. */
function withUniqueRegions(html: string): string {
  const counts = new Map<string, number>();
  return html.replaceAll(/role="(region|group)" aria-label="([^"]*)"/g, (region, role, name: string) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? region : `role="${role}" aria-label="${name}, ${count}"`;
  });
}

/** Returns a complete page. `data-tokens` is replaced when requests need a token. */
export function renderPage(page: Page, assets: Assets): string {
  const { title, description, main, sidebar, scripts = [], modules = [], language = 'curl' } = page;
  const deferred = ['site.js', ...scripts].map(
    (name) => `<script type="module" src="${assetPath(assets, name)}"></script>\n`,
  );
  const onDemand = modules.map((name) => ` data-${name.replace(/\.\w+$/, '')}="${assetPath(assets, name)}"`);
  return `<!doctype html>
<html lang="en" data-tokens="none" data-language="${language}"${onDemand.join('')}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description)}">
<title>${escaped(title)}</title>
<link rel="icon" href="${assetPath(assets, 'icon.svg')}">
<link rel="preload" href="${assetPath(assets, 'inter.woff2')}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assetPath(assets, 'site.css')}">
<script src="${assetPath(assets, 'theme.js')}"></script>
${deferred.join('')}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(page, assets)}
<div class="columns">
${sidebar ? `<nav class="sidebar" id="sidebar" aria-label="Contents">${sidebar}</nav>\n` : ''}<div class="content"><main id="main">
${withUniqueRegions(main)}
</main>
${footer}</div>
</div>
</body>
</html>
`;
}
