import { serveBoard } from '#lib/local/serve-board.ts';
import { startServer } from '../support/http-server.ts';

test('the board says in one sentence that its port is in use', async () => {
  const { port, stop } = await startServer();
  await expect(serveBoard('http://localhost:3000', port)).rejects.toThrow(
    `Choose another one: npx pm-api board --port ${port + 1}`,
  );
  await stop();
});
