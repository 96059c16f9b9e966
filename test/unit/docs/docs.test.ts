import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { methodsByPath } from '../../../functions/routes.ts';

const root = join(__dirname, '../../..');
const pages = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:bin|lib|functions|test|docs)\/[\w./-]+)`/g)].map(
      ([, path]) => path ?? '',
    );
    const linked = [...text.matchAll(/\]\(([\w./-]+\.md)[^)]*\)/g)].map(([, path]) =>
      join(page, '..', path ?? ''),
    );
    expect([...named, ...linked].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('names only scripts that exist', () => {
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script ?? '');
    expect(named.filter((script) => !scripts.includes(script))).toEqual([]);
  });

  test('names only paths that the service has', () => {
    const named = [...text.matchAll(/\/v1\/[a-z]+(?:\.json)?(?:\/\{id\}(?:\/[a-z]+)?)?/g)].map(
      ([path]) => path,
    );
    expect(named.filter((path) => !(path in methodsByPath))).toEqual([]);
  });
});
