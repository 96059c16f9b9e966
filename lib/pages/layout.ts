import { hashedName } from '../../functions/http/hashed-name.ts';

/** Stands for the address of the service in every example. The page replaces it with its own. */
export const exampleOrigin = 'https://api.example.com';

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (one) => entities[one] ?? one);

export type Assets = Readonly<Record<string, string>>;

const assetPath = (assets: Assets, name: string): string => `/docs/${hashedName(name, assets[name] ?? '')}`;

export interface Page {
  readonly title: string;
  /** One sentence for search engines. */
  readonly description: string;
  /** Path of the link in the header that is the page's own. */
  readonly section: '/' | '/docs' | '/docs/guides/getting-started' | '/docs/problems';
  readonly main: string;
  readonly sidebar?: string;
  readonly scripts?: readonly string[];
}

const links: readonly (readonly [path: string, text: string])[] = [
  ['/docs/guides/getting-started', 'Guides'],
  ['/docs', 'Reference'],
  ['/docs/problems', 'Problems'],
  ['/v1/openapi.json', 'OpenAPI'],
];

function header({ section, sidebar }: Page): string {
  const items = links.map(
    ([path, text]) => `<a href="${path}"${path === section ? ' aria-current="page"' : ''}>${text}</a>`,
  );
  const menu = sidebar
    ? '<button type="button" class="menu" aria-expanded="false" aria-controls="sidebar">Contents</button>'
    : '';
  return `<header class="site">
${menu}<a class="name" href="/"><img src="ICON" width="22" height="22" alt="">Project management</a>
<nav aria-label="Site">${items.join('')}</nav>
<button type="button" class="theme" aria-label="Switch between light and dark"></button>
</header>`;
}

/** Numbers regions of the same name: a reader who moves from region to region could not tell them apart. */
function withUniqueRegions(html: string): string {
  const counts = new Map<string, number>();
  return html.replaceAll(/role="region" aria-label="([^"]*)"/g, (region, name: string) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return count === 1 ? region : `role="region" aria-label="${name}, ${count}"`;
  });
}

/** Returns a complete page. `data-tokens` is replaced when requests need a token. */
export function renderPage(page: Page, assets: Assets): string {
  const { title, description, main, sidebar, scripts = [] } = page;
  const icon = assetPath(assets, 'icon.svg');
  const deferred = scripts.map(
    (name) => `<script type="module" src="${assetPath(assets, name)}"></script>\n`,
  );
  return `<!doctype html>
<html lang="en" data-tokens="none" data-language="curl">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(description)}">
<title>${escaped(title)}</title>
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${assetPath(assets, 'site.css')}">
<script src="${assetPath(assets, 'theme.js')}"></script>
<script type="module" src="${assetPath(assets, 'site.js')}"></script>
${deferred.join('')}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(page).replace('ICON', icon)}
<div class="columns">
${sidebar ? `<nav class="sidebar" id="sidebar" aria-label="Contents">${sidebar}</nav>\n` : ''}<main id="main">
${withUniqueRegions(main)}
</main>
</div>
</body>
</html>
`;
}
