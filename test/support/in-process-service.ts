/** The service in the process of the test: the real gateway and functions, on a table in the process, in virtual time. Nothing has a socket. */
import { randomUUID } from 'node:crypto';
import { maxRequestMs } from '#functions/engine/table/deadline.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { liveEnvironment } from '#lib/local/function-environment.ts';
import type { HostingOptions } from '#lib/local/hosted-functions.ts';
import { HttpApi, type HttpApiOptions } from '#lib/local/http-api.ts';
import { hostFunctions } from '#lib/local/source-functions.ts';
import { Checks, decompressed } from './checked-service.ts';
import { MemoryTable } from './table/memory-table.ts';
import { VirtualTime } from './virtual-time.ts';

/** Sent with each request, as `fetch` does. */
const usualHeaders = { host: 'localhost', connection: 'keep-alive', accept: '*/*', 'user-agent': 'node' };

interface InProcessResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface InProcessService {
  readonly url: string;
  readonly table: MemoryTable;
  request(
    method: string,
    target: string,
    headers: Readonly<Record<string, string>>,
    body?: Buffer,
  ): Promise<InProcessResponse>;
  /** The time of the service, in milliseconds since 1970. */
  now(): number;
  /** Lets time pass, and does what is due at its end. */
  pass(milliseconds: number): Promise<void>;
  stop(): Promise<void>;
}

export interface InProcessOptions extends HostingOptions {
  /** Called with each event of the gateway. */
  readonly onEvent?: HttpApiOptions['onEvent'];
}

/** The time of the last service of the process. It can be ahead of the real one, and the next service makes later ids, so it begins there. */
let lastTime: VirtualTime | undefined;

export async function startInProcessService({
  onEvent,
  ...options
}: InProcessOptions = {}): Promise<InProcessService> {
  const time = new VirtualTime(1, Math.max(Date.now(), lastTime?.now() ?? 0));
  lastTime = time;
  setTimeAndChance(time);
  const tableName = `test-${randomUUID()}`;
  const table = new MemoryTable(tableName, time);
  const location = { endpoint: 'http://127.0.0.1:9', tableName };
  const functions = await hostFunctions(() => table, location, { timeoutMs: maxRequestMs, ...options });
  // Nothing is announced, but callers are told where it would be.
  Object.assign(process.env, { ...liveEnvironment(''), LIVE_ENDPOINT: '' });
  const checks = new Checks();
  const api = new HttpApi({
    ...functions.gateway,
    allowed: { origins: options.allowedOrigins ?? [] },
    onEvent: (event) => {
      checks.onEvent(event);
      onEvent?.(event);
    },
    onResponse: checks.onResponse,
  });
  return {
    url: 'http://localhost',
    table,
    now: () => time.now(),
    request: async (method, target, headers, body = Buffer.alloc(0)) => {
      // Two requests one after the other are never in the same millisecond.
      await time.delay(1);
      const sent = {
        ...usualHeaders,
        ...(body.length > 0 && { 'content-length': String(body.length) }),
        ...headers,
      };
      const request = {
        method,
        url: target,
        httpVersion: '1.1',
        headers: sent,
        rawHeaders: Object.entries(sent).flat(),
        socket: { remoteAddress: '127.0.0.1' },
      };
      const response = await api.respond(request, async () => body);
      const content = Buffer.from(method === 'HEAD' ? '' : response.content);
      const text = decompressed(content, response.headers['content-encoding']).toString();
      return { status: response.status, headers: response.headers, text };
    },
    pass: async (milliseconds) => {
      await time.delay(milliseconds);
      await functions.deliverLogRecords();
      await functions.onSchedule();
    },
    stop: async () => {
      await functions.stop();
      setTimeAndChance();
      checks.requireNone();
    },
  };
}
