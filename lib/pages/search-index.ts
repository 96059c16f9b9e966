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

/** A result: the kind decides about the order of equal matches and is shown. */
export type SearchEntry = readonly [
  kind: 'Operation' | 'Guide' | 'Problem' | 'Field',
  title: string,
  path: string,
  /** What the result shows below its title. */
  line: string,
  /** Words besides title and line that find the entry. */
  words: string,
];

/** Returns the different words of a text, in lower case. */
const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\d]+(?:[-'][\p{L}\d]+)*/gu) ?? [])].join(' ');

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
        wordsOf([operation.operationId, ...operation.tags, ...names, ...fields].join(' ')),
      ];
    }),
  );
}

function guideEntries({ name, title, summary, text }: Guide): SearchEntry[] {
  const [opening = '', ...sections] = text.split(/^## /m);
  const path = `/docs/guides/${name}`;
  return [
    ['Guide', title, path, summary, wordsOf(opening)],
    ...sections.map((section): SearchEntry => {
      const [heading = '', ...lines] = section.split('\n');
      return ['Guide', heading, `${path}#${anchorOf(heading)}`, title, wordsOf(lines.join(' '))];
    }),
  ];
}

const problemEntries = (): SearchEntry[] =>
  problemCodes.map((code) => {
    const { meaning, remedy } = explanations[code];
    const { status, title } = catalogue[code];
    return ['Problem', title, `/docs/problems#${code}`, `${status} ${code}`, wordsOf(`${meaning} ${remedy}`)];
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
          wordsOf(String(property['description'] ?? '')),
        ],
      );
  });
}

export const searchIndex = (
  document: OpenApiDocument,
  guides: readonly Guide[],
): { entries: SearchEntry[] } => ({
  entries: [
    ...operationEntries(document),
    ...guides.flatMap(guideEntries),
    ...problemEntries(),
    ...fieldEntries(document),
  ],
});
