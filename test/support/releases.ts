/** This release and the last one, as functions that use one table. */
import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { jobTimeoutMs, scheduleFile } from '#lib/hosting/functions.ts';
import type { Authentication } from '#lib/local/authorizer.ts';
import { startEngine } from '#lib/local/dynamodb-engine.ts';
import type { FunctionHost } from '#lib/local/hosted-functions.ts';
import type { LambdaFunction } from '#lib/local/http-api.ts';
import { functionContext, scheduledEvent } from '#lib/local/lambda-context.ts';
import { newRequestId } from '#lib/local/lambda-event.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { loadHandler, sourceFunctions } from '#lib/local/source-functions.ts';
import { bundleFile } from '#lib/release/last-release.ts';
import type { FaultyService } from '../faults/faulty-service.ts';

type Entry = typeof import('#lib/release/release-entry.ts');

/** A function of Lambda. */
type Handler = (event: object, context: Context) => Promise<unknown>;

export interface Release extends Entry {
  readonly name: 'this release' | 'the last release';
  /** Returns the function of a file. */
  functionOf<Found = Handler>(file: string): Promise<Found>;
}

export async function loadThisRelease(): Promise<Release> {
  const entry = await import('#lib/release/release-entry.ts');
  return { ...entry, name: 'this release', functionOf: loadHandler };
}

export async function loadLastRelease(): Promise<Release> {
  const { functions, ...entry } = (await import(bundleFile)) as Entry & {
    readonly functions: Readonly<Record<string, unknown>>;
  };
  return {
    ...entry,
    name: 'the last release',
    functionOf: async <Found>(file: string) => {
      if (!(file in functions)) throw new Error(`The last release has no function ${file}.`);
      return functions[file] as Found;
    },
  };
}

/** Runs the schedule of a release once. */
export async function runSchedule(release: Release): Promise<void> {
  const handler = await release.functionOf(scheduleFile);
  await handler(scheduledEvent(), functionContext(newRequestId(), jobTimeoutMs));
}

/**
 * Hosts the operations of a release behind the local gateway, and its schedule if asked for. Operations that it does not have are missing.
 */
const hostOf =
  (release: Release, hasSchedule: boolean): FunctionHost =>
  async (location, options) => {
    const { startEventSources: _, ...host } = await sourceFunctions(location, options);
    const disconnect = release.connectFunctions();
    const routes = await Promise.all(
      host.gateway.routes.map(async (route) => {
        const own = release.routes.find(
          ({ path, methods }) => path === route.path && (methods as readonly string[]).includes(route.method),
        );
        return own ? [{ ...route, function: await release.functionOf<LambdaFunction>(own.file) }] : [];
      }),
    );
    const gateway = { ...host.gateway, routes: routes.flat() };
    const stop = async (): Promise<void> => {
      disconnect();
      await host.stop();
    };
    const onSchedule = async (): Promise<void> => {
      if (hasSchedule) await runSchedule(release);
    };
    return { ...host, gateway, onSchedule, stop };
  };

/** A release whose functions take requests. */
export interface RunningRelease {
  readonly release: Release;
  readonly send: FaultyService['send'];
}

interface RunningReleases {
  readonly tableName: string;
  /** The last release and this one. */
  readonly running: readonly [RunningRelease, RunningRelease];
  stop(): Promise<void>;
}

/** Starts the last release and this one on one table of an engine of its own. */
export async function startReleases({
  hasSchedule = true,
  ...options
}: {
  readonly hasSchedule?: boolean;
  readonly authentication?: Authentication;
} = {}): Promise<RunningReleases> {
  const engine = await startEngine(':memory:');
  const tableName = randomUUID();
  const services: Service[] = [];
  const start = async (release: Release): Promise<RunningRelease> => {
    const own = { port: 0, databaseFile: '', endpoint: engine.endpoint, tableName };
    const service = await startService({ ...own, ...options }, hostOf(release, hasSchedule));
    services.push(service);
    const send = async <Body>(method: string, path: string, body?: object, headers = {}) => {
      const response = await fetch(service.url + path, {
        method,
        headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const parsed = (text === '' ? undefined : JSON.parse(text)) as Body;
      return { status: response.status, headers: response.headers, body: parsed };
    };
    return { release, send };
  };
  // One after the other: the first one creates the table.
  const running = [await start(await loadLastRelease()), await start(await loadThisRelease())] as const;
  return {
    tableName,
    running,
    stop: async () => {
      for (const service of services) await service.stop();
      await engine.stop();
    },
  };
}
