import { Command } from '@commander-js/extra-typings';
import { asFailure, runUntilStopped, wholeNumber } from '../lib/command-line/command-line.ts';
import { requireService } from '../lib/command-line/require-service.ts';
import { urlOption } from '../lib/command-line/service-options.ts';
import { serveBoard } from '../lib/local/serve-board.ts';

export const command = new Command('board')
  .description('Serves the example of a front end, a task board, on this machine. The service must run.')
  .addOption(urlOption())
  // Not 5173, which Vite uses: the front end under development may run there.
  .option('--port <number>', 'port to listen on; 0 selects any free port', wholeNumber(0, 65_535), 3_080)
  .action(async ({ url, port }) => {
    await requireService(url);
    const board = await asFailure(serveBoard(url, port));
    const running = { stop: board.stop, failed: new Promise<never>(() => {}) };
    await runUntilStopped(running, () => console.log(`The board for ${url}: ${board.url}\nStop: Ctrl-C`));
  });
