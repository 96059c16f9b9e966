/** The whole service in one process: database engine, table, gateway and schedule. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { closerOf } from './close-server.ts';
import { type Engine, existingEngine, startEngine } from './dynamodb-engine.ts';
import type { Fault } from './faults.ts';
import { createGateway } from './gateway.ts';
import type { FunctionHost, HostingOptions } from './hosted-functions.ts';
import type { TimedResponse } from './http-api.ts';
import { loopback } from './port.ts';
import { startSchedule } from './schedule.ts';
import { sourceFunctions } from './source-functions.ts';
import { ensureTable } from './table.ts';

export const defaultTableName = 'project-management';

export interface ServiceOptions extends HostingOptions {
  /** 0 selects any free port. */
  readonly port: number;
  /** Address to listen on. Default: 127.0.0.1. */
  readonly host?: string | undefined;
  /** Host names that requests may use, in addition to those of this machine and to `host`. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** File in which the embedded engine keeps its data; `:memory:` keeps nothing. */
  readonly databaseFile: string;
  readonly endpoint?: string | undefined;
  readonly tableName?: string | undefined;
  readonly onEvent?: ((event: APIGatewayProxyEventV2) => void) | undefined;
  readonly onResponse?: ((response: TimedResponse) => void) | undefined;
  /** Failures and delays of requests to operations. */
  readonly faults?: (() => Fault) | undefined;
}

export interface Service {
  readonly url: string;
  readonly engine: string;
  readonly endpoint: string;
  readonly tableName: string;
  /** Resolves to the reason when the service cannot continue because its engine ended. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

function urlOf(host: string, port: number): string {
  const isLocal = [loopback, '0.0.0.0', '::', '::1'].includes(host);
  return `http://${isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** @throws Error when the port is taken or no engine can run. Nothing is left running. */
export async function startService(
  options: ServiceOptions,
  hostFunctions: FunctionHost = sourceFunctions,
): Promise<Service> {
  const { port, host = loopback, databaseFile } = options;
  const engine: Engine = options.endpoint
    ? await existingEngine(options.endpoint)
    : await startEngine(databaseFile);
  const stops: (() => unknown)[] = [() => engine.stop()];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const { endpoint } = engine;
    const location = { endpoint, tableName: options.tableName ?? defaultTableName };
    const functions = await hostFunctions(location, options);
    const { tableName } = functions;
    stops.push(() => functions.stop());
    const client = new DynamoDBClient({ endpoint });
    await ensureTable(client, tableName, { shape: functions.table, stream: functions.needsStream }).finally(
      () => client.destroy(),
    );
    await functions.startEventSources?.();
    const schedule = startSchedule(functions.onSchedule);
    stops.push(() => schedule.stop());

    const { allowedHosts = [], allowedOrigins, onEvent, onResponse, faults } = options;
    const allowed = { hosts: [host.toLowerCase(), ...allowedHosts], origins: allowedOrigins };
    const server = createGateway({ ...functions.gateway, allowed, onEvent, onResponse, faults });
    functions.live?.attach(server, allowed);
    const close = closerOf(server);
    const actualPort = await listen(server, port, host);
    stops.push(close);
    const url = urlOf(host, actualPort);
    functions.setAddress(url);
    return { url, engine: engine.name, endpoint, tableName, failed: engine.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
