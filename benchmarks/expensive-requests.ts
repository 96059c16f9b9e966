/**
 * Searches for the requests that use the most read units, write units and CPU, over a tenant of 10,000 tasks whose texts have all sizes: random
 * combinations of operations, filters, orders, expansions, fields, limits, texts, references and batches. The most expensive ones are mutated.
 */

import { buildCreate } from '../functions/engine/model/changes.ts';
import type { Fields } from '../functions/engine/model/entity.ts';
import { referencesOf } from '../functions/engine/model/relations.ts';
import { applyInBatches } from '../functions/engine/write/commit.ts';
import { routes } from '../functions/routes.ts';
import { forEach } from '../functions/runtime/for-each.ts';
import { type Kind, resources } from '../functions/schema.ts';
import { requestTimeoutMs } from '../lib/hosting/functions.ts';
import type { LambdaFunction } from '../lib/local/http-api.ts';
import { functionContext } from '../lib/local/lambda-context.ts';
import { type OperationRequest, operationEvent } from '../lib/local/operation-event.ts';
import { docsOf } from '../lib/openapi/resources.ts';
import { compactAll } from '../test/support/compaction.ts';
import type { TestStore } from '../test/support/local-store.ts';
import { usualOrSmallest } from './form.ts';
import { type Genes, newGenes } from './genes.ts';
import { type Ids, randomRequest, type Target } from './random-request.ts';

/** What a request uses. */
export interface Usage {
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Milliseconds of CPU of this process, which has the function and not the engine. */
  readonly cpuMs: number;
}

export interface ExpensiveRequest {
  readonly description: string;
  readonly status: number;
  readonly usage: Usage;
}

const measures = ['readUnits', 'writeUnits', 'cpuMs'] as const;

/** Read and write units of one request, at most. */
export const maxUnits = 1_000;

/** Returns all kinds, each after those that it refers to. */
function kindsByReference(): Kind[] {
  const ordered: Kind[] = [];
  const add = (kind: Kind): void => {
    if (ordered.includes(kind)) return;
    for (const { parent } of referencesOf(kind)) if (parent !== kind) add(parent as Kind);
    ordered.push(kind);
  };
  for (const { kind } of resources) add(kind);
  return ordered;
}

const kinds = kindsByReference();

const tenant = 'hostile';
const claims = {
  tenant,
  sub: 's',
  scope: kinds.flatMap((kind) => [`${kind}s:read`, `${kind}s:write`]).join(' '),
};

/** Tasks of all kinds, those with the longest texts among them, and tags. */
const amounts: Partial<Record<Kind, number>> = {
  organization: 20,
  user: 200,
  tag: usualOrSmallest(2_000, 500),
  project: 60,
  task: usualOrSmallest(10_000, 600),
};

const defaultAmount = 200;

/** Tasks of each of the first projects, as many as one transaction can delete with their texts. */
const denseTasks = 48;
const denseProjects = usualOrSmallest(30, 4);

/** Requests of random shapes, and of mutated ones, for each measure. */
const samples = usualOrSmallest(1_200, 60);
const generations = usualOrSmallest(8, 1);
const survivors = 12;
/** Requests of each measure in the report. */
const shown = 8;
const children = usualOrSmallest(6, 2);

/** Writes after which compaction absorbs the logs, as the functions do in the background. */
const writesUntilCompaction = 25;

const longText = '😀'.repeat(10_000);
const longName = '😀'.repeat(255);

/** Returns the fields of an entity. Every fourth has the longest texts, every other fourth one beside its entity. */
function textsOf(position: number): { name: string; description: string } {
  const description = ['', longText, 'short', 'é'.repeat(1_000)][position % 4] ?? '';
  return { name: position % 4 === 1 ? longName : `name ${position}`, description };
}

/** Entities in one transaction, so that their texts fit. */
const batchSize = 40;

class Tenant {
  readonly store: TestStore;
  readonly ids = Object.fromEntries(kinds.map((kind): [Kind, string[]] => [kind, []])) as Ids;
  #unabsorbedWrites = 0;

  constructor(store: TestStore) {
    this.store = store;
  }

  /** Returns consecutive tags, so that the tasks of a page have different ones. */
  #tagIds(position: number, count: number): string[] {
    const { tag } = this.ids;
    return Array.from({ length: count }, (_, number) => tag[(position * count + number) % tag.length] ?? '');
  }

  #fieldsOf(kind: Kind, position: number): object {
    const at = (parent: Kind, place: number): string =>
      this.ids[parent][place % this.ids[parent].length] ?? '';
    const { name, description } = textsOf(position);
    const organizationId = kind === 'organization' ? '' : at('organization', position);
    const isDense = position < denseProjects * denseTasks;
    const fields: Partial<Record<Kind, object>> = {
      organization: { name, description },
      user: { name, email: null, organizationId },
      tag: { name, description, color: '#808080', organizationId },
      project: { name, description, startDate: null, endDate: null, organizationId },
      task: {
        ...(isDense ? { name: longName, description: longText } : { name, description }),
        priority: ['none', 'low', 'high', 'urgent'][position % 4],
        projectId: at('project', isDense ? Math.floor(position / denseTasks) : position),
        userId: at('user', position),
        dueDate: position % 3 === 0 ? null : `2026-0${1 + (position % 9)}-01`,
        tagIds: this.#tagIds(position, isDense ? ([5, 4, 50][position % 3] ?? 0) : position % 6),
      },
    };
    return { status: 'active', ...(fields[kind] ?? this.#exampleOf(kind, position)) };
  }

  /** Returns the fields of the example in the documentation, with references to entities of this tenant. */
  #exampleOf(kind: Kind, position: number): object {
    const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...example } = docsOf({ kind }).example;
    const references = referencesOf(kind).map(({ field, parent, isArray }) => {
      const ids = this.ids[parent as Kind];
      const id = ids[position % ids.length];
      return [field, isArray ? [id] : id] as const;
    });
    return { ...example, ...Object.fromEntries(references) };
  }

  /** Creates the entities of some positions. They take the place of those that were there. */
  async #create(kind: Kind, positions: readonly number[]): Promise<void> {
    const changes = positions.map((position) => {
      const change = buildCreate(kind, this.#fieldsOf(kind, position) as Fields, Date.now());
      this.ids[kind][position] = change.after.entity.id;
      return { changes: [change] };
    });
    const batches = Array.from({ length: Math.ceil(changes.length / batchSize) }, (_, batch) =>
      changes.slice(batch * batchSize, (batch + 1) * batchSize),
    );
    const write = (batch: typeof changes) =>
      applyInBatches(this.store.session(`@${tenant}`), batch, batchSize);
    await forEach(batches, 3, write);
  }

  async fill(): Promise<void> {
    for (const kind of kinds) await this.#create(kind, [...Array(amounts[kind] ?? defaultAmount).keys()]);
    await this.compact();
  }

  async compact(): Promise<void> {
    for (const kind of kinds) await compactAll(this.store.database(600_000), `@${tenant}`, kind);
    this.#unabsorbedWrites = 0;
  }

  /** Replaces deleted entities, and the tasks of deleted projects. */
  async #replace(kind: Kind, ids: readonly string[]): Promise<void> {
    const positions = ids.map((id) => this.ids[kind].indexOf(id)).filter((position) => position >= 0);
    await this.#create(kind, positions);
    if (kind !== 'project') return;
    for (const project of positions.filter((position) => position < denseProjects)) {
      await this.#create(
        'task',
        Array.from({ length: denseTasks }, (_, number) => project * denseTasks + number),
      );
    }
  }

  /** Replaces what a request deleted, and absorbs the records of the last requests. */
  async settle({ contract, targets }: Target, status: number): Promise<void> {
    if (contract.method === 'GET' || status >= 300) return;
    await this.#replace(contract.resource.kind as Kind, targets);
    this.#unabsorbedWrites += 1;
    if (this.#unabsorbedWrites >= writesUntilCompaction) await this.compact();
  }
}

/** The handlers of all operations on entities. */
async function loadHandlers(): Promise<Map<string, LambdaFunction>> {
  const handlers = new Map<string, LambdaFunction>();
  for (const { contract, file } of routes.filter((route) => 'resource' in route.contract)) {
    const { handler } = (await import(`../functions/${file}`)) as { handler: LambdaFunction };
    handlers.set(contract.operation, handler);
  }
  return handlers;
}

type Handlers = Awaited<ReturnType<typeof loadHandlers>>;

/** Sends a request. @throws Error when the service could not handle it, because no request may cause that. */
async function send(handlers: Handlers, target: Target): Promise<ExpensiveRequest> {
  const { contract, request, description } = target;
  const event = operationEvent(contract, { ...request, claims } as OperationRequest);
  const handler = handlers.get(contract.operation) as LambdaFunction;
  const before = process.cpuUsage();
  const {
    statusCode: status = 0,
    headers,
    body,
  } = await handler(event, functionContext('r', requestTimeoutMs));
  const { user, system } = process.cpuUsage(before);
  if (status >= 500) throw new Error(`${description}: ${status} ${body}`);
  const [, read, write] = /read=([\d.]+), write=([\d.]+)/.exec(String(headers?.['server-timing'])) ?? [];
  const usage = { readUnits: Number(read), writeUnits: Number(write), cpuMs: (user + system) / 1_000 };
  return { description, status, usage };
}

interface Found extends ExpensiveRequest {
  readonly genes: Genes;
}

/** Returns the requests that use most, each description once. */
function most<Request extends ExpensiveRequest>(
  found: readonly Request[],
  measure: keyof Usage,
  count: number,
): Request[] {
  const byDescription = new Map<string, Request>();
  for (const one of found.toSorted((first, second) => second.usage[measure] - first.usage[measure])) {
    if (!byDescription.has(one.description)) byDescription.set(one.description, one);
  }
  return [...byDescription.values()].slice(0, count);
}

/** Returns a request whose CPU time is the minimum of several: other work of the process only adds to it. */
function cheapest(requests: readonly Found[]): Found {
  const [first] = requests;
  if (!first) throw new Error('Nothing was measured.');
  return {
    ...first,
    usage: { ...first.usage, cpuMs: Math.min(...requests.map(({ usage }) => usage.cpuMs)) },
  };
}

/** @throws Error when a request used more units than one may. */
function requireFewUnits(name: 'readUnits' | 'writeUnits', found: readonly Found[]): void {
  const tooMany = most(found, name, shown).filter(({ usage }) => usage[name] > maxUnits);
  if (tooMany.length === 0) return;
  const lines = tooMany.map(({ usage, description }) => `${usage[name]}: ${description}`);
  throw new Error(`Requests with more than ${maxUnits} ${name}:\n${lines.join('\n')}`);
}

/** Runs the search. @returns how many requests it sent, and the most expensive ones of each measure, in descending order. */
export async function searchExpensiveRequests(
  store: TestStore,
  random: () => number,
): Promise<{
  readonly sent: number;
  readonly found: Readonly<Record<keyof Usage, readonly ExpensiveRequest[]>>;
}> {
  const handlers = await loadHandlers();
  const own = new Tenant(store);
  await own.fill();
  let sent = 0;
  const measure = async (genes: Genes): Promise<Found> => {
    const target = randomRequest(genes, own.ids);
    const found = await send(handlers, target);
    sent += 1;
    await own.settle(target, found.status);
    return { ...found, genes };
  };
  let population: Found[] = [];
  for (let sample = 0; sample < samples; sample += 1) population.push(await measure(newGenes(random)));
  for (let generation = 0; generation < generations; generation += 1) {
    const parents = measures.flatMap((name) => most(population, name, survivors));
    population = [...parents];
    for (const { genes } of parents)
      for (let child = 0; child < children; child += 1) population.push(await measure(genes.mutated(random)));
  }
  // Units are those of the search. CPU time is measured again, and the first requests of an operation are its slowest.
  const again: Found[] = [];
  for (const champion of most(population, 'cpuMs', 3 * shown)) {
    const repeated = [champion];
    for (let time = 0; time < 4; time += 1) repeated.push(await measure(champion.genes));
    again.push(cheapest(repeated));
  }
  for (const name of ['readUnits', 'writeUnits'] as const) requireFewUnits(name, population);
  return {
    sent,
    found: {
      readUnits: most(population, 'readUnits', shown),
      writeUnits: most(population, 'writeUnits', shown),
      cpuMs: most(again, 'cpuMs', shown),
    },
  };
}
