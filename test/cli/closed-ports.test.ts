import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { request } from 'node:http';
import { portsBlockedByBrowsers } from '#lib/local/port.ts';
import { killLeftovers, start } from './started-service.ts';

/** What a web page of another site can do with the ports that `npm start` opens. */

afterEach(killLeftovers);

interface Listener {
  readonly host: string;
  readonly port: number;
}

/** Reads a file of a process, which can have ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Returns a process and all that it started. */
function family(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => [Number(id), Number(/\) \S (\d+)/.exec(read(`/proc/${id}/stat`))?.[1])] as const);
  const found = [root];
  for (const one of found) found.push(...parents.filter(([, parent]) => parent === one).map(([id]) => id));
  return found;
}

/** Returns the addresses on which processes listen, from the socket tables of Linux. State 0A is LISTEN; IPv4 addresses are little-endian. */
function listenersOf(processes: readonly number[]): Listener[] {
  const sockets = processes.flatMap((id) =>
    readdirSync(`/proc/${id}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${id}/fd/${fd}`);
      } catch {
        return '';
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((table) =>
    read(`/proc/net/${table}`)
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state, , , , , , inode]) => state === '0A' && sockets.includes(`socket:[${inode}]`))
      .map(([, local = '']) => {
        const [address = '', port = ''] = local.split(':');
        // Java opens an IPv6 socket, for an IPv4 address that is mapped to IPv6.
        const [, mapped = address] = /^0{16}FFFF0000(.{8})$/.exec(address) ?? [];
        const host = mapped.length === 8 ? [...Buffer.from(mapped, 'hex').reverse()].join('.') : address;
        return { host, port: Number.parseInt(port, 16) };
      }),
  );
}

/** Sends a request. @returns its status, and whether a page may read the response. */
const send = ({ host, port }: Listener, method: string, headers: Record<string, string>, path = '/') =>
  new Promise<string>((resolve, reject) => {
    const sent = request({ host, port, method, path, headers, agent: false }, (response) => {
      response.resume();
      const allowed = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve(`${response.statusCode} ${allowed ?? 'unreadable'}`));
    });
    sent.on('error', reject).end(method === 'POST' ? '{}' : '');
  });

const page = 'https://page.example';
const listTables = { 'x-amz-target': 'DynamoDB_20120810.ListTables', 'content-type': 'text/plain' };

test('every port refuses the requests of pages, or is one to which browsers send none', async () => {
  const service = await start({ DATABASE_FILE: ':memory:', REQUEST_LOG: 'off' });
  const listeners = listenersOf(family(service.process.pid ?? 0));
  // The gateway, the engine, and the port to which functions announce changes.
  expect(listeners).toHaveLength(3);
  for (const listener of listeners) {
    if (portsBlockedByBrowsers.includes(listener.port)) {
      expect(listener.host).toMatch(/^127\.(?!0\.0\.1$)/);
      continue;
    }
    expect([listener.host, listener.port]).toEqual(['127.0.0.1', Number(new URL(service.url).port)]);
    const preflight = { origin: page, 'access-control-request-method': 'POST' };
    expect(await send(listener, 'OPTIONS', preflight)).toBe('403 unreadable');
    expect(await send(listener, 'POST', { origin: page, ...listTables })).toBe('403 unreadable');
    expect(await send(listener, 'POST', { host: 'page.example', ...listTables })).toBe('421 unreadable');
    expect(await send(listener, 'GET', { host: 'page.example' }, '/v1/tasks')).toBe('421 unreadable');
    expect(await send(listener, 'GET', { origin: page }, '/v1/tasks')).toBe('200 unreadable');
    // An HTML form needs no preflight.
    const form = { origin: 'null', 'content-type': 'text/plain' };
    expect(await send(listener, 'POST', form, '/v1/projects/any/clone')).toBe('403 unreadable');
  }
});
