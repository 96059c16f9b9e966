/** Provides what the contestants run on: an engine with data, and the events that API Gateway sends. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Contract } from '../functions/contract/contract.ts';
import { methodsByPath, routes } from '../functions/routes.ts';
import { packRoutes } from '../functions/runtime/packed-routes.ts';
import { crossOrigin } from '../lib/hosting/cors.ts';
import { siteFolder } from '../lib/hosting/functions.ts';
import { inMemory } from '../lib/local/dynamodb-engine.ts';
import { createGateway } from '../lib/local/gateway.ts';
import { startService } from '../lib/local/service.ts';
import { bodyFor, type Ids, references } from '../test/simulation/operations.ts';
import { requireEntity } from './available.ts';
import { documentInput } from './dynamodb-json.ts';
import { startEngineProxy } from './engine-proxy.ts';
import { functionEnvironment } from './host.ts';

/** A call to DynamoDB. */
interface Call {
  readonly operation: string;
  readonly input: unknown;
}

/** The calls of one request. The calls of a wave run in parallel, as in the service. */
export interface Calls {
  readonly waves: readonly (readonly Call[])[];
}

export interface Stage {
  /** Returns the environment of a function. @param isRecorded whether to record its calls. */
  environment(isRecorded?: boolean): Readonly<Record<string, string>>;
  /** Returns the event of a request that succeeds. Each call returns the event of a new request. */
  event(contract: Contract): Promise<APIGatewayProxyEventV2>;
  /** Returns the calls since the last invocation of this method, changed for the replay. */
  recorded(): Calls;
  /**
   * Copies all data to the tenant of the replay. Recorded calls then have the same effect and the same cost in the engine
   * as the original calls.
   */
  copyForReplay(): Promise<void>;
  readonly endpoint: string;
  readonly tableName: string;
  stop(): Promise<void>;
}

interface RecordedCall extends Call {
  readonly startMs: number;
  endMs: number;
}

const tenant = /^public#/;

/** Changes the tenant and removes the token: DynamoDB would not execute a transaction with the same token again. */
function forReplay(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(tenant, 'replay#');
  if (Array.isArray(value)) return value.map(forReplay);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'ClientRequestToken');
  return Object.fromEntries(fields.map(([name, field]) => [name, forReplay(field)]));
}

/** Groups calls into waves. Calls that overlap in time belong to one wave. */
function wavesOf(calls: readonly RecordedCall[]): Calls {
  const waves: Call[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { startMs, endMs, operation, input } of calls) {
    if (startMs >= end) waves.push([]);
    waves.at(-1)?.push({ operation, input: forReplay(documentInput(input)) });
    end = Math.max(end, endMs);
  }
  return { waves };
}

/** Creates events by sending requests to the local gateway. */
async function eventMaker() {
  let latest: APIGatewayProxyEventV2 | undefined;
  const keep = async (event: APIGatewayProxyEventV2) => {
    latest = event;
    return { statusCode: 204 };
  };
  const gateway = createGateway({
    routes: routes.map(({ contract }) => ({ method: contract.method, path: contract.path, function: keep })),
    fallback: keep,
    timeoutMs: 10_000,
    crossOrigin,
  });
  gateway.listen(0);
  await once(gateway, 'listening');
  const url = `http://localhost:${(gateway.address() as AddressInfo).port}`;
  return {
    make: async (method: string, path: string, body?: object): Promise<APIGatewayProxyEventV2> => {
      await fetch(url + path, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      if (!latest) throw new Error(`${method} ${path} did not create an event.`);
      return latest;
    },
    stop: () => {
      gateway.close();
      gateway.closeAllConnections();
    },
  };
}

/** Starts a service with one entity of each kind and a page of projects. */
export async function setStage(): Promise<Stage> {
  const service = await startService({ port: 0, databaseFile: inMemory });
  const { endpoint, tableName } = service;

  const make = (plural: string, ids: Ids): Promise<string> =>
    requireEntity(`${service.url}/v1/${plural}`, {
      name: 'Created for a benchmark',
      ...(plural === 'projects' && { description: 'x'.repeat(164) }),
      ...references(ids)[plural],
    });
  const ids: Record<string, string> = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks'])
    ids[plural] = await make(plural, ids);
  for (let project = 1; project < 40; project += 1) await make('projects', ids);

  const events = await eventMaker();
  const proxy = await startEngineProxy(endpoint);
  let calls: RecordedCall[] = [];
  proxy.inject(async ({ operation, body }, pass) => {
    const call = { operation, input: body, startMs: performance.now(), endMs: Number.POSITIVE_INFINITY };
    calls.push(call);
    const reply = await pass();
    call.endMs = performance.now();
    return reply;
  });
  return {
    endpoint,
    tableName,
    environment: (isRecorded = false) => ({
      ...functionEnvironment(isRecorded ? proxy.endpoint : endpoint, tableName),
      ROUTES: packRoutes(methodsByPath),
      SITE_FOLDER: siteFolder,
    }),
    event: async (contract) => {
      const [, , plural = ''] = contract.path.split('/');
      // Each deletion needs an entity of its own, without children.
      const id = contract.success === 'deleted' ? await make(plural, ids) : ids[plural];
      const path = contract.path.replace('{id}', id ?? '');
      return events.make(contract.method, path, bodyFor(contract, ids));
    },
    recorded: () => {
      const taken = calls;
      calls = [];
      return wavesOf(taken);
    },
    copyForReplay: async () => {
      const client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint }));
      for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName })) {
        for (const Item of Items) {
          const copy = forReplay(Item) as Record<string, unknown>;
          if (copy['pk'] !== Item['pk'])
            await client.send(new PutCommand({ TableName: tableName, Item: copy }));
        }
      }
      client.destroy();
    },
    stop: async () => {
      events.stop();
      await proxy.stop();
      await service.stop();
    },
  };
}
