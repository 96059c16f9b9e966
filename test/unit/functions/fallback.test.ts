import { suggestPath } from '#functions/fallback/suggest-path.ts';

const templates = [
  '/',
  '/docs',
  '/docs/{file}',
  '/v1/organizations',
  '/v1/organizations/{id}/archive',
  '/v1/projects',
  '/v1/projects/{id}',
  '/v1/projects/{id}/tasks',
];

describe('suggestPath', () => {
  test.each([
    ['a path without the version', '/projects', '/v1/projects'],
    ['a path with another version', '/v2/projects', '/v1/projects'],
    ['a slash at the end', '/v1/projects/', '/v1/projects'],
    ['upper case', '/V1/PROJECTS', '/v1/projects'],
    ['two edits', '/v1/organisation', '/v1/organizations'],
    ['edits in two segments', '/v1/organization/7/archiv', '/v1/organizations/7/archive'],
    ['an edit, and no version', '/project', '/v1/projects'],
    ['an edit of a path without a version', '/doc', '/docs'],
    ['a parameter, which is repeated as it is', '/v1/project/AbC', '/v1/projects/AbC'],
    ['a parameter, which is encoded', '/v1/project/ä b?#', '/v1/projects/%C3%A4%20b%3F%23'],
  ])('corrects %s', (_, path, suggested) => {
    expect(suggestPath(path, templates)).toBe(suggested);
  });

  test('suggests the nearest of several paths', () => {
    expect(suggestPath('/v1/tag', ['/v1/tasks', '/v1/tags'])).toBe('/v1/tags');
    expect(suggestPath('/v1/tag', ['/v1/tags', '/v1/tasks'])).toBe('/v1/tags');
  });

  test.each([
    ['the root', '/'],
    ['a path that exists', '/v1/projects'],
    ['a path that a parameter stands for', '/v1/projects/7'],
    ['three edits in a segment', '/v1/proje'],
    ['another number of segments', '/v1/projects/7/tasks/8'],
    ['an empty segment', '/v1//projects'],
    ['two slashes at the beginning', '//v1/projects'],
    ['two slashes at the end', '/v1/projects//'],
    ['an empty id', '/v1/projects//tasks'],
    ['half of a surrogate pair', '/v1/project/\ud83d'],
    ['a text that is near nothing', '/robots.txt'],
    ['an empty text', ''],
  ])('suggests nothing for %s', (_, path) => {
    expect(suggestPath(path, templates)).toBeUndefined();
  });

  test('compares paths of up to six segments', () => {
    expect(suggestPath('/a/b/c/d/E', ['/a/b/c/d/e'])).toBe('/a/b/c/d/e');
    expect(suggestPath('/a/b/c/d/e/F', ['/a/b/c/d/e/f'])).toBeUndefined();
  });

  test('compares paths of up to 200 characters', () => {
    const id = 'x'.repeat(200 - '/v1/project/'.length);
    expect(suggestPath(`/v1/project/${id}`, templates)).toBe(`/v1/projects/${id}`);
    expect(suggestPath(`/v1/project/${id}x`, templates)).toBeUndefined();
  });
});
