/** The settings of VitePress. */
import { readFileSync } from 'node:fs';
import { type DefaultTheme, defineConfig } from 'vitepress';
import type { OpenApiDocument } from '../openapi/types.ts';
import { tryItBlock } from './code-groups.ts';
import { pageGroups, readGuides } from './guides.ts';
import { titleOf } from './operation-page.ts';
import { operationsByTag } from './operations.ts';

const projectFile = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const document = JSON.parse(projectFile('openapi.json')) as OpenApiDocument;
const guides = readGuides();

const guideItems: DefaultTheme.SidebarItem[] = Object.entries(pageGroups).map(([text, names]) => ({
  text,
  items: guides
    .filter(({ name }) => names.includes(name))
    .map(({ name, title }) => ({ text: title, link: `/docs/guides/${name}` })),
}));

const operationItems: DefaultTheme.SidebarItem[] = operationsByTag(document).map(({ name, operations }) => ({
  text: name,
  collapsed: true,
  items: operations.map(({ operation }) => ({
    text: titleOf(operation),
    link: `/docs/reference/${operation.operationId}`,
  })),
}));

/** Divides an address in the HTML of code into its parameters. A line ends between two of them, and not within a date. */
const withParts = (html: string): string =>
  html.includes('&amp;') ? html.replaceAll(/(?<=\?|&amp;)[^?&<]+(?:&amp;)?/g, '<span>$&</span>') : html;

const problems = { text: 'Problems', link: '/docs/problems' };

export default defineConfig({
  title: String(document.info['title']),
  description: 'A REST API for organizations, projects, users, tasks and tags.',
  head: [['link', { rel: 'icon', href: '/docs/icon.svg' }]],
  cleanUrls: true,
  assetsDir: 'docs/assets',
  // The names of all pages are in one file instead of in a script of each page.
  metaChunk: true,
  // A page would load the scripts of all pages that it links to.
  router: { prefetchLinks: false },
  // The service has these files; a test checks all links.
  ignoreDeadLinks: [/^\/(?:v1\/|llms)/, /\.(?:json|mjs)$/],
  // VitePress uses a style element to switch without transitions, which the content security policy forbids.
  appearance: { disableTransition: false },
  markdown: {
    html: false,
    linkify: false,
    config: ({ renderer: { rules } }) => {
      const { fence, code_inline: inlineCode } = rules;
      rules.code_inline = (...token) => withParts(inlineCode?.(...token) ?? '');
      rules.fence = (tokens, index, ...rest) =>
        tokens[index]?.info === tryItBlock ? '<TryIt />' : (fence?.(tokens, index, ...rest) ?? '');
    },
  },
  transformHtml: (html) => html.replaceAll('"/vp-icons.css"', '"/docs/vp-icons.css"'),
  // The page for addresses that do not exist links to it.
  locales: { root: { label: 'English', lang: 'en', link: '/docs' } },
  vite: {
    plugins: [
      {
        name: 'hash-map-below-docs',
        transform: (code, id) =>
          id.endsWith('/app/router.js') ? code.replace("'hashmap.json'", "'docs/hashmap.json'") : undefined,
      },
    ],
  },
  themeConfig: {
    notFound: {
      title: 'There is nothing at this address',
      quote: 'Check the spelling, or search.',
      linkText: 'Start page',
      linkLabel: 'Start page',
    },
    logo: { src: '/docs/icon.svg', alt: '' },
    logoLink: '/docs',
    search: {
      provider: 'local',
      options: {
        // Without samples of code: they are most of the index, which one file has, and grow with each resource.
        _render: (text, env, markdown) => markdown.render(text.replaceAll(/^(`{3,}).*?^\1$/gms, ''), env),
      },
    },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/docs/guides/getting-started', activeMatch: '/docs/guides/' },
      { text: 'Reference', link: '/docs/reference', activeMatch: '/docs/reference' },
      problems,
    ],
    sidebar: {
      '/docs/reference': [{ text: 'Reference', link: '/docs/reference', items: operationItems }],
      '/': [...guideItems, { text: 'Reference', link: '/docs/reference' }, problems],
    },
  },
});
