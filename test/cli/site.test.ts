import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inCopy } from '../support/project-copy.ts';
import { killLeftovers, spawnGroup, untilItListens } from './started-service.ts';

/** The first start of a clone, which has no documentation yet. */

afterAll(killLeftovers);

test('the service is ready before its documentation, which it says, and ends the process that builds it', async () => {
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
  });
});
