/** Requests of lists, from the event of API Gateway to the JSON of the response, in this process. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { handler as listProjects } from '../functions/projects/list-projects.ts';
import { processMemory } from '../functions/shared/store/lists/engine/process-memory.ts';
import type { ValueCount } from '../functions/shared/store/model/list-query.ts';
import { handler as listTasks } from '../functions/tasks/list-tasks.ts';
import { median } from './report.ts';

const handlers = { projects: listProjects, tasks: listTasks };

/** A collection whose lists are measured. */
export type Collection = keyof typeof handlers;

export interface ListRequest {
  readonly collection: Collection;
  /** The query string. */
  readonly query: string;
}

/** The JSON of a response. */
export interface ListBody {
  readonly data: readonly { readonly id: string }[];
  readonly total: number;
  readonly counts?: Readonly<Record<string, readonly ValueCount[]>>;
}

/** What a request costs. */
export interface Cost {
  readonly durationMs: number;
  readonly calls: number;
  readonly readUnits: number;
}

/** Milliseconds of an invocation. */
const invocationMs = 10_000;

const context = { getRemainingTimeInMillis: () => invocationMs } as Context;

/** Returns the event that API Gateway sends for a list. */
export function listEvent({ collection, query }: ListRequest): APIGatewayProxyEventV2 {
  const path = `/v1/${collection}`;
  const routeKey = `GET ${path}`;
  const now = Date.now();
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: query,
    queryStringParameters: Object.fromEntries(new URLSearchParams(query)),
    headers: { accept: 'application/json' },
    requestContext: {
      accountId: '',
      apiId: '',
      domainName: 'localhost',
      domainPrefix: '',
      http: { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' },
      requestId: 'request',
      routeKey,
      stage: '$default',
      time: new Date(now).toISOString(),
      timeEpoch: now,
    },
    isBase64Encoded: false,
  };
}

/**
 * Sends a request to the handler of a list. The environment is that of a stage.
 * @throws Error when the response is an error.
 */
export async function requestList(
  request: ListRequest,
): Promise<{ readonly body: ListBody; readonly cost: Cost }> {
  const event = listEvent(request);
  const started = performance.now();
  const { statusCode = 0, headers, body = '' } = await handlers[request.collection](event, context);
  const durationMs = performance.now() - started;
  if (statusCode !== 200) throw new Error(`${request.collection}?${request.query}: ${statusCode} ${body}`);
  const [, calls, readUnits] = /calls=(\d+), read=([\d.]+)/.exec(String(headers?.['server-timing'])) ?? [];
  return {
    body: JSON.parse(body) as ListBody,
    cost: { durationMs, calls: Number(calls), readUnits: Number(readUnits) },
  };
}

async function medianCost(request: ListRequest, runs: number, beforeEach: () => void): Promise<Cost> {
  const costs: Cost[] = [];
  for (let run = 0; run < runs; run += 1) {
    beforeEach();
    costs.push((await requestList(request)).cost);
  }
  return {
    durationMs: median(costs.map(({ durationMs }) => durationMs)),
    calls: median(costs.map(({ calls }) => calls)),
    readUnits: median(costs.map(({ readUnits }) => readUnits)),
  };
}

/** Returns the median cost of a request that is the first of its process and reads all columns. */
export const coldCost = (request: ListRequest, runs: number): Promise<Cost> =>
  medianCost(request, runs, () => processMemory.clear());

/** Returns the median cost of a request whose columns are in memory: those that the last request left there. */
export const warmCost = (request: ListRequest, runs: number): Promise<Cost> =>
  medianCost(request, runs, () => undefined);
