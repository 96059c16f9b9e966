import { run } from './run.ts';

test('npm run board says what to do when no service responds', async () => {
  const { code, output, errors } = await run('board', ['--url', 'http://localhost:1', '--port', '0']);
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^No service responds at http:\/\/localhost:1\. Start one with "npm start".*\n$/);
});
