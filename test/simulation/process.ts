/** One process of the service: the real functions behind the real gateway, with modules, memory and a clock of its own. */
import type { Context, DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import type { TimeAndChance } from '#functions/runtime/time-and-chance.ts';
import type { HttpApi } from '#lib/local/http-api.ts';
import { smallSizes } from '../support/compaction.ts';
import { ResponseChecker } from '../support/response-checker.ts';
import { Life } from '../support/table/life.ts';
import type { VirtualTime } from '../support/virtual-time.ts';

export interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a process loads for itself. */
interface Modules {
  readonly api: HttpApi;
  readonly onSchedule: () => Promise<void>;
  readonly onStream: (event: DynamoDBStreamEvent) => Promise<DynamoDBBatchResponse>;
  readonly onLogRecords: (event: DynamoDBStreamEvent) => Promise<void>;
  /** Begins a new life: empty memory, and other operations and time. */
  readonly begin: (time: TimeAndChance, open: () => DynamoDb) => void;
  /** Empties the memory, as if other tenants had displaced what it has. */
  readonly forget: () => void;
}

/** Each so many requests, a process has forgotten all: its lists read ahead then, while compaction replaces what they read. */
const requestsPerMemory = 5;

/** The name of the table of all worlds. */
export const tableName = 'simulation';

const usualScopes = ['organizations', 'projects', 'users', 'tasks', 'tags'].flatMap((plural) => [
  `${plural}:read`,
  `${plural}:write`,
]);

/** Returns a token without a signature, of somebody who sees what the user with this subject sees: nobody checks it here. */
export function tokenOf(subject: string, scopes: readonly string[] = usualScopes): string {
  const claims = { tenant: 'public', sub: subject, scope: scopes.join(' ') };
  return `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.e30`;
}

export const allScopes: readonly string[] = [...usualScopes, 'all-projects'];

const administrator = tokenOf('administrator', allScopes);

function claimsOf(token: string | undefined): Record<string, string> | undefined {
  const [, payload] = token?.split('.') ?? [];
  return payload && JSON.parse(Buffer.from(payload, 'base64url').toString());
}

let checker: ResponseChecker | undefined;
let differences: Set<string> = new Set();

/** Returns how responses differed from the OpenAPI document since the last call. */
export function takeDifferences(): string[] {
  const found = [...differences];
  differences = new Set();
  return found;
}

async function importAll(): Promise<Modules> {
  const { setTimeAndChance } = await import('#functions/runtime/time-and-chance.ts');
  const { shareClient } = await import('#functions/engine/table/client.ts');
  const { processMemory } = await import('#functions/engine/columns/process-memory.ts');
  const { defaultSizes } = await import('#functions/engine/columns/compact/sizes.ts');
  const { routes } = await import('#functions/routes.ts');
  const hosting = await import('#lib/hosting/functions.ts');
  const { crossOrigin } = await import('#lib/hosting/cors.ts');
  const gateway = await import('#lib/local/http-api.ts');
  const { functionContext, scheduledEvent } = await import('#lib/local/lambda-context.ts');
  const { setFunctionEnvironment } = await import('#lib/local/function-environment.ts');
  setFunctionEnvironment({ endpoint: 'http://127.0.0.1:9', tableName }, { tenantClaim: 'tenant' });
  // Small segments and patches, so that a hundred entities make many.
  Object.assign(defaultSizes, smallSizes);
  // The first pages of a process read entities by key, the later ones columns.
  processMemory.cheapRows = 0;
  const load = async <Handler>(file: string): Promise<Handler> =>
    ((await import(`../../functions/${file}`)) as { handler: Handler }).handler;
  const loaded: GatewayRoute[] = [];
  for (const { contract, file, methods } of routes) {
    const handler = await load<GatewayRoute['function']>(file);
    loaded.push(...methods.map((method) => ({ method, path: contract.path, function: handler })));
  }
  const context = (): Context => functionContext('simulation', hosting.jobTimeoutMs);
  type Invoked<Event, Result> = (event: Event, context: Context) => Promise<Result>;
  const onSchedule = await load<Invoked<object, void>>(hosting.scheduleFile);
  const onStream = await load<Invoked<DynamoDBStreamEvent, DynamoDBBatchResponse>>(hosting.streamFile);
  const onLogRecords = await load<Invoked<DynamoDBStreamEvent, void>>(hosting.logRecordsFile);
  checker ??= ResponseChecker.ofContracts();
  const responses = checker;
  return {
    api: new gateway.HttpApi({
      routes: loaded,
      fallback: await load(hosting.fallbackFile),
      timeoutMs: hosting.requestTimeoutMs,
      crossOrigin,
      // As the authorizer does it with a token that it has verified.
      onEvent: ({ headers, requestContext }) => {
        const claims = claimsOf(headers['authorization']);
        if (claims) Object.assign(requestContext, { authorizer: { jwt: { claims, scopes: [] } } });
      },
      onResponse: (response) => {
        for (const difference of responses.differences(response)) differences.add(difference);
      },
    }),
    onSchedule: () => onSchedule(scheduledEvent(), context()),
    onStream: (event) => onStream(event, context()),
    onLogRecords: (event) => onLogRecords(event, context()),
    begin: (time, open) => {
      setTimeAndChance(time);
      processMemory.clear();
      shareClient(open());
    },
    forget: () => processMemory.clear(),
  };
}

type GatewayRoute = import('#lib/local/http-api.ts').GatewayRoute;

/** Loads the modules of so many processes. They are used for one history after the other: each life of a process begins with an empty memory. */
export async function loadProcesses(count: number): Promise<Modules[]> {
  const all: Modules[] = [];
  for (let number = 0; number < count; number += 1) {
    await jest.isolateModulesAsync(async () => {
      all.push(await importAll());
    });
  }
  return all;
}

export class Process {
  readonly #modules: Modules;
  readonly #time: VirtualTime;
  readonly #operations: DynamoDb;
  #life: Life;
  /** Milliseconds by which the wall clock of the machine is ahead. */
  clockErrorMs = 0;
  /** Calls until the process stops; never when it is undefined. */
  callsLeft: number | undefined;
  crashes = 0;
  /** Calls of all its lives. */
  calls = 0;
  #requests = 0;
  #waiting = new Set<(lost: undefined) => void>();

  constructor(modules: Modules, time: VirtualTime, operations: DynamoDb) {
    this.#modules = modules;
    this.#time = time;
    this.#operations = operations;
    this.#life = this.#begin();
  }

  #begin(): Life {
    const time = this.#time;
    const source: TimeAndChance = {
      now: () => time.now() + this.clockErrorMs,
      monotonic: () => time.monotonic(),
      delay: (milliseconds, signal) => time.delay(milliseconds, signal),
      startTimer: (milliseconds, call) => time.startTimer(milliseconds, call),
      random: () => time.random(),
      randomBytes: (count) => time.randomBytes(count),
    };
    const life = new Life(
      this.#operations,
      () => this.#countCall(),
      () => this.clockErrorMs,
    );
    this.#modules.begin(source, () => life.dynamodb);
    this.callsLeft = undefined;
    return life;
  }

  #countCall(): boolean {
    this.calls += 1;
    if (this.callsLeft === undefined) return true;
    this.callsLeft -= 1;
    if (this.callsLeft > 0) return true;
    this.crash();
    return false;
  }

  /** Ends the process at once, with all that it does, and begins another one. */
  crash(): void {
    this.crashes += 1;
    this.#life.isOver = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#life = this.#begin();
    for (const lose of waiting) lose(undefined);
  }

  /** Returns what the process does, or undefined when it stops before. */
  async #orLost<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    const lost = new Promise<undefined>((resolve) => {
      this.#waiting.add(resolve);
      const forget = (): boolean => this.#waiting.delete(resolve);
      void Promise.resolve()
        .then(work)
        .then(
          (result) => {
            forget();
            resolve(result as undefined);
          },
          (error: unknown) => {
            forget();
            resolve(Promise.reject(error));
          },
        );
    });
    return lost as Promise<Result | undefined>;
  }

  /** Sends a request. Returns undefined when the process stopped before it responded. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response | undefined> {
    const content = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const sent: Record<string, string> = {
      host: 'localhost',
      authorization: administrator,
      ...(content.length > 0 && {
        'content-type': 'application/json',
        'content-length': String(content.length),
      }),
      ...headers,
    };
    const request = {
      method,
      url: path,
      httpVersion: '1.1',
      headers: sent,
      rawHeaders: Object.entries(sent).flat(),
      socket: { remoteAddress: '127.0.0.1' },
    };
    this.#requests += 1;
    if (this.#requests % requestsPerMemory === 0) this.#modules.forget();
    return this.#orLost(async () => {
      const response = await this.#modules.api.respond(request, async () => content);
      const text = response.content.toString();
      return { ...response, body: text === '' ? undefined : JSON.parse(text) };
    });
  }

  onSchedule(): Promise<unknown> {
    return this.#orLost(() => this.#modules.onSchedule());
  }

  /** Returns undefined when the process stopped, or the function failed. */
  onStream(Records: DynamoDBRecord[]): Promise<DynamoDBBatchResponse | undefined> {
    return this.#orLost(() => this.#modules.onStream({ Records }));
  }

  onLogRecords(Records: DynamoDBRecord[]): Promise<true | undefined> {
    return this.#orLost(() => this.#modules.onLogRecords({ Records }).then(() => true as const));
  }
}
