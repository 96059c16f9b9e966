/** What the search of every page finds: operations, sections of guides, problems and fields. */
import { catalogue } from '../../functions/http/problems.ts';
import type { OpenApiDocument, Parameter, Schema } from '../openapi/types.ts';
import type { Guide } from './guides.ts';
import { anchorOf } from './markdown.ts';
import { problemCodes } from './problem-examples.ts';
import { explanations } from './problem-explanations.ts';
import { typeOf } from './reference/fields.ts';
import { titleOf } from './reference/operation.ts';
import { resolve } from './reference/resolve.ts';
import type { SearchEntry } from './search-ranking.ts';

/** Returns the different words of a text, in lower case. */
const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\d]+(?:[-'][\p{L}\d]+)*/gu) ?? [])].join(' ');

const codeBlock = /^```[\s\S]*?^```$/gm;

/** Returns the prose of a text in Markdown. The cells of a row of a table are joined. */
const proseOf = (text: string): string =>
  text
    .replaceAll(codeBlock, '')
    .replaceAll(/^\|(?: *-+ *\|)+$/gm, '')
    .replaceAll(/^\| *(.*?) *\|$/gm, (_, row: string) => `${row.replaceAll(/ *\| */g, ': ')}.`)
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]|^(?:#+|-|\d+\.) /gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Returns the words of the examples of a text. */
const codeWordsOf = (text: string): string => wordsOf((text.match(codeBlock) ?? []).join(' '));

function operationEntries(document: OpenApiDocument): SearchEntry[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): SearchEntry => {
      const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one));
      const schema = operation.requestBody?.content['application/json']?.schema;
      const fields = schema ? Object.keys(resolve(document, schema).properties ?? {}) : [];
      const names = parameters
        .filter(({ deprecated }) => !deprecated)
        .map(({ name }) => name.replace(/\[.*/, ''));
      return [
        'Operation',
        titleOf(operation),
        `/docs#${operation.operationId}`,
        `${method.toUpperCase()} ${path}`,
        '',
        wordsOf([operation.operationId, ...operation.tags, ...names, ...fields].join(' ')),
      ];
    }),
  );
}

function guideEntries({ name, title, text }: Guide): SearchEntry[] {
  const [opening = '', ...sections] = text.split(/^## /m);
  const path = `/docs/guides/${name}`;
  return [
    ['Guide', title, path, '', proseOf(opening.replace(/^# .*/, '')), codeWordsOf(opening)],
    ...sections.map((section): SearchEntry => {
      const [heading = ''] = section.split('\n', 1);
      const content = section.slice(heading.length);
      return [
        'Guide',
        heading,
        `${path}#${anchorOf(heading)}`,
        title,
        proseOf(content),
        codeWordsOf(content),
      ];
    }),
  ];
}

const problemEntries = (): SearchEntry[] =>
  problemCodes.map((code) => {
    const { meaning, remedy } = explanations[code];
    const { status, title } = catalogue[code];
    return [
      'Error',
      title,
      `/docs/problems#${code}`,
      `${status} ${code}`,
      proseOf(`${meaning} ${remedy}`),
      '',
    ];
  });

/** Returns the fields of the bodies that create entities. */
function fieldEntries(document: OpenApiDocument): SearchEntry[] {
  return Object.values(document.paths).flatMap(({ post }) => {
    const schema = post?.operationId.startsWith('create')
      ? post.requestBody?.content['application/json']?.schema
      : undefined;
    if (!post || !schema) return [];
    const { properties = {} } = resolve<Schema>(document, schema);
    return Object.entries(properties)
      .filter(([, property]) => !property['readOnly'])
      .map(
        ([name, property]): SearchEntry => [
          'Field',
          name,
          `/docs#${post.operationId}`,
          `${post.tags[0]} · ${typeOf(property)}`,
          proseOf(String(property['description'] ?? '')),
          '',
        ],
      );
  });
}

/** What the search offers before the reader types, and when nothing matches. */
const suggested = [
  '/docs/guides/getting-started',
  '/docs/guides/lists-and-filters',
  '/docs#listTasks',
  '/docs#createTask',
  '/docs/guides/authentication',
  '/docs/guides/errors',
];

export interface SearchIndex {
  readonly entries: readonly SearchEntry[];
  readonly suggestions: readonly SearchEntry[];
}

/** Returns what the search finds. @throws Error when it does not have what it suggests. */
export function searchIndex(document: OpenApiDocument, guides: readonly Guide[]): SearchIndex {
  const entries = [
    ...operationEntries(document),
    ...guides.flatMap(guideEntries),
    ...problemEntries(),
    ...fieldEntries(document),
  ];
  const suggestions = suggested.map((wanted) => {
    const found = entries.find(([, , path]) => path === wanted);
    if (!found) throw new Error(`The search suggests ${wanted}, which it does not find.`);
    return found;
  });
  return { entries, suggestions };
}
