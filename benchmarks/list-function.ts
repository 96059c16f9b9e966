/** Measures the CPU time and the memory of the deployed function that lists tasks, in a process of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ListQuery } from '../functions/shared/store/model/list-query.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { functionEnvironment, Host } from './host.ts';
import { median } from './report.ts';

/** Lists of a process after the first one. */
const furtherRuns = 5;

/** What a list costs a process of the function. */
export interface ProcessCost {
  /** CPU milliseconds of the first request, which reads the columns. */
  readonly firstMs: number;
  /** CPU milliseconds of the next ones. */
  readonly nextMs: number;
  /** Memory of the process after these requests. */
  readonly residentBytes: number;
}

type PageQuery = Pick<ListQuery, 'filters' | 'sortBy' | 'sortOrder' | 'page' | 'limit'>;

/** Returns the event that API Gateway sends for a list of tasks. */
function eventOf({ filters, sortBy, sortOrder, page, limit }: PageQuery): object {
  const parameters = {
    ...Object.fromEntries(filters),
    sortBy,
    sortOrder,
    page: String(page),
    limit: String(limit),
  };
  const [path, routeKey] = ['/v1/tasks', 'GET /v1/tasks'];
  return {
    version: '2.0',
    routeKey,
    rawPath: path,
    rawQueryString: new URLSearchParams(parameters).toString(),
    queryStringParameters: parameters,
    headers: { accept: 'application/json' },
    requestContext: {
      http: { method: 'GET', path, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: '' },
      requestId: 'request',
      routeKey,
      stage: '$default',
      timeEpoch: Date.now(),
    },
    isBase64Encoded: false,
  };
}

/** The deployed function, on one engine. */
export class ListFunction {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-lists-'));

  /** Bundles the function. */
  async bundle(): Promise<void> {
    await bundleFunctions(this.#directory);
  }

  /** Lists several times, in a new process. */
  async measure({ endpoint, tableName }: TestStore, query: PageQuery): Promise<ProcessCost> {
    const file = join(this.#directory, 'tasks/list-tasks/index.js');
    const host = await Host.start(file, functionEnvironment(endpoint, tableName));
    const event = eventOf(query);
    const first = await host.run([event]);
    const next: number[] = [];
    let { residentBytes } = first;
    for (let run = 0; run < furtherRuns; run += 1) {
      const duration = await host.run([event]);
      next.push(duration.cpuMs);
      residentBytes = Math.max(residentBytes, duration.residentBytes);
    }
    await host.stop();
    return { firstMs: first.cpuMs, nextMs: median(next), residentBytes };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
