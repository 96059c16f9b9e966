import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Address that is reachable from this machine only. */
export const loopback = '127.0.0.1';

/**
 * Ports outside the ephemeral range. The system could assign an ephemeral port to another process before the engine
 * listens on it.
 * @see https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html ip_local_port_range
 */
const range = { from: 12_000, to: 32_000 };

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, loopback, () => server.close(() => resolve(true)));
  });

export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to);
    if (await isFree(port)) return port;
  }
}
