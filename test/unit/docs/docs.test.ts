import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { showGuide } from '#functions/documentation/contract.ts';
import { methodsByPath } from '#functions/routes.ts';
import { expectComplete } from '#test/support/complete.ts';

const root = join(__dirname, '../../..');
const folders = ['benchmarks', 'client', 'docs', 'examples', 'functions', 'lib', 'test'];

/** All pages of the project, as paths with slashes. */
const pages = [
  ...readdirSync(root),
  ...folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) =>
      posix.join(folder, path.replaceAll('\\', '/')),
    ),
  ),
].filter((path) => path.endsWith('.md') && !path.includes('node_modules'));

/** Pages that describe the project as it is. The changelog and the decisions also name what was deleted. */
const currentPages = pages.filter((page) => !/^CHANGELOG|^docs\/decisions\//.test(page));

const scripts = Object.keys(
  (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts,
);

const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

const proseOf = (page: string): string => textOf(page).replaceAll(/^ *```.*?^ *```/gms, '');

/** Returns the anchors of a page, as GitHub and the static pages make them from headings. */
function anchorsOf(page: string): string[] {
  const prose = proseOf(page);
  const anchors = [...prose.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id ?? '');
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let number = 1; anchors.includes(anchor); number += 1) anchor = `${slug}-${number}`;
    anchors.push(anchor);
  }
  return anchors;
}

/** Returns the links of a page to pages of the project: the path from the root, and the anchor or "". */
const linksOf = (page: string): { target: string; anchor: string }[] =>
  [...proseOf(page).matchAll(/\]\(([\w./-]+\.md)?(?:#([^)\s]+))?\)/g)].map(([, path, anchor = '']) => ({
    target: path ? posix.join(posix.dirname(page), path) : page,
    anchor,
  }));

test('finds pages in all folders, their links and anchors', () => {
  expect(pages).toEqual(
    expect.arrayContaining([
      'README.md',
      'CONTRIBUTING.md',
      'docs/running.md',
      'docs/guides/errors.md',
      'functions/store/README.md',
    ]),
  );
  expect(linksOf('CONTRIBUTING.md')).toContainEqual({
    target: 'README.md',
    anchor: 'platforms-and-troubleshooting',
  });
  expect(anchorsOf('docs/running.md')).toContain('platforms');
});

test('each guide is a page of the service', () => {
  const guides = pages.flatMap((page) => /^docs\/guides\/(.+)\.md$/.exec(page)?.[1] ?? []);
  expectComplete(showGuide.files, guides, {
    missing:
      'Add it to the files of showGuide in functions/documentation/contract.ts, where readers should meet it.',
    unneeded: 'Write docs/guides/<name>.md.',
  });
});

test('docs/README.md lists each page of the documentation', () => {
  const listed = linksOf('docs/README.md').map(({ target }) => target);
  const needed = pages.filter((page) => /^docs\/(?!README|performance\/)/.test(page));
  expectComplete(
    listed.filter((page) => page.startsWith('docs/')),
    needed,
    { missing: 'Link it in docs/README.md, in the group of its readers.' },
  );
});

describe.each(pages)('%s', (page) => {
  test('has no placeholder', () => {
    expect(textOf(page).match(/@@[A-Z]+@@/g)).toBeNull();
  });

  test('links only pages and anchors that exist', () => {
    const dead = linksOf(page).filter(
      ({ target, anchor }) =>
        !existsSync(join(root, target)) || (anchor !== '' && !anchorsOf(target).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });
});

/** The examples of docs/extending.md name what a reader adds. */
const withoutExamples = (text: string): string =>
  text.replaceAll(/^## Example: .*?(?=^## |$(?![\s\S]))/gms, '');

describe.each(currentPages)('%s', (page) => {
  const text = withoutExamples(textOf(page));

  test('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:bin|lib|functions|test|docs)\/[\w./-]+)`/g)].map(
      ([, path]) => path ?? '',
    );
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
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
