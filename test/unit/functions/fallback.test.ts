import { suggestPath } from '#functions/fallback/suggest-path.ts';

const templates = [
  '/docs',
  '/docs/{path+}',
  '/v1/organizations',
  '/v1/organizations/{id}/archive',
  '/v1/projects',
  '/v1/projects/{id}',
  '/v1/projects/{id}/tasks',
];

const longId = 'x'.repeat(200 - '/v1/project/'.length);

test.each([
  ['/projects', '/v1/projects'],
  ['/v2/projects', '/v1/projects'],
  ['/V1/PROJECTS/', '/v1/projects'],
  ['/v1/organization/7/archiv', '/v1/organizations/7/archive'],
  ['/doc', '/docs'],
  ['/v1/project/ä B?#', '/v1/projects/%C3%A4%20B%3F%23'],
  [`/v1/project/${longId}`, `/v1/projects/${longId}`],
  [`/v1/project/${longId}x`, undefined],
  ['/', undefined],
  ['/v1/projects/7', undefined],
  ['/v1/proje', undefined],
  ['/v1/projects/7/tasks/8', undefined],
  ['//v1/projects', undefined],
  ['/v1/projects//tasks', undefined],
  ['/v1/project/\ud83d', undefined],
  ['', undefined],
])('for the path %j, suggests %j', (path, suggested) => {
  expect(suggestPath(path, templates)).toBe(suggested);
});

test('suggests the nearest of several paths, of six segments at most', () => {
  expect(suggestPath('/v1/tag', ['/v1/tasks', '/v1/tags'])).toBe('/v1/tags');
  expect(suggestPath('/v1/tag', ['/v1/tags', '/v1/tasks'])).toBe('/v1/tags');
  expect(suggestPath('/a/b/c/d/E', ['/a/b/c/d/e'])).toBe('/a/b/c/d/e');
  expect(suggestPath('/a/b/c/d/e/F', ['/a/b/c/d/e/f'])).toBeUndefined();
});
