import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inCopy } from '../support/project-copy.ts';
import { killLeftovers, spawnGroup, untilItListens } from './started-service.ts';

/** The first start of a clone, which has no documentation yet. */

afterAll(killLeftovers);

/** Returns the hash of the sources for which the site is written, after it is written again if they have changed. */
function preparedSources(folder: string): string {
  const program = "(await import('./lib/site/build.ts')).prepareSite()";
  const flags = ['--import', 'tsx', '--input-type=module', '--eval', program];
  execFileSync(process.execPath, flags, { cwd: folder });
  return JSON.parse(readFileSync(join(folder, 'dist/site/site.json'), 'utf8')).sources;
}

test('the service is ready before its documentation, which it says, and ends the process that builds it; a change of its form makes it outdated', async () => {
  await inCopy(join(__dirname, '../..'), async (folder) => {
    const env = { PORT: '0', DATABASE_FILE: ':memory:' };
    const started = spawnGroup(process.execPath, ['bin/pm-api.mjs', 'start'], { cwd: folder, env });
    const url = await untilItListens(started);
    const page = await fetch(`${url}/docs/guides/errors`);
    const text = await page.text();
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(text).toContain('The documentation is being built');
    const links = [...text.matchAll(/href="(.*?)"/g)].map(([, path = '']) => path);
    expect(links).toEqual(
      expect.arrayContaining(['/docs/guides/errors.md', '/v1/openapi.json', '/llms.txt']),
    );
    for (const path of links) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);

    started.process.kill('SIGTERM');
    expect(await started.ended()).toBe(0);
    expect(readdirSync(join(folder, 'dist'))).toEqual(['site']);
    expect(existsSync(join(folder, 'dist/site/site.json'))).toBe(true);

    const sources = preparedSources(folder);
    appendFileSync(join(folder, 'lib/site/theme/try-it.vue'), '\n');
    expect(preparedSources(folder)).not.toBe(sources);
  });
});
