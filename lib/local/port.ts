import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** The address that only this machine reaches. */
export const loopback = '127.0.0.1';

/**
 * Ports that systems do not hand out by themselves: one of those could be given to somebody else between our look
 * and the engine's.
 * @see https://www.kernel.org/doc/html/latest/networking/ip-sysctl.html ip_local_port_range
 */
const range = { from: 12_000, to: 32_000 };

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, loopback, () => server.close(() => resolve(true)));
  });

/** A port on which nobody listens just now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(range.from, range.to);
    if (await isFree(port)) return port;
  }
}
