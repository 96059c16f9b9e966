/** The whole service in one process: engine, table, gateway, and what works the stream and the schedule. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Authentication } from './authorizer.ts';
import { type Engine, existingEngine, startEngine } from './engine.ts';
import { type EventFunctions, EventSources } from './event-sources.ts';
import { createGateway, type GatewayOptions, type SentAnswer } from './gateway.ts';
import { loopback } from './port.ts';
import { sourceFunctions } from './source-functions.ts';
import { ensureTable, type TableShape } from './table.ts';

export interface ServiceOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** The address to listen on; 127.0.0.1, unless it is said. */
  readonly host?: string | undefined;
  /** Origins that browsers may call from, besides those of this machine; `*` allows any. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Where the embedded engine keeps its data; `:memory:` keeps nothing. */
  readonly databaseFile: string;
  /** The address of another engine. */
  readonly endpoint?: string | undefined;
  readonly tableName?: string | undefined;
  /** Records after which the table's stream is ended, and all is left to the schedule; as the engine needs it, unless it is said. */
  readonly longestStream?: number | undefined;
  /** Milliseconds that a function behind the gateway may take; as in the cloud, unless it is said. */
  readonly timeout?: number | undefined;
  /** Whose tokens are taken; none are asked for without. */
  readonly authentication?: Authentication | undefined;
  /** The claim that says whose data a token is for. */
  readonly tenantClaim?: string | undefined;
  /** Sees every event before a function does. */
  readonly onEvent?: ((event: APIGatewayProxyEventV2) => void) | undefined;
  /** Sees every answer as it goes out. */
  readonly onAnswer?: ((answer: SentAnswer) => void) | undefined;
}

export interface Service {
  readonly url: string;
  /** What holds the data, for people. */
  readonly engine: string;
  /** The address of the engine. */
  readonly endpoint: string;
  readonly tableName: string;
  /** Says why, when it cannot go on: its engine has ended. */
  readonly failed: Promise<Error>;
  stop(): Promise<void>;
}

/** What runs behind the gateway, wherever it comes from. */
export interface Hosted extends EventFunctions {
  readonly table: TableShape;
  readonly gateway: Omit<GatewayOptions, 'onEvent' | 'onAnswer'>;
  stop(): Promise<void>;
}

/** Where the data is, and what functions are told of it. */
export interface Database {
  readonly endpoint: string;
  readonly tableName: string;
  /** Whether it is the engine that this service started for itself. */
  readonly isEmbedded: boolean;
}

/** Returns the address to give to clients on this machine. */
function urlOf(host: string, port: number): string {
  const isLocal = [loopback, '0.0.0.0', '::', '::1'].includes(host);
  return `http://${isLocal ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/**
 * Starts everything.
 * @param host makes what runs behind the gateway.
 * @throws Error, with nothing left running, when the port is taken or no engine can run.
 */
export async function startService(
  options: ServiceOptions,
  host: (database: Database, options: ServiceOptions) => Promise<Hosted> = sourceFunctions,
): Promise<Service> {
  const { port, host: address = loopback, databaseFile, tableName = 'project-management' } = options;
  const engine: Engine = options.endpoint
    ? await existingEngine(options.endpoint)
    : await startEngine(databaseFile);
  const stops: (() => unknown)[] = [() => engine.stop()];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const { endpoint } = engine;
    const hosted = await host({ endpoint, tableName, isEmbedded: !options.endpoint }, options);
    stops.push(() => hosted.stop());
    const client = new DynamoDBClient({ endpoint });
    stops.push(() => client.destroy());
    const { longestStream = engine.longestStream } = options;
    await ensureTable(client, tableName, hosted.table, longestStream === undefined);

    const sources = new EventSources(hosted, { client, tableName, longestStream });
    await sources.start();
    stops.push(() => sources.stop());

    const { onEvent, onAnswer } = options;
    const server = createGateway({ ...hosted.gateway, onEvent, onAnswer });
    const actualPort = await listen(server, port, address);
    stops.push(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    });
    const url = urlOf(address, actualPort);
    return { url, engine: engine.name, endpoint, tableName, failed: engine.failed, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
