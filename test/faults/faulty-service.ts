import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { type Engine, existingEngine, startEngine } from '../../lib/local/dynamodb-engine.ts';
import type { Service, ServiceOptions } from '../../lib/local/service.ts';
import { startTestService } from '../support/local-service.ts';
import { type EngineProxy, startEngineProxy } from './engine-proxy.ts';

export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** The whole service, with a proxy between it and its engine that can be told to fail. */
export interface FaultyService {
  readonly service: Service;
  readonly proxy: EngineProxy;
  readonly engine: Engine;
  /** Sees the engine as it is, past the proxy. */
  readonly client: DynamoDBDocumentClient;
  /** Sends a request, with a JSON body if there is one. */
  send<Body = unknown>(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer<Body>>;
  stop(): Promise<void>;
}

/** Where proxies of this process listen, one after the other: the functions' client keeps the address that it began with. */
let port = 0;

/** Starts it on an embedded engine, or in the engine that `DYNAMODB_ENDPOINT` names. */
export async function startFaultyService({
  timeout,
  onEvent,
}: Pick<ServiceOptions, 'onEvent'> & { readonly timeout?: number } = {}): Promise<FaultyService> {
  const given = process.env['DYNAMODB_ENDPOINT'];
  const engine = given ? await existingEngine(given) : await startEngine(':memory:');
  const proxy = await startEngineProxy(engine.endpoint, port);
  port = Number(new URL(proxy.endpoint).port);
  const service = await startTestService({ endpoint: proxy.endpoint, timeoutMs: timeout, onEvent });
  const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: engine.endpoint }));
  return {
    service,
    proxy,
    engine,
    client,
    send: async <Body>(method: string, path: string, body?: object, headers = {}) => {
      const answer = await fetch(service.url + path, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: (text === '' ? undefined : JSON.parse(text)) as Body,
      };
    },
    stop: async () => {
      client.destroy();
      proxy.inject(undefined);
      await service.stop();
      await proxy.stop();
      await engine.stop();
    },
  };
}
