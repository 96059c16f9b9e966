import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { showGuide } from '#functions/documentation/contract.ts';
import type { Service } from '#lib/local/service.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { startTestService } from '../support/local-service.ts';

/** The examples of README, the start page and the reference, run as a reader would paste them. */

const run = promisify(execFile);
const exampleOrigin = 'https://api.example.com';
const root = join(__dirname, '../..');

/** The address of a service on the default port, as README has it. */
const defaultOrigin = 'http://localhost:3000';

let folder: string;
let service: Service;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'examples-'));
  service = await startTestService();
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const textOf = async (path: string): Promise<string> => (await fetch(service.url + path)).text();

async function shell(script: string, cwd = folder): Promise<string> {
  const env = { ...process.env, TOKEN: '' };
  const text = script.replaceAll(exampleOrigin, service.url).replaceAll(defaultOrigin, service.url);
  return (await run('bash', ['-euo', 'pipefail', '-c', text], { cwd, env })).stdout;
}

/** Returns the code of a page as a service without tokens shows it. */
const codeOf = (html: string): string[] =>
  [...html.matchAll(/<pre class="code"[^>]*><code>(.*?)<\/code>/gs)].map(([, code = '']) =>
    code
      .replaceAll(/<span class="of-tokens">.*\n/g, '')
      .replaceAll(/<[^>]*>/g, '')
      .replaceAll('&#x27;', "'")
      .replaceAll('&quot;', '"')
      .replaceAll('&gt;', '>')
      .replaceAll('&lt;', '<')
      .replaceAll('&amp;', '&'),
  );

async function commandsOf(path: string): Promise<string[]> {
  const text = await readFile(path, 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code = '']) => code);
}

describe('README', () => {
  test('creates two tasks, and lists the urgent one with a count', async () => {
    const [, first = ''] = await commandsOf(join(root, 'README.md'));
    const list = JSON.parse((await shell(first)).trim().split('\n').at(-1) ?? '') as object;
    expect(list).toMatchObject({
      data: [{ name: 'Launch', priority: 'urgent' }],
      total: 1,
      counts: { status: [{ value: 'active', count: 1 }] },
    });
    expect(await shell(first.replace('"name":"Draft"', '"nmae":"Draft"'))).toContain('Did you mean');
  });

  test('lists the important tasks of the sample data', async () => {
    const [, , use = ''] = await commandsOf(join(root, 'README.md'));
    const [, list = ''] = use.split(/^(?=curl)/m);
    expect(JSON.parse(await shell(list))).toMatchObject({ page: 1 });
  });
});

describe('the start page', () => {
  test('shows a request beside a response with the fields that arrive', async () => {
    const [curl = '', , , response = ''] = codeOf(await textOf('/'));
    const body = JSON.stringify({ name: 'Draft the sitemap', priority: 'high', dueDate: '2026-03-20' });
    await shell(`curl -s ${exampleOrigin}/v1/tasks -H 'content-type: application/json' -d '${body}'`);
    const shown = JSON.parse(response) as { data: object[] };
    const arrived = JSON.parse(await shell(curl)) as typeof shown;
    expect(Object.keys(arrived)).toEqual(Object.keys(shown));
    expect(Object.keys(arrived.data[0] ?? {})).toEqual(Object.keys(shown.data[0] ?? {}));
  });
});

test('the guides have whole commands, also where the lines about tokens are hidden', async () => {
  for (const name of showGuide.files) {
    for (const code of codeOf(await textOf(`/docs/guides/${name}`))) {
      expect([name, code]).toEqual([name, expect.not.stringMatching(/\\\n(?:\n|$)|\\$/)]);
    }
  }
});

test('the reference has samples of every operation in five languages', async () => {
  const { paths } = JSON.parse(await textOf('/docs/reference.json')) as OpenApiDocument;
  const labels = Object.values(paths).flatMap((item) =>
    Object.values(item).map((one) => (one['x-codeSamples'] ?? []).map(({ label }) => label).join()),
  );
  expect(new Set(labels)).toEqual(new Set(['curl,TypeScript,Swift,Kotlin,Python']));
});
