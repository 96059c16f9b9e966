/** Requests of lists, from the event of API Gateway to the JSON of the response, in this process. */
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import { processMemory } from '../functions/engine/columns/process-memory.ts';
import type { ValueCount } from '../functions/engine/model/list-query.ts';
import { handler as listProjects } from '../functions/projects/list-projects.ts';
import { handler as listTasks } from '../functions/tasks/list-tasks.ts';
import { median, percentile } from './report.ts';

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
  /** Bytes of the body of the response. */
  readonly bytes: number;
}

/** A figure over all runs. */
interface Spread {
  readonly min: number;
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/** The medians of several runs, and how far the runs are apart. */
export interface MeasuredCost extends Cost {
  readonly spread: Readonly<Record<keyof Cost, Spread>>;
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
    cost: {
      durationMs,
      calls: Number(calls),
      readUnits: Number(readUnits),
      bytes: Buffer.byteLength(body),
    },
  };
}

const spreadOf = (values: readonly number[]): Spread => ({
  min: Math.min(...values),
  median: median(values),
  p99: percentile(values, 0.99),
  max: Math.max(...values),
});

async function measureCost(
  request: ListRequest,
  runs: number,
  beforeEach: () => void,
): Promise<MeasuredCost> {
  const costs: Cost[] = [];
  for (let run = 0; run < runs; run += 1) {
    beforeEach();
    costs.push((await requestList(request)).cost);
  }
  const spread = {
    durationMs: spreadOf(costs.map(({ durationMs }) => durationMs)),
    calls: spreadOf(costs.map(({ calls }) => calls)),
    readUnits: spreadOf(costs.map(({ readUnits }) => readUnits)),
    bytes: spreadOf(costs.map(({ bytes }) => bytes)),
  };
  return {
    durationMs: spread.durationMs.median,
    calls: spread.calls.median,
    readUnits: spread.readUnits.median,
    bytes: spread.bytes.median,
    spread,
  };
}

/** Returns the median cost of a request that is the first of its process and reads all columns. */
export const coldCost = (request: ListRequest, runs: number): Promise<MeasuredCost> =>
  measureCost(request, runs, () => processMemory.clear());

/** Returns the median cost of a request whose columns are in memory: those that the last request left there. */
export const warmCost = (request: ListRequest, runs: number): Promise<MeasuredCost> =>
  measureCost(request, runs, () => undefined);
