import { readFileSync } from 'node:fs';
import { catalogue } from '#functions/http/problems.ts';
import { prices } from '#lib/costs/prices.ts';
import { committedFile } from '#lib/openapi/committed-document.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { withCodeGroups } from '#lib/site/code-groups.ts';
import { renderFiles } from '#lib/site/files.ts';
import { limitsOf, routeLimits } from '#lib/site/limits.ts';
import { operationsByTag } from '#lib/site/operations.ts';
import { ownerOf } from '#lib/site/token-owner.ts';
import { deletions, formOf, operatorWords, requestOf, withCurrentDays } from '#lib/site/try-it.ts';

let pages: Readonly<Record<string, string>>;
let files: Readonly<Record<string, string>>;

beforeAll(async () => {
  ({ pages, files } = await renderFiles());
});

const proseOf = (text: string): string => text.replaceAll(/^```.*?^```/gms, '').replaceAll(/`[^`]*`/g, '');

/** Returns the anchors of a page, as VitePress makes them from headings. */
const anchorsOf = (text: string): string[] =>
  [...proseOf(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const [, given] = /\{#(.+)\}$/.exec(heading) ?? [];
    return (
      given ??
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-')
    );
  });

test('each link of a page leads to a page or file that exists, and to an anchor of it', () => {
  const links = Object.entries({ ...pages, ...files }).flatMap(([page, text]) =>
    [...proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => ({ page, target })),
  );
  const own = links.filter(({ target }) => !target.startsWith('https://'));
  expect(own.length).toBeGreaterThan(500);
  const anchors = new Map(
    Object.entries({ ...files, ...pages }).map(([page, text]) => [page, new Set(anchorsOf(text))]),
  );
  const dead = own.filter(({ page, target }) => {
    const [path = '', anchor] = target.split('#');
    const known = anchors.get(path === '' ? page : path);
    return known === undefined || (anchor !== undefined && !known.has(anchor));
  });
  expect(dead).toEqual([]);
  expect(links.filter(({ target }) => target.includes('api.example.com'))).toEqual([]);
});

test.each<[object | string, string | undefined]>([
  [{ sub: 'zoë', scope: 'tasks:read' }, 'Signed in as zoë, with 1 scope.'],
  [{ sub: '1', username: 'ada', scope: 'openid tasks:read' }, 'Signed in as ada, with 2 scopes.'],
  [{ sub: 'program' }, 'Signed in as program, with 0 scopes.'],
  [{}, undefined],
  ['secret', undefined],
])('a form says whose a token with %j is', (claims, said) => {
  const payload = Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims));
  expect(ownerOf(`e30.${payload.toString('base64url')}.x`)).toBe(said);
});

test('each type of a problem is an anchor of the page of problems', () => {
  expect(anchorsOf(pages['/docs/problems'] ?? '').slice(1)).toEqual(Object.keys(catalogue));
});

test('no page has what VitePress would take for an expression', () => {
  for (const [path, text] of Object.entries(pages)) {
    expect([path, proseOf(text)]).toEqual([path, expect.not.stringContaining('{{')]);
  }
});

test('each operation has a page with its parameters, fields, responses, problems, and samples in five languages', () => {
  const places = operationsByTag(document).flatMap(({ operations }) => operations);
  const all = Object.values(document.paths).flatMap((item) => Object.keys(item));
  expect(places).toHaveLength(all.length);
  for (const { path, method, operation } of places) {
    const page = pages[`/docs/reference/${operation.operationId}`] ?? '';
    expect(page).toContain(`\`${method.toUpperCase()} ${path}\``);
    expect(page.match(/^```(?:sh|ts|swift|kotlin|python)$/gm)).toHaveLength(5);
    for (const status of Object.keys(operation.responses)) expect(page).toContain(`- \`${status}\` `);
    expect(page).not.toMatch(/undefined|\[object|\n\n\n/);
  }
});

test('the overview for language models names each page as Markdown', () => {
  const linked = [...(files['/llms.txt'] ?? '').matchAll(/\]\((.+?)\.md\)/g)].map(([, path]) => path);
  expect(linked.sort()).toEqual(
    Object.keys(pages)
      .filter((path) => !['/docs', '/docs/reference'].includes(path))
      .sort(),
  );
});

test('consecutive examples become tabs, and a response stays by itself', () => {
  const text = '```sh\ncurl x\n```\n\n```ts\nx();\n```\n\n```json\n{}\n```\n\n```sh\nnpm start\n```\n';
  expect(withCodeGroups(text)).toBe(
    '::: code-group\n\n```sh [curl]\ncurl x\n```\n\n```ts [TypeScript]\nx();\n```\n\n:::\n\n```json\n{}\n```\n\n```sh\nnpm start\n```\n',
  );
});

test('no file exceeds the limit of its route', () => {
  const sizes = Object.entries(files).map(
    ([path, text]) => [path, text.length / limitsOf(path).maxBytes] as const,
  );
  expect(sizes.filter(([, share]) => share > 1)).toEqual([]);
});

test('requests without a token for the documentation cost at most $200 a month, whatever their headers', () => {
  const secondsPerMonth = 2_628_000;
  /** HTTP APIs count a request for each 512 KB. */
  const meteredBytes = 512 * 1024;
  /** Seconds of a function with 1 GB, and bytes of the logs of a request: estimates, high. */
  const seconds = 0.02;
  const logBytes = 1_500;
  const perRequest = (bytes: number): number =>
    (prices.requests * Math.max(1, Math.ceil(bytes / meteredBytes)) + prices.invocations) / 1e6 +
    (prices.transferGb * bytes + prices.logsGb * logBytes) / 1e9 +
    prices.gbSecond * seconds;
  // GET has a content, and HEAD has none.
  const costs = Object.values(routeLimits).map(
    ({ maxBytes, rate }) => rate * secondsPerMonth * (perRequest(maxBytes) + perRequest(0)),
  );
  const total = costs.reduce((sum, cost) => sum + cost);
  expect(total).toBeGreaterThan(150);
  expect(total).toBeLessThanOrEqual(200);
});

const document = JSON.parse(readFileSync(committedFile, 'utf8')) as OpenApiDocument;

describe('the form of an operation', () => {
  const formOfOperation = (id: string) => formOf(document, id) as NonNullable<ReturnType<typeof formOf>>;

  test('has a word for each operator of each list', () => {
    const operators = operationsByTag(document).flatMap(({ operations }) =>
      operations.flatMap(({ operation }) =>
        Object.values(formOfOperation(operation.operationId).operators).flat(),
      ),
    );
    expect(operators.filter((operator) => !(operator in operatorWords))).toEqual([]);
  });

  test('moves the days of the sample to now', () => {
    const moved = withCurrentDays(
      '["2026-03-23", "2026-03-23T00:00:00Z", "2026-12"]',
      new Date('2027-01-01'),
    );
    expect(JSON.parse(moved)).toEqual(['2027-01-15', '2026-03-23T00:00:00Z', '2026-12']);
  });

  test.each([
    ['deleteTask', 1],
    ['batchTasks', 1],
    ['createTag', 0],
  ])('of %s knows that its sample deletes %i entities', (id, count) => {
    const form = formOfOperation(id);
    expect(deletions(requestOf(form, form.values, ''))).toBe(count);
  });

  test.each([undefined, {}, [null, 'delete']])(
    'of a batch deletes nothing with the operations %j',
    (operations) => expect(deletions({ method: 'POST', body: { operations } })).toBe(0),
  );

  test('refuses a body that is no JSON', () => {
    const form = formOfOperation('createTag');
    expect(() => requestOf(form, { ...form.values, body: '{' }, '')).toThrow(SyntaxError);
    expect(formOf(document, 'unknown')).toBeUndefined();
  });
});
