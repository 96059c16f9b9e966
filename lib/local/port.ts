import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Address that is reachable from this machine only. */
export const loopback = '127.0.0.1';

async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

export interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Ports above 1023 to which no browser sends a request. 4190 and 6679 are in the standard too, but Chromium 156 opens them.
 * @see https://fetch.spec.whatwg.org/#port-blocking
 */
export const portsBlockedByBrowsers = [
  1719, 1720, 1723, 2049, 3659, 4045, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080,
];

/** Returns an address of this machine that nothing else uses, where the system has more of them than 127.0.0.1. macOS has no others. */
async function loopbackOfOwn(): Promise<string> {
  const host = `127.${[0, 1, 2].map(() => randomInt(1, 255)).join('.')}`;
  return (await isFree(0, host)) ? host : loopback;
}

/**
 * Returns a free address for a server that programs of this machine use and web pages must not reach. Browsers block its port, and a
 * page of another origin could not find its host, which is random.
 * @throws Error when no port is free.
 */
export async function unreachableByPages(): Promise<Address> {
  const host = await loopbackOfOwn();
  const first = randomInt(portsBlockedByBrowsers.length);
  for (const port of [...portsBlockedByBrowsers.slice(first), ...portsBlockedByBrowsers.slice(0, first)]) {
    if (await isFree(port, host)) return { host, port };
  }
  throw new Error(
    `Other programs use all ports that browsers block: ${portsBlockedByBrowsers.join(', ')}. Stop one of them.`,
  );
}
