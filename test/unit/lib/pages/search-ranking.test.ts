import { readFileSync } from 'node:fs';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { referenceDocument } from '#lib/openapi/reference-document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { readGuides } from '#lib/pages/guides.ts';
import { searchIndex } from '#lib/pages/search-index.ts';
import { marked, prepareEntries, rank, snippet, termsOf } from '#lib/pages/search-ranking.ts';
import { synonyms } from '#lib/pages/search-synonyms.ts';

const document = referenceDocument(JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument);
const { entries, suggestions } = searchIndex(document, readGuides());
const prepared = prepareEntries(entries);

test.each([
  // Operations, by title, by id and by method and path.
  ['delete task', '/docs#deleteTask'],
  ['undelete project', '/docs#restoreProject'],
  ['createTask', '/docs#createTask'],
  ['post /v1/tags', '/docs#createTag'],
  // Sections of guides.
  ['overdue', '/docs/guides/lists-and-filters#recipes-for-common-screens'],
  // Guides.
  ['sign in', '/docs/guides/authentication'],
  // Problems.
  ['rate limit', '/docs/problems#too-many-requests'],
  ['429', '/docs/problems#too-many-requests'],
  ['version-mismatch', '/docs/problems#version-mismatch'],
])('the first result for "%s" is %s', (query, path) => {
  const found = rank(prepared, query).map(([, , foundPath]) => foundPath);
  expect([query, found[0], found]).toEqual([query, path, found]);
});

test.each(['nothing like this', 'zzz', '?', ' ', 'task zzz'])('nothing matches "%s"', (query) => {
  expect(rank(prepared, query)).toEqual([]);
});

test('finds a field, and shows its type', () => {
  expect(rank(prepared, 'dueDate').map(([kind, title]) => `${kind} ${title}`)).toContain('Field dueDate');
});

test.each(['overdue', 'pagination', 'capacity units'])('shows "%s" marked in its snippet', (query) => {
  const [first] = rank(prepared, query);
  const parts = marked(snippet(first?.[4] ?? '', query), query);
  expect(parts[1]?.toLowerCase()).toContain(query.split(' ')[0]);
});

test('a snippet has the place with the most words of a query, and is short', () => {
  const text = `${'The first task. '.repeat(20)}A deleted task can be restored. ${'And more. '.repeat(20)}`;
  const found = snippet(text, 'deleted task');
  expect(found).toContain('A deleted task can be restored.');
  expect(found).toMatch(/^… .* …$/);
  expect(found.length).toBeLessThan(140);
});

test('marks whole words that begin like a word of the query, and its synonyms', () => {
  expect(marked('Deleted tasks: remove a retask.', 'delete task')).toEqual([
    '',
    'Deleted',
    ' ',
    'tasks',
    ': ',
    'remove',
    ' a retask.',
  ]);
});

test('takes a phrase as one term, and leaves out words that say nothing', () => {
  const [signIn, ...others] = termsOf('How do I sign-in with Swift?');
  expect(signIn?.[0]).toBe('sign in');
  expect(others.map(([word]) => word)).toEqual(['swift']);
});

test('no word is in two groups of synonyms', () => {
  const all = synonyms.flat();
  expect(all.filter((word, position) => all.indexOf(word) !== position)).toEqual([]);
});

test('suggests guides and operations', () => {
  expect(suggestions.map(([kind]) => kind)).toEqual(expect.arrayContaining(['Guide', 'Operation']));
});
