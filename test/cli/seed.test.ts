import { startServer } from '../support/http-server.ts';
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
});

test('prints one line when the address accepts connections and never responds', async () => {
  const { url, stop } = await startServer();
  const { code, output, errors } = await run('seed', ['--url', url, '--tasks', '1']);
  await stop();
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^No service responds at .* Start one with "npm start".*\n$/);
});

test.each([
  [
    ['--url', 'http://localhost:1'],
    1,
    /^No service responds at http:\/\/localhost:1\. Start one with "npm start".*\n$/,
  ],
  [
    ['--url', 'http://localhost:3000/v1'],
    2,
    /'--url <url>' .* It must be the scheme, host and port of a service: http:\/\/localhost:3000\./,
  ],
  [['--tasks', 'many'], 2, /'many' is invalid\. It must be a whole number from 0 to 10000000\./],
  [['--tasks', '-1'], 2, /'-1' is invalid/],
  [['--reset', '--url', 'http://api.example.com'], 2, /only for a service on this machine/],
  [['--organizations', '0'], 2, /Every project belongs to an organization/],
])('%j ends with %d and says why', async (flags, code, message) => {
  expect(await run('seed', flags)).toEqual({ code, output: '', errors: expect.stringMatching(message) });
});
