/** The guides: one text for the repository and for the pages. */
import { readFileSync } from 'node:fs';
import { showGuide } from '../../functions/documentation/contract.ts';
import { escaped, icon } from './html.ts';
import { type Page, productName } from './layout.ts';
import { anchorOf, markdown } from './markdown.ts';

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

/** A summary is the text of a card. */
const maxSummary = 160;

/** Reads a guide. @throws Error when it does not begin with a title and a sentence without links. */
function readGuide(name: string): Guide {
  const text = readFileSync(new URL(`../../docs/guides/${name}.md`, import.meta.url), 'utf8');
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  if (!title || !summary || summary.length > maxSummary || /[[\]`]/.test(summary)) {
    throw new Error(
      `docs/guides/${name}.md must begin with a title and a sentence of up to ${maxSummary} characters.`,
    );
  }
  return { name, title, summary: summary.trim().replaceAll('\n', ' '), text };
}

/** The groups of the guides: the title, and the first guide of each. A guide is in the group of the one before it. */
const groupsByFirst: Readonly<Record<string, string>> = {
  'getting-started': 'Begin',
  'retries-and-lost-updates': 'Write',
  'offline-and-live': 'Build apps',
  agents: 'Integrate',
};

export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly Guide[];
}

export function groupsOf(guides: readonly Guide[]): GuideGroup[] {
  const firsts = guides.flatMap(({ name }, position) => (name in groupsByFirst ? [position] : []));
  return firsts.map((first, position) => {
    const members = guides.slice(first, firsts[position + 1]);
    return { title: groupsByFirst[members[0]?.name ?? ''] ?? '', guides: members };
  });
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
  return `<ul>${items.join('')}</ul>`;
}

/** The guide that shows tokens on every service, because it is about them. */
const guideOfTokens = 'authentication';

/** The guide whose readers write Swift and Kotlin. */
const guideOfPhones = 'mobile-apps';

const onward = (href: string, direction: 'Previous' | 'Next', title: string): string =>
  `<a class="${direction.toLowerCase()}" href="${href}"><span>${direction}</span><b>${escaped(title)} ${icon(direction === 'Next' ? 'M5 12h14M13 6l6 6-6 6' : 'M19 12H5M11 6l-6 6 6 6')}</b></a>`;

export function guidePage(guides: readonly Guide[], guide: Guide): Page {
  const position = guides.indexOf(guide);
  const previous = guides[position - 1];
  const next = guides[position + 1];
  const links = [
    previous ? onward(`/docs/guides/${previous.name}`, 'Previous', previous.title) : '<span></span>',
    next ? onward(`/docs/guides/${next.name}`, 'Next', next.title) : onward('/docs', 'Next', 'API reference'),
  ];
  return {
    title: `${guide.title} · ${productName}`,
    description: guide.summary,
    section: '/docs/guides/getting-started',
    ...(guide.name === guideOfPhones && { language: 'swift' }),
    sidebar: `<p class="group">Guides</p>${guideLinks(guides, guide)}<p class="group">Look up</p><ul><li><a href="/docs">API reference</a></li><li><a href="/docs/problems">Error reference</a></li></ul>`,
    main: `<article class="text guide${guide.name === guideOfTokens ? ' shows-tokens' : ''}">${markdown(guide.text)}<nav class="onward" aria-label="Guides before and after">${links.join('')}</nav></article>`,
  };
}
