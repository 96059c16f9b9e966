import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Service } from '#lib/local/service.ts';
import type { OpenApiDocument } from '#lib/openapi/types.ts';
import { startTestService } from '../support/local-service.ts';

/** The examples of README, the start page, the guides and the reference, run as a reader would paste them. The guides need `jq`. */

const run = promisify(execFile);
const exampleOrigin = 'https://api.example.com';
const root = join(__dirname, '../..');
const guides = join(root, 'docs/guides');

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
  });

  test('shows an error response', async () => {
    const [, first = ''] = await commandsOf(join(root, 'README.md'));
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

describe('the guides', () => {
  /** What the output of a guide contains, among others. */
  const expected: Readonly<Record<string, readonly string[]>> = {
    'getting-started.md': ['"priority":"high"', '"project":{', '"total":1', '"status":"completed"'],
    'authentication.md': ['"data":['],
    'lists-and-filters.md': ['x-total-count: ', '"counts":{', '"totalPages"'],
    'errors.md': ['Did you mean \\"priority\\"?'],
    'retries-and-lost-updates.md': ['idempotency-replayed: true', 'problems#version-mismatch', ' 304 '],
    'drag-and-drop.md': ['"position":"a0V"', '["Draft","Print","Review"]'],
    'undo.md': ['"Draft"', '"deletedAt":'],
    'offline-and-live.md': ['"removed":[', '"hasMore":'],
    'agents.md': ['"id":1,"result":{"content":[{"type":"text","text":"{\\"data\\":['],
    'mobile-apps.md': ['"name":"Made on a train"', '201'],
    'generating-a-client.md': ['"openapi":"3.1.0"'],
    'batches.md': ['"status":204', '"pointer":"/operations/1/body/name"'],
  };

  // It starts programs that need packages of their own: test/webhook.
  const testedElsewhere = 'events.md';

  test('are all tested', async () => {
    expect([...Object.keys(expected), testedElsewhere].sort()).toEqual((await readdir(guides)).sort());
  });

  test('the first one shows an error response, and stops at it', async () => {
    const commands = (await commandsOf(join(guides, 'getting-started.md'))).join('\n');
    const failure = shell(commands.replace('"name":"Acme"', '"nmae":"Acme"'));
    await expect(failure).rejects.toMatchObject({
      stdout: expect.not.stringContaining('"project":{'),
      stderr: expect.stringContaining('Did you mean'),
    });
  });

  /** Returns the blocks of a language in the guide for beginners. */
  async function beginnersBlocks(language: string): Promise<string[]> {
    const text = await readFile(join(guides, 'getting-started.md'), 'utf8');
    return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(
      ([, code = '']) => code,
    );
  }

  const fieldsOf = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(fieldsOf)
      : typeof value === 'object' && value !== null
        ? Object.entries(value).map(([name, inner]) => [name, fieldsOf(inner)])
        : typeof value;

  test('the first one shows responses with the fields that arrive', async () => {
    const shown = (await beginnersBlocks('json')).map((text) => fieldsOf(JSON.parse(text)));
    const commands = (await commandsOf(join(guides, 'getting-started.md'))).slice(0, shown.length);
    const output = await shell(commands.join('\n'));
    expect(
      output
        .trim()
        .split('\n')
        .map((text) => fieldsOf(JSON.parse(text))),
    ).toEqual(shown);
  });

  test('the first one does the same with the client', async () => {
    const program = (await beginnersBlocks('ts'))
      .join('\n')
      .replace('project-management-client', './client.mjs');
    const commands = `curl -s ${exampleOrigin}/docs/client.mjs -o client.mjs\ncat > program.mjs <<'END'\n${program}\nEND\nnode program.mjs`;
    const output = await shell(commands);
    expect(output).toContain("name: 'Draft the sitemap'");
    expect(output).toMatch(/total: \d/);
  });

  test.each(Object.entries(expected))('%s has commands that work in their order', async (name, texts) => {
    const commands = (await commandsOf(join(guides, name))).join('\n');
    // Scripts of npm are those of a clone.
    const output = await shell(commands, /^ *npm run/m.test(commands) ? root : folder);
    for (const one of texts) expect(output).toContain(one);
  });
});

describe('the samples of the reference', () => {
  const documentOf = async () => JSON.parse(await textOf('/docs/reference.json')) as OpenApiDocument;

  test('exist for every operation in five languages', async () => {
    const { paths } = await documentOf();
    const labels = Object.values(paths).flatMap((item) =>
      Object.values(item).map((operation) =>
        (operation['x-codeSamples'] ?? []).map(({ label }) => label).join(),
      ),
    );
    expect(new Set(labels)).toEqual(new Set(['curl,TypeScript,Swift,Kotlin,Python']));
  });
});
