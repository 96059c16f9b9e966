import { requestTimeoutMs } from '../lib/hosting/functions.ts';
import { type Engine, existingEngine, startEngine } from '../lib/local/dynamodb-engine.ts';
import type { Service, ServiceOptions } from '../lib/local/service.ts';
import { sourceFunctions } from '../lib/local/source-functions.ts';
import { startCheckedService } from '../test/support/checked-service.ts';
import { type TestClient, testClient } from '../test/support/test-client.ts';
import { type EngineProxy, type Injector, startEngineProxy } from './engine-proxy.ts';

export interface TestResponse<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The local service with a fault-injecting proxy between it and its engine. */
export interface FaultyService {
  readonly service: Service;
  readonly proxy: EngineProxy;
  readonly engine: Engine;
  /** A client that bypasses the proxy. */
  readonly client: TestClient;
  /**
   * Injects faults while an action runs, and starts no job meanwhile. Without it, an injector that counts calls also counts those of the
   * schedule, which runs every second.
   */
  injectWithoutJobs<Result>(injector: Injector, action: () => Promise<Result>): Promise<Result>;
  /** Sends a request with an optional JSON body. */
  send<Body = unknown>(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<TestResponse<Body>>;
  stop(): Promise<void>;
}

/** The port of all proxies of this process, one after the other. The client of the functions keeps its first endpoint. */
let port = 0;

function oneAtATime(): <Result>(action: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (action) => {
    const result = last.then(action);
    last = result.catch(() => {});
    return result;
  };
}

/** Starts the service on an embedded engine, or on the engine at `DYNAMODB_ENDPOINT`. */
export async function startFaultyService({
  timeout = requestTimeoutMs,
  ...more
}: Pick<ServiceOptions, 'onEvent' | 'authentication'> & {
  readonly timeout?: number;
} = {}): Promise<FaultyService> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const engine = given ? await existingEngine(given) : await startEngine(':memory:');
  const proxy = await startEngineProxy(engine.endpoint, port);
  port = Number(new URL(proxy.endpoint).port);
  const alone = oneAtATime();
  const service = await startCheckedService(
    { endpoint: proxy.endpoint, timeoutMs: timeout, ...more },
    async (location, options) => {
      const functions = await sourceFunctions(location, options);
      return { ...functions, onSchedule: () => alone(functions.onSchedule) };
    },
  );
  const client = testClient(engine.endpoint);
  return {
    service,
    proxy,
    engine,
    client,
    injectWithoutJobs: (injector, action) =>
      alone(async () => {
        proxy.inject(injector);
        try {
          return await action();
        } finally {
          proxy.inject(undefined);
        }
      }),
    send: async <Body>(method: string, path: string, body?: object, headers = {}) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? undefined : JSON.parse(text)) as Body,
      };
    },
    stop: async () => {
      client.destroy();
      proxy.inject(undefined);
      try {
        await service.stop();
      } finally {
        // service.stop() throws if a response did not match the OpenAPI document. The next proxy needs the port.
        await proxy.stop();
        await engine.stop();
      }
    },
  };
}
