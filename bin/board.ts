import { createClient } from '../client/index.ts';
import {
  flagsOrHelp,
  runCommand,
  runUntilStopped,
  serviceAddress,
  wholeNumber,
} from '../lib/cli/command-line.ts';
import { quickCheck, requireService } from '../lib/cli/require-service.ts';
import { serveBoard } from '../lib/cli/serve-board.ts';

const serviceUrl = 'http://localhost:3000';
/** Not 5173, which Vite uses: the front end under development may run there. */
const port = 3080;

const help = `Serves the example of a front end, a task board, on this machine. The service must run: "npm start".

  npm run board -- [options]

  --url <url>       address of the service; default: ${serviceUrl}
  --port <number>   port to listen on; 0 selects any free port; default: ${port}
  --help            prints this text`;

await runCommand('npm run board', async () => {
  const flags = flagsOrHelp(help, {
    url: { type: 'string', default: serviceUrl },
    port: { type: 'string', default: String(port) },
  });
  if (!flags) return 0;
  const url = serviceAddress('--url', flags.url, serviceUrl);
  const boardPort = wholeNumber('--port', flags.port, 0, 65_535);
  await requireService(createClient({ url, ...quickCheck }), url);
  const board = await serveBoard(url, boardPort);
  const running = { stop: board.stop, failed: new Promise<never>(() => {}) };
  return runUntilStopped(running, () => console.log(`The board for ${url}: ${board.url}\nStop: Ctrl-C`));
});
