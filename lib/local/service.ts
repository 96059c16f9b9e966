/** The whole service in one process: engine, table, gateway, and what works the stream and the schedule. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { APIGatewayProxyEventV2, Context, ScheduledEvent } from 'aws-lambda';
import { methodsByPath, routes } from '../../functions/routes.ts';
import { fallbackFile, files, jobTimeout, requestTimeout, scheduleFile, streamFile } from '../functions.ts';
import { functionContext } from './context.ts';
import { type Engine, existingEngine, startEngine } from './engine.ts';
import { isAws, setEngineEnvironment } from './engine-environment.ts';
import { newRequestId } from './event.ts';
import { createGateway, type LambdaFunction, type SentAnswer } from './gateway.ts';
import { type StreamFunction, StreamReader } from './stream-reader.ts';
import { ensureTable } from './table.ts';

/** Milliseconds between two looks at what is due. In the cloud it is a minute; here someone may be watching. */
const schedulePeriod = 5_000;

export interface ServiceOptions {
  /** 0 takes any that is free. */
  readonly port: number;
  /** Where the embedded engine keeps its data; `:memory:` keeps nothing. */
  readonly databaseFile: string;
  /** The address of another engine. */
  readonly endpoint?: string | undefined;
  readonly tableName?: string | undefined;
  /** Milliseconds that a function behind the gateway may take; as in the cloud, unless it is said. */
  readonly timeout?: number | undefined;
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
  stop(): Promise<void>;
}

/** A handler that is loaded when it is first needed: forty at once would take a second of the start. */
function lazily<Handler extends (...values: never[]) => unknown>(file: string): Handler {
  let loaded: Promise<{ handler: Handler }> | undefined;
  return (async (...values: Parameters<Handler>) => {
    loaded ??= import(`../../functions/${file}`) as Promise<{ handler: Handler }>;
    return (await loaded).handler(...values);
  }) as unknown as Handler;
}

/** What the functions find in their environment. */
function setEnvironment(endpoint: string, tableName: string): void {
  setEngineEnvironment(endpoint);
  process.env['TABLE_NAME'] = tableName;
  process.env['ROUTES'] = JSON.stringify(methodsByPath);
  process.env['FILES'] = JSON.stringify(files);
  process.env['SERVER_TIMING'] = 'true';
}

/** What EventBridge sends when a rule's time has come. */
const scheduledEvent = (): ScheduledEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': 'Scheduled Event',
  source: 'aws.events',
  account: '000000000000',
  time: new Date().toISOString(),
  region: process.env['AWS_REGION'] ?? '',
  resources: [],
  detail: {},
});

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Calls a function again and again until it is stopped, one call at a time. */
function every(milliseconds: number, call: () => Promise<void>): { stop(): Promise<void> } {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(call).catch((error: unknown) => console.error('The schedule failed:', error));
  }, milliseconds);
  return {
    stop: () => {
      clearInterval(timer);
      return running;
    },
  };
}

/**
 * Starts everything.
 * @throws Error, with nothing left running, when the port is taken or no engine can run.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const {
    port,
    databaseFile,
    tableName = 'project-management',
    timeout = requestTimeout,
    onEvent,
    onAnswer,
  } = options;
  const engine: Engine = options.endpoint
    ? await existingEngine(options.endpoint)
    : await startEngine(databaseFile);
  const stops: (() => unknown)[] = [() => engine.stop()];
  const stop = async (): Promise<void> => {
    for (const one of stops.toReversed()) await one();
  };
  try {
    const { endpoint } = engine;
    setEnvironment(endpoint, tableName);
    const client = new DynamoDBClient({});
    const streamsEndpoint = isAws(endpoint)
      ? endpoint.replace('//dynamodb.', '//streams.dynamodb.')
      : endpoint;
    const streams = new DynamoDBStreamsClient({ endpoint: streamsEndpoint });
    stops.push(
      () => client.destroy(),
      () => streams.destroy(),
    );
    const streamArn = await ensureTable(client, tableName);

    const onStream =
      lazily<(...values: [Parameters<StreamFunction>[0], Context]) => ReturnType<StreamFunction>>(streamFile);
    const reader = new StreamReader(streams, streamArn, (event) =>
      onStream(event, functionContext(newRequestId(), jobTimeout)),
    );
    await reader.start();
    stops.push(() => reader.stop());

    const onSchedule = lazily<(event: ScheduledEvent, context: Context) => Promise<void>>(scheduleFile);
    const schedule = every(schedulePeriod, () =>
      onSchedule(scheduledEvent(), functionContext(newRequestId(), jobTimeout)),
    );
    stops.push(() => schedule.stop());

    const server = createGateway({
      routes: routes.flatMap(({ contract, file, methods }) => {
        const handler = lazily<LambdaFunction>(file);
        return methods.map((method) => ({ method, path: contract.path, function: handler }));
      }),
      fallback: lazily<LambdaFunction>(fallbackFile),
      timeout,
      onEvent,
      onAnswer,
    });
    const actualPort = await listen(server, port);
    stops.push(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      await closed;
    });
    return { url: `http://localhost:${actualPort}`, engine: engine.name, endpoint, tableName, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
