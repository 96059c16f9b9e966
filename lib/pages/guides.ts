/** The guides: one text for the repository and for the pages. */
import { readFileSync } from 'node:fs';
import { showGuide } from '../../functions/documentation/contract.ts';
import { escaped, type Page } from './layout.ts';
import { anchorOf, markdown } from './markdown.ts';

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

/** Reads a guide. @throws Error when it does not begin with a title and a paragraph. */
function readGuide(name: string): Guide {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  if (!title || !summary) throw new Error(`docs/guides/${name}.md has no title and summary.`);
  return { name, title, summary: summary.trim().replaceAll('\n', ' '), text };
}

export const readGuides = (): Guide[] => showGuide.files.map(readGuide);

export function guideLinks(guides: readonly Guide[], current?: Guide): string {
  const items = guides.map((guide) => {
    const own = guide === current ? ' aria-current="page"' : '';
    const sections = [...(current?.text.matchAll(/^## (.+)$/gm) ?? [])].map(([, heading = '']) => heading);
    const inner =
      own &&
      `<ul>${sections.map((heading) => `<li><a href="#${anchorOf(heading)}">${escaped(heading)}</a></li>`).join('')}</ul>`;
    return `<li><a href="/docs/guides/${guide.name}"${own}>${escaped(guide.title)}</a>${inner}</li>`;
  });
  return `<p class="group">Guides</p><ul>${items.join('')}</ul>`;
}

/** The guide that shows tokens on every service, because it is about them. */
const guideOfTokens = 'authentication';

export function guidePage(guides: readonly Guide[], guide: Guide): Page {
  const next = guides[guides.indexOf(guide) + 1];
  const onward = next
    ? `<a href="/docs/guides/${next.name}">${escaped(next.title)}</a>`
    : '<a href="/docs">API reference</a>';
  return {
    title: `${guide.title} · Project management API`,
    description: guide.summary,
    section: '/docs/guides/getting-started',
    sidebar: guideLinks(guides, guide),
    main: `<article class="text${guide.name === guideOfTokens ? ' shows-tokens' : ''}">${markdown(guide.text)}<p class="next">Next: ${onward}</p></article>`,
  };
}
