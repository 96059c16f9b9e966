import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { connect } from '#functions/store/dynamodb/client.ts';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import type { Authentication } from '#lib/local/authorizer.ts';
import type { Injector } from '../faults/engine-proxy.ts';
import { type FaultyService, startFaultyService, type TestResponse } from '../faults/faulty-service.ts';
import {
  type Entity,
  type Field,
  fieldsOf,
  type Kind,
  kinds,
  ListModel,
  type Value,
} from '../simulation/list-model.ts';
import { compactAll, smallSizes } from '../support/compaction.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import {
  chosenId,
  type PlannedWrite,
  pluralOf,
  resolveBody,
  resolveList,
  type Step,
  step,
} from './list-steps.ts';

/**
 * Random sequences of writes, compactions and lists, each in a tenant of its own. Every response is compared with the model.
 * The sequence is the only writer of its tenant, so it repeats a request without a result until there is one.
 */

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Sequences after which the test starts another engine, which gets slower with the size of its stream. */
const sequencesOfAnEngine = 10;

/** The sequences that look for a smaller counterexample after the first failure, at most. */
const maxShrinks = 100;

/** Milliseconds after which no more counterexamples are tried. */
const maxShrinkMs = 120_000;

/** Attempts of a request that has no result. */
const maxAttempts = 50;

/** Milliseconds that a job may take to finish a deletion of more than 100 writes. */
const maxJobMs = 60_000;

const scopes = kinds.flatMap((kind) => [`${pluralOf(kind)}:read`, `${pluralOf(kind)}:write`]).join(' ');

let issuer: Issuer;
let requests = 0;

/** A resolved write: what the request says. */
type Write =
  | { readonly operation: 'create'; readonly body: Record<string, Value> }
  | { readonly operation: 'update'; readonly id: string; readonly body: Record<string, Value> }
  | { readonly operation: 'delete'; readonly id: string };

interface BatchResult {
  readonly status: number;
  readonly etag?: string;
  readonly body?: Entity;
}

/** Returns the value that the service stores: names are trimmed, and ids have no order of their own. */
const defaultsOf = (kind: Kind): Record<string, Value> =>
  Object.fromEntries(
    Object.entries(fieldsOf[kind]).flatMap(([name, field]: [string, Field]) =>
      field.default === undefined ? [] : [[name, field.default]],
    ),
  );

const readOnly = ({ id, createdAt, updatedAt }: Entity) => ({ id, createdAt, updatedAt });

/** What a sequence sends its requests to. */
export interface Target extends Pick<FaultyService, 'send'> {
  /** Absorbs all records of a log, and takes all steps that are due then. No request is in progress meanwhile. */
  compact(tenant: string, kind: Kind): Promise<void>;
}

/** One tenant of a service, with the model of its entities. */
class Sequence {
  readonly #target: Target;
  readonly #tenant: string;
  readonly #token: string;
  readonly #model = new ListModel();

  constructor(target: Target, tenant: string, token: string) {
    this.#target = target;
    this.#tenant = tenant;
    this.#token = token;
  }

  /** Sends a request until there is a result. A `POST` has an idempotency key, so that it has an effect once. */
  async #send(method: string, path: string, body?: object): Promise<TestResponse> {
    const headers = {
      authorization: `Bearer ${this.#token}`,
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    };
    for (let attempt = 1; ; attempt += 1) {
      requests += 1;
      const response = await this.#target.send(method, path, body, headers);
      const isRepeatedDeletion = method === 'DELETE' && attempt > 1 && response.status === 404;
      if (isRepeatedDeletion) return { ...response, status: 204 };
      // 409: the first request with this idempotency key has not finished.
      const isFinal = response.status < 500 && response.status !== 409;
      if (isFinal || attempt === maxAttempts) return response;
    }
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const next of steps) await this.#step(next);
  }

  async #step(next: Step): Promise<void> {
    switch (next.type) {
      case 'write':
        return this.#writes(next.kind, [next.write], false);
      case 'writes':
        return this.#writes(next.kind, next.writes, next.isBatch);
      case 'replace':
        return this.#replace(next);
      case 'compact':
        return this.#target.compact(`@${this.#tenant}`, next.kind);
      case 'read':
        return this.#read(next);
      case 'list':
        return this.#list(next);
    }
  }

  #resolve(kind: Kind, planned: PlannedWrite): Write | undefined {
    if (planned.operation === 'create') {
      const body = resolveBody(this.#model, kind, planned.body);
      return body && { operation: 'create', body };
    }
    const id = chosenId(this.#model, kind, planned.of);
    if (id === undefined) return undefined;
    if (planned.operation === 'delete') return { operation: 'delete', id };
    const body = resolveBody(this.#model, kind, planned.body);
    return body && { operation: 'update', id, body };
  }

  async #writes(kind: Kind, planned: readonly PlannedWrite[], isBatch: boolean): Promise<void> {
    const used = new Set<string>();
    const writes = planned.flatMap((one) => {
      const write = this.#resolve(kind, one);
      if (!write || ('id' in write && used.has(write.id))) return [];
      if ('id' in write) used.add(write.id);
      return [write];
    });
    if (writes.length === 0) return;
    const results = isBatch
      ? await this.#sendBatch(kind, writes)
      : await Promise.all(writes.map((write) => this.#sendWrite(kind, write)));
    expect(results.map(({ status }) => status)).toEqual(writes.map(statusOf));
    for (const [place, write] of writes.entries()) {
      if (write.operation !== 'delete') this.#keep(kind, write, results[place]?.body as Entity);
    }
    await this.#removed(
      kind,
      writes.flatMap((write) => (write.operation === 'delete' ? [write.id] : [])),
    );
  }

  async #sendWrite(kind: Kind, write: Write): Promise<BatchResult> {
    const path = `/v1/${pluralOf(kind)}`;
    const { status, body } =
      write.operation === 'create'
        ? await this.#send('POST', path, write.body)
        : write.operation === 'update'
          ? await this.#send('PATCH', `${path}/${write.id}`, write.body)
          : await this.#send('DELETE', `${path}/${write.id}`);
    return { status, body: body as Entity };
  }

  async #sendBatch(kind: Kind, writes: readonly Write[]): Promise<readonly BatchResult[]> {
    const { status, body } = await this.#send('POST', `/v1/${pluralOf(kind)}/batch`, { operations: writes });
    expect({ writes, status, body }).toMatchObject({ status: 200 });
    return (body as { results: BatchResult[] }).results;
  }

  /** Compares the entity of a response with the expected one and adds it to the model. */
  #keep(kind: Kind, write: Exclude<Write, { operation: 'delete' }>, entity: Entity): void {
    const before = write.operation === 'create' ? defaultsOf(kind) : this.#model.get(kind, write.id);
    expect(entity).toEqual({ ...before, ...write.body, ...readOnly(entity) });
    if (write.operation === 'update')
      expect(entity).toMatchObject({ id: write.id, createdAt: before?.['createdAt'] });
    this.#model.put(kind, entity);
  }

  async #replace({ kind, of, body }: Extract<Step, { type: 'replace' }>): Promise<void> {
    const id = chosenId(this.#model, kind, of);
    const resolved = resolveBody(this.#model, kind, body);
    if (id === undefined || !resolved) return;
    const response = await this.#send('PUT', `/v1/${pluralOf(kind)}/${id}`, resolved);
    expect(response.status).toBe(200);
    const whole = { ...defaultsOf(kind), ...resolved };
    this.#keep(kind, { operation: 'update', id, body: whole }, response.body as Entity);
  }

  /** Deletes entities from the model, waits for a job if there is one, and reads what the deletions changed. */
  async #removed(kind: Kind, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const before = kinds.flatMap((one) =>
      this.#model.all(one).map((entity) => ({ kind: one, id: entity.id })),
    );
    const changed = ids.flatMap((id) => this.#model.remove(kind, id));
    const deleted = before.filter((one) => !this.#model.get(one.kind, one.id));
    for (const one of deleted) await this.#wait(one, ({ status }) => status === 404);
    for (const one of changed) {
      const expected = this.#model.get(one.kind, one.id);
      if (!expected) continue;
      const { updatedAt: _, ...fields } = expected;
      const { body } = await this.#wait(one, (response) => includesAll(response.body, fields));
      this.#model.put(one.kind, body as Entity);
    }
  }

  async #wait(
    { kind, id }: { kind: Kind; id: string },
    isDone: (response: TestResponse) => boolean,
  ): Promise<TestResponse> {
    const deadline = Date.now() + maxJobMs;
    for (;;) {
      const response = await this.#send('GET', `/v1/${pluralOf(kind)}/${id}`);
      if (isDone(response)) return response;
      if (Date.now() > deadline) {
        throw new Error(`A deletion does not reach ${kind} ${id}: ${JSON.stringify(response.body)}`);
      }
      await delay(20);
    }
  }

  async #read({ kind, of, expand }: Extract<Step, { type: 'read' }>): Promise<void> {
    const id = chosenId(this.#model, kind, of);
    const entity = id !== undefined && this.#model.get(kind, id);
    if (!entity) return;
    const address = `/v1/${pluralOf(kind)}/${id}${expand.length > 0 ? `?expand=${expand.join(',')}` : ''}`;
    const { status, body, headers } = await this.#send('GET', address);
    const expected = { ...entity, ...this.#model.expanded(kind, entity, expand) };
    expect({ address, status, body }).toEqual({ address, status: 200, body: expected });
    expect(headers.has('etag')).toBe(expand.length === 0);
  }

  async #list(planned: Extract<Step, { type: 'list' }>): Promise<void> {
    const { request, address } = resolveList(this.#model, planned);
    const { status, body, headers } = await this.#send(planned.method, address);
    const expected = this.#model.list(request);
    const query = decodeURIComponent(address);
    expect({ query, status, body }).toEqual({
      query,
      status: 200,
      body: planned.method === 'HEAD' ? undefined : expected,
    });
    expect([query, headers.get('x-total-count')]).toEqual([query, String(expected.total)]);
  }
}

const statusOf = ({ operation }: Write): number => ({ create: 201, update: 200, delete: 204 })[operation];

/** Returns whether a body has all these fields. */
const includesAll = (body: unknown, fields: object): boolean =>
  Object.entries(fields).every(
    ([name, value]) => JSON.stringify((body as Record<string, unknown>)[name]) === JSON.stringify(value),
  );

/** A fault for the engine of a test, and how to end it. */
export interface Fault {
  readonly injector: Injector;
  /** Waits until replicas have all writes. */
  caughtUp?(): Promise<unknown>;
  stop?(): Promise<void>;
}

interface Sequences {
  /** Sequences of all tests together. */
  readonly count: number;
  /** Steps of a sequence, at most. Sequences of any length are equally frequent. */
  readonly maxSteps: number;
  /** Returns the fault to inject. @param tableName the table of the service. */
  readonly fault?: (seed: number, tableName: string) => Promise<Fault>;
  /** Starts what takes the requests. Default: this release on an engine of its own, with the fault. */
  readonly start?: (seed: number, authentication: Authentication) => Promise<StartedTarget>;
}

interface StartedTarget extends Target {
  stop(): Promise<void>;
}

/** Starts the service with a fault. */
async function startFaulty(
  seedOfTest: number,
  authentication: Authentication,
  { fault: newFault }: Sequences,
): Promise<StartedTarget> {
  const faulty = await startFaultyService({ authentication });
  const fault = await newFault?.(seedOfTest, faulty.service.tableName);
  faulty.proxy.inject(fault?.injector);
  return {
    send: faulty.send,
    // Its calls go through the proxy, so that a lagging replica gets them too. The service absorbs records after a margin in which indexes have
    // received them; this compaction has no margin, so it waits for the indexes.
    compact: async (tenant, kind) => {
      await fault?.caughtUp?.();
      const database = new Database(connect(), faulty.service.tableName, new Deadline(60_000));
      await compactAll(database, tenant, kind, smallSizes);
    },
    stop: () =>
      inTurn([async () => faulty.proxy.inject(undefined), async () => fault?.stop?.(), () => faulty.stop()]),
  };
}

/** Returns the seeds of the tests: one test for each engine. */
const testsOf = (count: number) =>
  Array.from({ length: Math.ceil(count / sequencesOfAnEngine) }, (_, place) => ({
    first: place * sequencesOfAnEngine,
    numRuns: Math.min(sequencesOfAnEngine, count - place * sequencesOfAnEngine),
  }));

/** Runs sequences against a service, and looks for a short counterexample if one fails. */
async function runSequences(
  target: Target,
  { maxSteps }: Sequences,
  parameters: { seed: number; numRuns: number },
): Promise<void> {
  let hasFailed = false;
  let shrinks = 0;
  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 1, maxLength: maxSteps, size: 'max' }),
    async (steps) => {
      if (shrinks > maxShrinks || Date.now() > shrinkUntil) return;
      const tenant = `t-${randomUUID()}`;
      const token = await issuer.token({ tenant, scope: scopes });
      if (hasFailed) shrinks += 1;
      try {
        await new Sequence(target, tenant, token).run(steps);
      } catch (error) {
        if (!hasFailed) shrinkUntil = Date.now() + maxShrinkMs;
        hasFailed = true;
        throw error;
      }
    },
  );
  // Shrinking is bounded: later candidates end at once.
  await fc.assert(property, { ...parameters, unbiased: true });
}

/**
 * Does all of the work, whatever fails.
 * @throws AggregateError of all failures: the service reports undeclared responses when it stops, beside a counterexample.
 */
async function inTurn(work: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: Error[] = [];
  for (const part of work) await part().catch((error: Error) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, errors.map(({ message }) => message).join('\n\n'));
}

/** Declares the tests of random sequences under a condition. */
export const testSequences = (condition: string, sequences: Sequences): void =>
  describe(condition, () => declareTests(condition, sequences));

function declareTests(condition: string, sequences: Sequences): void {
  let logged: jest.SpyInstance;

  beforeAll(async () => {
    process.stdout.write(`seed ${seed}\n`);
    requests = 0;
    // The expected error lines of failed calls would fill the output.
    logged = jest.spyOn(process.stdout, 'write').mockImplementation(() => true);
    issuer ??= await startIssuer();
  });

  afterAll(() => {
    logged.mockRestore();
    process.stdout.write(`${requests} requests ${condition}\n`);
  });

  test.each(testsOf(sequences.count))(
    '$numRuns random sequences after $first others list what the model lists',
    async ({ first, numRuns }) => {
      const { start = startFaulty } = sequences;
      const target = await start(seed + first, { issuer: issuer.url, audience: [audience] }, sequences);
      await inTurn([
        () => runSequences(target, sequences, { seed: seed + first, numRuns }),
        () => target.stop(),
      ]);
    },
    600_000,
  );
}

afterAll(() => issuer?.stop());
