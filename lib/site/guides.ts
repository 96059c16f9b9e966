/** The guides, and the pages with the rules of the API: one text for the repository and for the site. */
import { readFileSync } from 'node:fs';
import { exampleOrigin } from '../openapi/samples/request.ts';

/** The guides in reading order, by the title of their group. */
const guideGroups: Readonly<Record<string, readonly string[]>> = {
  Begin: ['getting-started', 'authentication', 'lists-and-filters', 'errors'],
  Write: ['retries-and-lost-updates', 'batches', 'drag-and-drop', 'undo', 'private-projects'],
  'Build apps': ['offline-and-live', 'live', 'mobile-apps', 'generating-a-client'],
  Integrate: ['agents', 'events'],
};

/** The pages with the rules of the API: their examples are not one after the other, as those of a guide. */
const rules: readonly string[] = ['interface', 'sync'];

/** All pages of the site that the repository has too, by the title of their group. */
export const pageGroups: Readonly<Record<string, readonly string[]>> = { ...guideGroups, Rules: rules };

export const guideNames: readonly string[] = Object.values(guideGroups).flat();

export const pageNames: readonly string[] = [...guideNames, ...rules];

export type Guide = ReturnType<typeof readGuide>;

/** A link to a page of the repository: its text, the name of the page, and the anchor. */
const link = /\[([^[\]]+)\]\((?:[\w.-]+\/)*([\w-]+)\.md(#[^)]*)?\)/g;

/** A summary is a line of the start page. */
const maxSummary = 160;

/** Reads a guide. @throws Error when it does not begin with a title and a sentence without links. */
function readGuide(name: string) {
  const file = rules.includes(name) ? `docs/${name}.md` : `docs/guides/${name}.md`;
  const text = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const [, title, summary] = /^# (.+)\n\n((?:.+\n)+)/.exec(text) ?? [];
  if (!title || !summary || summary.length > maxSummary || /[[\]`]/.test(summary)) {
    throw new Error(`${file} must begin with a title and a sentence of up to ${maxSummary} characters.`);
  }
  return {
    name,
    title,
    summary: summary.trim().replaceAll('\n', ' '),
    // In the repository, guides link to each other as files, to pages for those who run the service, and to a service as an address.
    text: text
      .replaceAll(link, (_, shown: string, page: string, anchor = '') =>
        pageNames.includes(page) ? `[${shown}](/docs/guides/${page}${anchor})` : shown,
      )
      .replaceAll(`](${exampleOrigin}/`, '](/'),
  };
}

export const readGuides = (): Guide[] => pageNames.map(readGuide);
