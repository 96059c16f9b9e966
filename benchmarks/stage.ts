/** Where contestants run: an engine with something in it, and the events that API Gateway would send for requests. */

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { methodsByPath, routes } from '../functions/routes.ts';
import type { Contract } from '../functions/shared/contract/contract.ts';
import { crossOrigin } from '../lib/hosting/cross-origin.ts';
import { files } from '../lib/hosting/functions.ts';
import { inMemory } from '../lib/local/engine.ts';
import { createGateway } from '../lib/local/gateway.ts';
import { startService } from '../lib/local/service.ts';
import { startEngineProxy } from '../test/faults/engine-proxy.ts';
import { bodyFor, type Ids, references } from '../test/faults/operations.ts';

/** One call to DynamoDB. */
export interface Call {
  readonly operation: string;
  readonly input: unknown;
}

/** The calls of one request: those of a wave are made at once, as the service makes them. */
export interface Calls {
  readonly waves: readonly (readonly Call[])[];
}

export interface Stage {
  /** What a function finds in its environment. @param isRecorded whether its calls can be told. */
  environment(isRecorded?: boolean): Readonly<Record<string, string>>;
  /** The event for a request that succeeds, as often as it is asked for. */
  event(contract: Contract): Promise<APIGatewayProxyEventV2>;
  /** The calls since it was last asked, as `replay` is to make them. */
  recorded(): Calls;
  /**
   * Copies all there is to the tenant that recorded calls are made again for: made in their order, they do there what they
   * did, and cost the engine what they cost.
   */
  copyForReplay(): Promise<void>;
  readonly endpoint: string;
  readonly tableName: string;
  stop(): Promise<void>;
}

interface RecordedCall extends Call {
  readonly begun: number;
  ended: number;
}

/** Members whose values are in DynamoDB's JSON. */
const marshalled = new Set(['Key', 'Item', 'ExpressionAttributeValues', 'ExclusiveStartKey']);

const tenant = /^public#/;

/** The same of another tenant, and without the token: a transaction with it would be taken for one that was done. */
function forReplay(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(tenant, 'replay#');
  if (Array.isArray(value)) return value.map(forReplay);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== 'ClientRequestToken');
  return Object.fromEntries(members.map(([name, member]) => [name, forReplay(member)]));
}

/** The input of a call of the document client, from the one that went over the wire. */
function documentInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(documentInput);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (marshalled.has(name)) return [name, unmarshall(member as Parameters<typeof unmarshall>[0])];
      if (name === 'Keys')
        return [name, (member as Parameters<typeof unmarshall>[0][]).map((key) => unmarshall(key))];
      return [name, documentInput(member)];
    }),
  );
}

/** Calls that were under way at the same time are of one wave. */
function wavesOf(calls: readonly RecordedCall[]): Calls {
  const waves: Call[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const { begun, ended, operation, input } of calls) {
    if (begun >= end) waves.push([]);
    waves.at(-1)?.push({ operation, input: forReplay(documentInput(input)) });
    end = Math.max(end, ended);
  }
  return { waves };
}

/** Sends requests to the gateway of this machine, and keeps the events that it makes of them. */
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
      if (!latest) throw new Error(`${method} ${path} made no event.`);
      return latest;
    },
    stop: () => {
      gateway.close();
      gateway.closeAllConnections();
    },
  };
}

/** Starts an engine, and puts something to read into it: each kind once, and a page of projects. */
export async function setStage(): Promise<Stage> {
  const service = await startService({ port: 0, databaseFile: inMemory });
  const { endpoint, tableName } = service;

  const make = async (plural: string, ids: Ids): Promise<string> => {
    const answer = await fetch(`${service.url}/v1/${plural}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        name: 'Made for a measurement',
        ...(plural === 'projects' && { description: 'x'.repeat(164) }),
        ...references(ids)[plural],
      }),
    });
    if (answer.status !== 201) throw new Error(`${plural}: ${answer.status} ${await answer.text()}`);
    return ((await answer.json()) as { id: string }).id;
  };
  const ids: Record<string, string> = {};
  for (const plural of ['organizations', 'projects', 'users', 'tags', 'tasks'])
    ids[plural] = await make(plural, ids);
  for (let project = 1; project < 40; project += 1) await make('projects', ids);

  const events = await eventMaker();
  const proxy = await startEngineProxy(endpoint);
  let calls: RecordedCall[] = [];
  proxy.inject(async ({ operation, body }, pass) => {
    const call = { operation, input: body, begun: performance.now(), ended: Number.POSITIVE_INFINITY };
    calls.push(call);
    const reply = await pass();
    call.ended = performance.now();
    return reply;
  });
  return {
    endpoint,
    tableName,
    environment: (isRecorded = false) => ({
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      AWS_ENDPOINT_URL_DYNAMODB: isRecorded ? proxy.endpoint : endpoint,
      TABLE_NAME: tableName,
      ROUTES: JSON.stringify(methodsByPath),
      FILES: JSON.stringify(files),
      LOG_LEVEL: 'ERROR',
    }),
    event: async (contract) => {
      const [, , plural = ''] = contract.path.split('/');
      // What is deleted must be there, and nothing may be in it.
      const id = contract.success === 'deleted' ? await make(plural, ids) : ids[plural];
      const path = contract.path.replace('{id}', id ?? '').replace('{file}', 'style.css');
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
