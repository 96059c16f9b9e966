import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serveBoard } from '#lib/cli/serve-board.ts';
import { run } from './run.ts';

test('npm run board says what to do when no service responds', async () => {
  const { code, output, errors } = await run('board', ['--url', 'http://localhost:1', '--port', '0']);
  expect({ code, output }).toEqual({ code: 1, output: '' });
  expect(errors).toMatch(/^No service responds at http:\/\/localhost:1\. Start one with "npm start".*\n$/);
});

test('the board says in one sentence that its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(serveBoard('http://localhost:3000', port)).rejects.toThrow(
    `The board cannot listen on port ${port}: another program may use it. Choose another one: npm run board -- --port ${port + 1}`,
  );
  other.close();
});
