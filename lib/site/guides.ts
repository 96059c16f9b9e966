/** The guides: one text for the repository and for the site. */
import { readFileSync } from 'node:fs';
import { exampleOrigin } from '../openapi/samples/request.ts';

/** The guides in reading order, by the title of their group. */
export const guideGroups: Readonly<Record<string, readonly string[]>> = {
  Begin: ['getting-started', 'authentication', 'lists-and-filters', 'errors'],
  Write: ['retries-and-lost-updates', 'batches', 'drag-and-drop', 'undo'],
  'Build apps': ['offline-and-live', 'mobile-apps', 'generating-a-client'],
  Integrate: ['agents', 'events'],
};

export const guideNames: readonly string[] = Object.values(guideGroups).flat();

export interface Guide {
  readonly name: string;
  readonly title: string;
  readonly summary: string;
  readonly text: string;
}

/** A summary is a line of the start page. */
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
  return {
    name,
    title,
    summary: summary.trim().replaceAll('\n', ' '),
    // In the repository, guides link to each other as files and to a service as an address.
    text: text
      .replaceAll(/\]\((?:\.\/)?([\w-]+)\.md(?=[#)])/g, '](/docs/guides/$1')
      .replaceAll(`](${exampleOrigin}/`, '](/'),
  };
}

export const readGuides = (): Guide[] => guideNames.map(readGuide);
