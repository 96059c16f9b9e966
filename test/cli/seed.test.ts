import { provideTestService } from '../support/local-service.ts';
import { run } from './run.ts';

const service = provideTestService();

test('prints what it created, the rate and an example', async () => {
  const flags = '--organizations 1 --users 2 --tags 3 --projects 4 --tasks 5 --url'.split(' ');
  const { code, output } = await run('seed', [...flags, service.url]);
  expect(code).toBe(0);
  expect(output).toMatch(
    /^Created 1 organization, 2 users, 3 tags, 4 projects, 5 tasks in [\d.]+ s: \d+ a second\.$/m,
  );
  expect(output).toMatch(/^tasks: 5$/m);
  const exampleUrl = /^Example: (\S+)$/m.exec(output)?.[1] ?? '';
  expect((await fetch(exampleUrl)).status).toBe(200);
  const numberUrl = /^Task #5: (\S+)$/m.exec(output)?.[1] ?? '';
  expect(await (await fetch(numberUrl)).json()).toMatchObject({ total: 1, data: [{ number: 5 }] });
});
