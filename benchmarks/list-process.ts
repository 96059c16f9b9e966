/** Lists of the deployed functions, each in a process of its own: cold, as the first list of a tenant, and warm. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Contract } from '../functions/contract/contract.ts';
import { allProjectsScope } from '../functions/contract/scopes.ts';
import type { ValueCount } from '../functions/engine/model/list-query.ts';
import { listProjects } from '../functions/projects/contract.ts';
import { resources } from '../functions/schema.ts';
import { listTasks } from '../functions/tasks/contract.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { operationEvent } from '../lib/local/operation-event.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { usualOrSmallest } from './form.ts';
import { functionEnvironment, Host } from './host.ts';
import { median } from './report.ts';
import { otherTenantName, tenantName } from './task-collection.ts';

const functions = {
  projects: { contract: listProjects, folder: 'projects/list-projects' },
  tasks: { contract: listTasks, folder: 'tasks/list-tasks' },
};

/** A screen expands references: it needs the scopes of all kinds. */
const readScopes = resources.map(({ plural }) => `${plural}:read`);

/** Lists of another tenant before the first one of the tenant: V8 compiles the code. */
const warmUpLists = usualOrSmallest(30, 1);

/**
 * Lists of a process before the warm ones. The first ones read the entities of the page by key, until that has cost as much as their columns:
 * twenty lists or more, where a segment is full.
 */
export const settlingLists = usualOrSmallest(60, 2);

export interface ListRequest {
  readonly collection: keyof typeof functions;
  /** The query string. */
  readonly query: string;
  /** Whether the caller sees only the projects that are not private. By default it sees all. */
  readonly isViewer?: boolean;
}

/** The JSON of a response. */
export interface ListBody {
  readonly data: readonly { readonly id: string }[];
  readonly total: number;
  readonly counts?: Readonly<Record<string, readonly ValueCount[]>>;
}

/** What a list costs. */
export interface Cost {
  readonly durationMs: number;
  /** CPU time of the process of the function. */
  readonly cpuMs: number;
  readonly calls: number;
  readonly readUnits: number;
  /** Memory of the process. */
  readonly residentBytes: number;
}

/** What a list costs by what its process has done before: medians. */
export interface ListCosts {
  /** The first list of a new process. */
  readonly cold: Cost;
  /** The first list of a tenant in a process that has listed the tasks of another one. */
  readonly first: Cost;
  /** Read units of all lists of the process before the warm ones. */
  readonly settlingUnits: number;
  /** Later lists. Their memory is the highest. */
  readonly warm: Cost;
}

/** A process of a function. */
export class ListProcess {
  readonly #host: Host;
  readonly #contract: Contract;
  readonly #scope: string;

  constructor(host: Host, { collection, isViewer }: Omit<ListRequest, 'query'>) {
    this.#host = host;
    this.#contract = functions[collection].contract;
    this.#scope = [...readScopes, ...(isViewer ? [] : [allProjectsScope])].join(' ');
  }

  async list(query: string, tenant = tenantName): Promise<{ readonly body: ListBody; readonly cost: Cost }> {
    const claims = { tenant, sub: 'user', scope: this.#scope };
    const event = operationEvent(this.#contract, { query, claims });
    const { wallMs: durationMs, cpuMs, residentBytes, response } = await this.#host.run([event]);
    const [, calls, readUnits] =
      /calls=(\d+), read=([\d.]+)/.exec(response.headers['server-timing'] ?? '') ?? [];
    const cost = { durationMs, cpuMs, calls: Number(calls), readUnits: Number(readUnits), residentBytes };
    return { body: JSON.parse(response.body) as ListBody, cost };
  }

  stop(): Promise<void> {
    return this.#host.stop();
  }
}

const medianOf = (costs: readonly Cost[]): Cost => {
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]));
  return {
    durationMs: of('durationMs'),
    cpuMs: of('cpuMs'),
    calls: of('calls'),
    readUnits: of('readUnits'),
    residentBytes: Math.max(...costs.map(({ residentBytes }) => residentBytes)),
  };
};

/** The deployed functions, on one table. */
export class ListFunctions {
  readonly #directory = mkdtempSync(join(tmpdir(), 'bench-lists-'));
  readonly #environment: Readonly<Record<string, string>>;

  constructor({ endpoint, tableName }: Pick<TestStore, 'endpoint' | 'tableName'>) {
    const environment = functionEnvironment(endpoint, tableName);
    this.#environment = { ...environment, SERVER_TIMING: 'true', TENANT_CLAIM: 'tenant' };
  }

  async bundle(): Promise<void> {
    await bundleFunctions(this.#directory);
  }

  async start(request: Omit<ListRequest, 'query'>): Promise<ListProcess> {
    const file = join(this.#directory, functions[request.collection].folder, 'index.js');
    return new ListProcess(await Host.start(file, this.#environment), request);
  }

  /** Lists once, in a process that ends. */
  async list(request: ListRequest): Promise<{ readonly body: ListBody; readonly cost: Cost }> {
    const process = await this.start(request);
    const listed = await process.list(request.query);
    await process.stop();
    return listed;
  }

  /** Measures a list in new processes. @param warmRuns lists of each process that are measured warm. */
  async measure(
    request: ListRequest,
    { processes, warmRuns }: { readonly processes: number; readonly warmRuns: number },
  ): Promise<ListCosts> {
    const [cold, first, warm]: [Cost[], Cost[], Cost[]] = [[], [], []];
    const settlingUnits: number[] = [];
    for (let number = 0; number < processes; number += 1) {
      cold.push((await this.list(request)).cost);
      const process = await this.start(request);
      for (let list = 0; list < warmUpLists; list += 1) await process.list(request.query, otherTenantName);
      const settling: Cost[] = [];
      while (settling.length < settlingLists) settling.push((await process.list(request.query)).cost);
      first.push(...settling.slice(0, 1));
      settlingUnits.push(settling.reduce((sum, { readUnits }) => sum + readUnits, 0));
      for (let list = 0; list < warmRuns; list += 1) warm.push((await process.list(request.query)).cost);
      await process.stop();
    }
    return {
      cold: medianOf(cold),
      first: medianOf(first),
      settlingUnits: median(settlingUnits),
      warm: medianOf(warm),
    };
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
