import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { serveBoard } from '#lib/cli/serve-board.ts';

test('the board says in one sentence that its port is in use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await expect(serveBoard('http://localhost:3000', port)).rejects.toThrow(
    `Choose another one: npm run board -- --port ${port + 1}`,
  );
  other.close();
});
