import { readFileSync } from 'node:fs';
import { committedFile } from '#lib/openapi/committed-document.ts';
import { describeCascade } from '#lib/openapi/operation-descriptions.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';

const background = 'Deletions of more than 100 writes continue in the background after the response.';

test.each([
  [
    'organization',
    `Also deletes its projects and their tasks. Sets \`organizationId\` of its users and tags to null. ${background}`,
  ],
  ['project', `Also deletes its tasks. ${background}`],
  ['user', `Sets \`userId\` of its tasks to null. ${background}`],
  ['tag', `Removes its id from \`tagIds\` of tasks. ${background}`],
  ['task', ''],
] as const)('the deletion of a %s says what happens to entities that refer to it', (kind, text) => {
  expect(describeCascade(kind)).toBe(text);
});

test('every operation of a resource says more than its scope', () => {
  const { paths } = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([, item]) => Object.values(item))
    .filter(({ security }) => security.length > 0);
  expect(operations.length).toBeGreaterThan(50);
  for (const { operationId, description = '' } of operations) {
    expect([operationId, description]).toEqual([
      operationId,
      expect.stringMatching(/\n\nRequires (?:the scope|a token)/),
    ]);
  }
});
