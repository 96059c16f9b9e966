import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '#client/index.ts';
import type { Service } from '#lib/local/service.ts';
import { guideNames } from '#lib/site/guides.ts';
import { compilerMessages, ofNode } from '../support/compiler.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  comparable,
  type Example,
  examplesOf,
  type Language,
  languages,
  partsOf,
  printedBy,
  programOf,
  type Shown,
} from './guide-programs.ts';

/**
 * The examples of the guides, run as a reader would paste them: each guide and language as one program, in a tenant of its own. What a program
 * prints is the response that the guide shows. The programs need `jq`, and `python3` with `requests`.
 */

const run = promisify(execFile);
const root = join(__dirname, '../..');
const exampleOrigin = 'https://api.example.com';

/** The guide for phones has their languages too. */
const languagesOf = (guide: string): readonly string[] =>
  guide === 'mobile-apps' ? ['swift', 'kotlin', 'sh', 'ts', 'python'] : languages;

/** Returns the examples of a guide that run here. The one on events also starts programs with packages of their own: test/webhook. */
function runnable(guide: string): Example[] {
  const examples = examplesOf(textOf(guide));
  return guide === 'events' ? examples.filter(({ code }) => code['sh']?.includes('curl')) : examples;
}

const subject = '8d3c0e9a-7a51-4d5e-9a0e-3c1f2d4b5a69';
const collections = ['organizations', 'projects', 'users', 'tasks', 'tags'];
const allScopes = collections.flatMap((name) => [`${name}:read`, `${name}:write`]).join(' ');

/** Returns the scopes that a guide names for its examples, or that the guide on signing in asks for. */
function scopesOf(guide: string): string {
  const [text = ''] = /^Scopes of the examples: .*$|(?<=scope: 'openid ).*(?=')/m.exec(textOf(guide)) ?? [];
  return text.match(/\w+:\w+/g)?.join(' ') ?? allScopes;
}

/** An agent speaks its own protocol: its guide has no request of the API in other languages. */
const languagesThatRun = (guide: string): Language[] =>
  languages.filter((language) => runnable(guide).some(({ code }) => code['sh'] && code[language]));

const folder = temporaryFolder();
let service: Service;
let requiresTokens: boolean;
let issuer: Issuer;

const textOf = (guide: string): string => readFileSync(join(root, `docs/guides/${guide}.md`), 'utf8');

/** Starts the service that a guide is about. It requires tokens, as a deployment does, but not on one's own machine. A process has one service. */
async function startFor(guide: string): Promise<void> {
  const needsTokens = guide !== 'events';
  if (requiresTokens === needsTokens) return;
  await service?.stop();
  const authentication = { issuer: issuer.url, audience: [audience] };
  service = await startTestService(needsTokens ? { authentication } : {});
  requiresTokens = needsTokens;
}

beforeAll(async () => {
  issuer = await startIssuer();
  await startFor('getting-started');
  const packages = join(folder, 'node_modules');
  await mkdir(join(packages, 'project-management-client'), { recursive: true });
  const client = await (await fetch(`${service.url}/docs/client.mjs`)).text();
  await writeFile(join(packages, 'project-management-client/index.mjs'), client);
  await writeFile(join(packages, 'project-management-client/package.json'), '{ "exports": "./index.mjs" }');
  await symlink(join(root, 'node_modules/fractional-indexing'), join(packages, 'fractional-indexing'));
});

afterAll(() => Promise.all([service?.stop(), issuer?.stop()]));

/** Returns a token of a new tenant that has a task. */
async function tokenOfTenant(name: string, scope: string): Promise<string> {
  const claims = { sub: subject, tenant: name };
  const client = createClient({
    url: service.url,
    token: await issuer.token({ ...claims, scope: allScopes }),
  });
  await client.tasks.create({ name: 'Water the plants', priority: 'low', status: 'planned' });
  return issuer.token({ ...claims, scope });
}

/** Runs a program. @returns its output. */
async function outputOf(guide: string, language: Language, program: string): Promise<string> {
  await startFor(guide);
  const token = await tokenOfTenant(`${guide}-${language}`, scopesOf(guide));
  const text = program
    .replaceAll(exampleOrigin, service.url)
    .replaceAll('http://localhost:3000', service.url)
    // An agent has the token in its configuration.
    .replaceAll('npx pm-api mcp', `API_TOKEN=${token} npx pm-api mcp`);
  const file = join(folder, `${guide}.${language === 'ts' ? 'mts' : language}`);
  await writeFile(file, text);
  const commands: Readonly<Record<Language, readonly [string, ...string[]]>> = {
    sh: ['bash', '-euo', 'pipefail', file],
    ts: [process.execPath, '--import', require.resolve('tsx'), file],
    python: ['python3', file],
  };
  const [command, ...parameters] = commands[language];
  // Commands of npm and npx are those of a clone.
  const cwd = /^ *(?:npm|npx|id=\$\(npx)/m.test(program) ? root : folder;
  return (await run(command, parameters, { cwd, env: { ...process.env, TOKEN: token } })).stdout;
}

/** Compares what a program printed first for an example with the response that the guide shows, or with a part of it. */
function compare({ heading, response }: Example, printed: readonly Shown[], language: Language): void {
  const [first] = printed;
  if (!response) return;
  const place = `${heading}, ${language}`;
  if (language === 'sh') {
    expect([place, comparable(first)]).toEqual([place, comparable(withoutOtherHeaders(response, first))]);
  } else if (response.body !== undefined || first) {
    const values = partsOf(comparable([response.body, response.status, response.headers])).map((value) =>
      typeof value === 'object' ? value : String(value),
    );
    const value = comparable(first?.body);
    expect([place, values]).toEqual([
      place,
      expect.arrayContaining([typeof value === 'object' ? value : String(value)]),
    ]);
  }
}

/** Returns a shown response with the headers of one that arrived, as far as it does not show them. */
function withoutOtherHeaders(shown: Shown, arrived: Shown | undefined): Shown {
  return shown.headers ? { ...shown, headers: { ...arrived?.headers, ...shown.headers } } : shown;
}

describe.each(guideNames)('the guide %s', (guide) => {
  test('shows each request in its languages, and a response', async () => {
    const examples = examplesOf(textOf(guide)).filter(({ code }) => code['sh']?.includes('curl'));
    expect(examples.map(({ heading, code }) => [heading, Object.keys(code)])).toEqual(
      examples.map(({ heading }) => [heading, languagesOf(guide)]),
    );
    const responses = examplesOf(textOf(guide)).filter(({ response }) => response);
    expect(responses.length).toBeGreaterThan(0);
  });

  test.each(languagesThatRun(guide))('shows what its examples return: %s', async (language) => {
    const examples = runnable(guide);
    const output = await outputOf(guide, language, programOf(examples, language));
    const printed = printedBy(output, language);
    expect(printed).toHaveLength(examples.length);
    for (const [position, example] of examples.entries()) {
      if (example.code['sh']) compare(example, printed[position] ?? [], language);
    }
  });
});

test('the examples in TypeScript are programs without errors of types', async () => {
  const files: string[] = [];
  for (const guide of guideNames) {
    const program = programOf(runnable(guide), 'ts');
    files.push(`${guide}-types.mts`);
    await writeFile(join(folder, `${guide}-types.mts`), program);
  }
  expect(await compilerMessages(folder, files, ofNode)).toBe('');
});

test('the first guide shows an error response, and stops at it', async () => {
  const program = programOf(examplesOf(textOf('getting-started')), 'sh');
  const failure = outputOf('getting-started', 'sh', program.replace('"name":"Acme"', '"nmae":"Acme"'));
  await expect(failure).rejects.toMatchObject({
    stdout: expect.not.stringContaining('"projectId":"'),
    stderr: expect.stringContaining('Did you mean'),
  });
});
