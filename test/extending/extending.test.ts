import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inCopy } from '../support/project-copy.ts';
import { apply, partsOf } from './worked-examples.ts';

/** Follows the examples of docs/extending.md in copies of the project: each change is made, and each command ends with 0. */

jest.setTimeout(900_000);

const root = join(__dirname, '../..');
const chapters = readFileSync(join(root, 'docs/extending.md'), 'utf8')
  .split(/^## /m)
  .filter((chapter) => chapter.startsWith('Example'))
  .map((chapter) => [chapter.split('\n', 1)[0] ?? '', partsOf(chapter)] as const);

const execute = promisify(execFile);

/** Jest and npm take these for their own. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:jest_|npm_|node_env$|node_options$)/i.test(name)),
);

const maxOutputBytes = 50_000_000;

/** @throws Error with the end of the output when a command fails. */
async function run(folder: string, commands: string): Promise<void> {
  const options = { cwd: folder, env, maxBuffer: maxOutputBytes };
  await execute('bash', ['-euxc', commands], options).catch(({ stdout, stderr }) => {
    throw new Error(`${commands}\n${stdout.slice(-5_000)}\n${stderr.slice(-15_000)}`);
  });
}

test('the page has an example of an operation and one of a resource, which end with a command', () => {
  expect(chapters.map(([title]) => title)).toEqual([
    expect.stringMatching(/^Example: an operation/),
    expect.stringMatching(/^Example: a resource/),
  ]);
  for (const [, parts] of chapters) expect(parts.at(-1)?.type).toBe('commands');
});

test.each(chapters)('%s', (_, parts) =>
  inCopy(root, async (folder) => {
    // `run` and `apply` throw.
    expect(parts.length).toBeGreaterThan(5);
    for (const part of parts) {
      if (part.type === 'commands') await run(folder, part.text);
      else apply(folder, part);
    }
  }),
);
