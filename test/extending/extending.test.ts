import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inCopy } from '../support/project-copy.ts';

/** Follows the examples of docs/extending.md in copies of the project: each change is made, and each command ends with 0. */

jest.setTimeout(1_800_000);

const root = join(__dirname, '../..');

/** A part of a chapter: commands, a change of a file, or a new file. */
interface Part {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

/** Returns what a reader does with a chapter, in its order. The file is the last one that is named before: `In \`functions/routes.ts\`:`. */
function partsOf(chapter: string): Part[] {
  let file = '';
  return [...chapter.matchAll(/`([\w./-]+\.\w+)`|^```(\w+)\n(.*?)^```$/gms)].flatMap(
    ([, name, language = '', text = '']) => {
      file = name ?? file;
      return name === undefined ? { language, file, text } : [];
    },
  );
}

const chapters = readFileSync(join(root, 'docs/extending.md'), 'utf8')
  .split(/^## /m)
  .filter((chapter) => chapter.startsWith('Example'))
  .map((chapter) => [chapter.split('\n', 1)[0] ?? '', partsOf(chapter)] as const);

/** Jest and npm take these for their own. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:jest_|npm_|node_env$|node_options$)/i.test(name)),
);

/** @throws Error with the end of the output when a command fails. */
async function run(cwd: string, commands: string): Promise<void> {
  const options = { cwd, env, maxBuffer: 50_000_000 };
  await promisify(execFile)('bash', ['-euxc', commands], options).catch(({ stdout, stderr }) => {
    throw new Error(`${commands}\n${stdout.slice(-5_000)}\n${stderr.slice(-15_000)}`);
  });
}

/** @throws Error when the file does not have the unchanged and the removed lines together, once. */
function change(path: string, text: string): void {
  const linesOf = (sign: string): string =>
    [...text.matchAll(/^(.)(.*\n)/gm)]
      .map(([, mark = '', line = '']) => (` ${sign}`.includes(mark) ? line : ''))
      .join('');
  const [before, ...more] = readFileSync(path, 'utf8').split(linesOf('-'));
  if (more.length !== 1) throw new Error(`${path} has these lines ${more.length} times:\n${linesOf('-')}`);
  writeFileSync(path, `${before}${linesOf('+')}${more[0]}`);
}

async function follow(folder: string, { language, file, text }: Part): Promise<void> {
  const path = join(folder, file);
  // The copy has a link to the packages of the project, in which the program is that of the project.
  if (language === 'sh') return run(folder, text.replaceAll('npx pm-api', 'node bin/pm-api.mjs'));
  if (language === 'diff') return change(path, text);
  mkdirSync(dirname(path), { recursive: true });
  return writeFileSync(path, text);
}

test('the page has examples of a field, of an operation and of a resource, which end with a command', () => {
  expect(chapters.map(([title]) => title)).toEqual([
    expect.stringMatching(/^Example: a field/),
    expect.stringMatching(/^Example: an operation/),
    expect.stringMatching(/^Example: a resource/),
  ]);
  for (const [, parts] of chapters) expect(parts.at(-1)?.language).toBe('sh');
});

test.each(chapters)('%s', (_, parts) =>
  inCopy(root, async (folder) => {
    // Each step throws when it fails.
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) await follow(folder, part);
  }),
);
