/**
 * `npm run bench -- hostile-requests`: searches for requests that cost a lot. Writes `benchmarks/results/hostile-requests.md`.
 *
 * First it looks for the most read units, write units and CPU time of valid requests over 10,000 tasks (`expensive-requests.ts`). It fails
 * when a request needs more than 1,000 units. Then it looks for requests that cost a lot of CPU to parse and validate: it generates requests
 * of many shapes for every operation, mutates the most expensive ones, and measures them at the maximum size that the gateway and the
 * service accept, and at half of it. `SEED=1` repeats a search.
 */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Contract } from '../functions/contract/contract.ts';
import type { Handler } from '../functions/http/middleware.ts';
import { methodsByPath, routes } from '../functions/routes.ts';
import { packRoutes } from '../functions/runtime/packed-routes.ts';
import { resources } from '../functions/schema.ts';
import { siteFolder } from '../lib/hosting/functions.ts';
import { functionContext } from '../lib/local/lambda-context.ts';
import { prepareSite } from '../lib/site/build.ts';
import { startEngineStore } from '../test/support/local-store.ts';
import { seeded } from './engine-proxy.ts';
import {
  type ExpensiveRequest,
  maxUnits,
  searchExpensiveRequests,
  type Usage,
} from './expensive-requests.ts';
import { usualOrSmallest } from './form.ts';
import { publishPage, table } from './report.ts';

/** Limits of the body, and of the request line and headers together. */
const maxBodyBytes = 256 * 1024;
const maxHeadBytes = 10 * 1024;

const samples = Number(process.env['SAMPLES'] ?? usualOrSmallest(3_000, 50));
const generations = usualOrSmallest(8, 1);
const survivors = 40;

/** Minimum CPU time for which the ratio of two measurements is meaningful. */
const minMeasurableMs = 4;

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const random = seeded(seed);
const pick = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

const store = await startEngineStore();
// Before a handler is imported, which reads them.
Object.assign(process.env, {
  TABLE_NAME: store.tableName,
  SERVER_TIMING: 'true',
  TENANT_CLAIM: 'tenant',
  LOG_LEVEL: 'ERROR',
  ROUTES: packRoutes(methodsByPath),
  SITE_FOLDER: siteFolder,
});

interface Target {
  readonly name: string;
  readonly contract: Contract | undefined;
  readonly handler: Handler;
}

async function loadTargets(): Promise<Target[]> {
  const targets: Target[] = [];
  for (const { contract, file } of routes) {
    const { handler } = (await import(`../functions/${file}`)) as { handler: Handler };
    targets.push({ name: contract.operation, contract, handler });
  }
  const fallback = (await import('../functions/fallback/reject-unmatched.ts')) as { handler: Handler };
  const documentation = (await import('../functions/documentation/read-documentation.ts')) as {
    handler: Handler;
  };
  return [
    ...targets,
    { name: 'unmatched', contract: undefined, handler: fallback.handler },
    { name: 'documentation', contract: undefined, handler: documentation.handler },
  ];
}

/** A text: a start, a part that is repeated up to the size, and an end. */
interface Text {
  readonly start: string;
  readonly pump: string;
  readonly end: string;
}

const pieces = [
  '',
  'a',
  'A',
  '0',
  '9',
  ' ',
  '\t',
  ',',
  '"',
  "'",
  '.',
  '-',
  '_',
  '@',
  '+',
  '/',
  '\\',
  '%',
  '=',
  '&',
  '#',
  ';',
  ':',
  '*',
  '~',
  '[',
  ']',
  '{',
  '}',
  '!',
  '?',
  'W/"',
  '""',
  'a.',
  'a@',
  '\\u0041',
  '\\\\',
  '%41',
  '%2',
  '\n',
  '\u0001',
  'é',
  '\u{1F600}',
  '\ud800',
  'name',
  '__proto__',
  'page=1',
  'Bearer ',
  '/v1',
  '"a",',
  'null',
  '1e9',
  '-0',
];

const newText = (): Text => ({
  start: random() < 0.5 ? '' : pick(pieces) + pick(pieces),
  pump: pick(pieces.slice(1)) + (random() < 0.5 ? pick(pieces) : ''),
  end: random() < 0.5 ? '' : pick(pieces),
});

/** Returns the text with at most `size` UTF-16 code units. */
const textOf = ({ start, pump, end }: Text, size: number): string =>
  start + pump.repeat(Math.max(0, Math.floor((size - start.length - end.length) / pump.length))) + end;

/** Bodies by shape. Each has the given size. */
const bodies: Readonly<Record<string, (field: string, text: Text, size: number) => string>> = {
  text: (field, text, size) => JSON.stringify({ name: 'x', [field]: textOf(text, size) }),
  'raw text': (_, text, size) => textOf(text, size),
  'array of texts': (field, text, size) =>
    JSON.stringify({ name: 'x', [field]: Array.from({ length: size / 12 }, () => text.pump) }),
  'array of numbers': (field, _, size) => `{"name":"x","${field}":[${'1,'.repeat(size / 2)}1]}`,
  'array of different texts': (field, _, size) =>
    JSON.stringify({ name: 'x', [field]: Array.from({ length: size / 12 }, (__, item) => `t${item}`) }),
  'array of objects': (field, _, size) => `{"name":"x","${field}":[${'{},'.repeat(size / 3)}{}]}`,
  'unknown fields': (_, text, size) => {
    const stem = JSON.stringify(text.pump).slice(1, -1).slice(0, 50);
    return `{${Array.from({ length: size / (stem.length + 10) }, (__, item) => `"${stem}${item}":1`).join()}}`;
  },
  'repeated field': (field, _, size) => `{${`"${field}":1,`.repeat(size / (field.length + 5))}"name":"x"}`,
  nested: (field, _, size) => `{"${field}":${'['.repeat(size / 2)}${']'.repeat(size / 2)}}`,
  'nested objects': (field, _, size) => `{"${field}":${'{"a":'.repeat(size / 6)}1${'}'.repeat(size / 6)}}`,
  'unclosed text': (field, text, size) =>
    `{"name":"x","${field}":${JSON.stringify(textOf(text, size)).slice(0, -1)}`,
  'trailing comma': (field, _, size) => `{"name":"x","${field}":[${'1,'.repeat(size / 2)}]}`,
  'only commas': (_, __, size) => `[${','.repeat(size)}`,
  lines: (_, text, size) => `{${'\n'.repeat(size / 2)}${textOf(text, size / 2)}`,
  digits: (field, _, size) => `{"name":"x","${field}":${'1'.repeat(size)}}`,
  escapes: (field, _, size) => `{"name":"x","${field}":"${'\\u0041'.repeat(size / 6)}"}`,
  'long field names': (_, text, size) => JSON.stringify({ [textOf(text, size)]: 1 }),
};

const places = [
  'body',
  'query',
  'path',
  'if-match',
  'if-none-match',
  'idempotency-key',
  'content-type',
  'authorization',
  'claims',
  'cookie',
] as const;

interface Shape {
  readonly target: Target;
  readonly place: (typeof places)[number];
  readonly body: string;
  readonly field: string;
  readonly text: Text;
  readonly isBase64Encoded: boolean;
}

const targets = await loadTargets();

const fieldOf = ({ contract }: Target): string =>
  pick([
    ...(contract?.body?.writable ?? []),
    ...(contract?.resource?.fieldNames ?? []),
    'unknown',
    'page',
    'sortBy',
  ]);

function newShape(): Shape {
  const target = pick(targets);
  return {
    target,
    place: target.contract?.body && random() < 0.6 ? 'body' : pick(places),
    body: pick(Object.keys(bodies)),
    field: fieldOf(target),
    text: newText(),
    isBase64Encoded: random() < 0.1,
  };
}

function mutated(shape: Shape): Shape {
  const { start, pump, end } = newText();
  const change = pick<Partial<Shape>>([
    { text: { ...shape.text, start } },
    { text: { ...shape.text, pump } },
    { text: { ...shape.text, end } },
    { field: fieldOf(shape.target) },
    { body: pick(Object.keys(bodies)) },
    { place: pick(places) },
    { target: pick(targets) },
  ]);
  return { ...shape, ...change };
}

const jwtOf = (claims: string): string => `e30.${Buffer.from(claims).toString('base64url')}.e30`;
const goodClaims = {
  tenant: 'acme',
  sub: 's',
  scope: resources.flatMap(({ plural }) => [`${plural}:read`, `${plural}:write`]).join(' '),
};

/** Returns the event of a shape. @param share fraction of the maximum size. */
function eventOf({ target, place, body, field, text, isBase64Encoded }: Shape, share: number) {
  const { contract } = target;
  const headBytes = Math.floor(maxHeadBytes * share);
  const head = textOf(text, headBytes);
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    authorization: `Bearer ${jwtOf(JSON.stringify(goodClaims))}`,
  };
  if (place === 'claims') headers['authorization'] = `Bearer ${jwtOf(head.slice(0, headBytes / 2))}`;
  else if (place !== 'body' && place !== 'query' && place !== 'path') headers[place] = head;
  const content =
    place === 'body' ? bodies[body]?.(field, text, Math.floor(maxBodyBytes * share) - 64) : '{"name":"x"}';
  const id = place === 'path' ? head : '019b2f4e-6c1d-7a39-8b52-4d1f0e9c7a61';
  const rawPath = (contract?.path ?? '/{id}').replace('{id}', id);
  const rawQueryString =
    place === 'query' ? pick([head, `${field}=${head}`, `${field}=1&${head}`]).slice(0, headBytes) : '';
  return {
    version: '2.0',
    rawPath,
    rawQueryString,
    headers,
    pathParameters: { id },
    requestContext: {
      requestId: 'r',
      http: { method: contract?.method ?? 'GET', path: rawPath },
      authorizer: { jwt: { claims: goodClaims, scopes: [] } },
    },
    ...(content !== undefined && {
      body: isBase64Encoded ? Buffer.from(content).toString('base64') : content,
    }),
    isBase64Encoded,
  } as unknown as APIGatewayProxyEventV2;
}

/** Returns the milliseconds of CPU of one request. @throws Error when the service could not handle it: its time would say nothing. */
async function measure(shape: Shape, share: number): Promise<number> {
  const event = eventOf(shape, share);
  const before = process.cpuUsage();
  const { statusCode = 0 } = await shape.target.handler(event, functionContext('r', 10_000));
  const { user, system } = process.cpuUsage(before);
  if (statusCode === 0 || statusCode >= 500) {
    throw new Error(`${shape.target.name}: ${statusCode} for ${nameOf(shape)}`);
  }
  return (user + system) / 1_000;
}

/** Returns the minimum of several measurements. Other work of the process only adds to them. */
async function minOf(shape: Shape, share: number, times: number): Promise<number> {
  const measured: number[] = [];
  for (let time = 0; time < times; time += 1) measured.push(await measure(shape, share));
  return Math.min(...measured);
}

const nameOf = ({ place, body, field, text }: Shape): string => {
  const pump = JSON.stringify(`${text.start}(${text.pump})*${text.end}`)
    .replaceAll('|', '\\|')
    .replaceAll('`', "'");
  return place === 'body' ? `body, ${body}, ${field}, ${pump}` : `${place}, ${pump}`;
};

/** Valid values. The most expensive texts are long and nearly valid. */
const examples: Readonly<Record<string, string>> = {
  email: 'a.b+c@d-e.example.com',
  status: 'in_progress-2',
  color: '#aB12cD',
  dueDate: '2026-02-28',
  startDate: '2026-02-28',
  name: ' Some name ',
  description: 'Text\n of lines',
  priority: 'high',
  organizationId: '019b2f4e-6c1d-7a39-8b52-4d1f0e9c7a61',
  'if-match': 'W/"7a2c4d8f0e36-3", "a"',
  'if-none-match': 'W/"7a2c4d8f0e36-3", "a"',
  'idempotency-key': 'a key-1',
  'content-type': 'application/vnd.a+json; charset=utf-8',
  authorization: 'Bearer a.b.c',
};

/** Returns texts that repeat a part of a valid value, at every position, with a valid and an invalid end. */
const nearlyValid = (example: string): Text[] =>
  Array.from(example).flatMap((_, position) =>
    [1, 2, 3].flatMap((length) =>
      ['', '!', example.slice(position + length)].map((end) => ({
        start: example.slice(0, position),
        pump: example.slice(position, position + length),
        end,
      })),
    ),
  );

function* nearlyValidShapes(): Generator<Shape> {
  const create = targets.filter(({ name }) => name.startsWith('create'));
  for (const [where, example] of Object.entries(examples)) {
    const place = places.find((one) => one === where) ?? 'body';
    const takes = ({ contract }: Target): boolean => contract?.body?.writable.includes(where) === true;
    const target = place === 'body' ? create.find(takes) : targets.find(({ name }) => name === 'updateTask');
    if (!target) continue;
    for (const text of nearlyValid(example)) {
      yield { target, place, body: 'text', field: where, text, isBase64Encoded: false };
    }
  }
}

interface Found {
  readonly shape: Shape;
  readonly cpu: number;
}

const expensive = await searchExpensiveRequests(store, random);

const usageTable = (requests: readonly ExpensiveRequest[]): string =>
  table(
    ['request', 'status', 'read units', 'write units', 'ms of CPU'],
    requests.map(({ description, status, usage: { readUnits, writeUnits, cpuMs } }) => [
      `\`${description.replaceAll('|', '\\|').replaceAll('`', "'")}\``,
      status,
      readUnits,
      writeUnits,
      cpuMs.toFixed(0),
    ]),
  );

const highest = (name: keyof Usage): string =>
  String(Math.ceil(expensive.found[name][0]?.usage[name] ?? Number.NaN));

await prepareSite();
// Warm-up, so that the first shapes do not include the time of the compiler.
for (let round = 0; round < 200; round += 1) await measure(newShape(), 0.01);

const population: Found[] = [];
for (const shape of nearlyValidShapes()) population.push({ shape, cpu: await measure(shape, 0.25) });
for (let sample = 0; sample < samples; sample += 1) {
  const shape = newShape();
  population.push({ shape, cpu: await measure(shape, 0.25) });
}
const systematic = population.length - samples;
for (let generation = 0; generation < generations; generation += 1) {
  population.sort((one, other) => other.cpu - one.cpu);
  population.length = survivors;
  const children = population.flatMap(({ shape }) => Array.from({ length: 8 }, () => mutated(shape)));
  for (const shape of children) population.push({ shape, cpu: await measure(shape, 0.25) });
}

/** The most expensive shape per operation and per place. */
const champions = new Map<string, Shape>();
for (const { shape } of population.toSorted((one, other) => other.cpu - one.cpu)) {
  for (const key of [shape.target.name, `${shape.place} ${shape.place === 'body' ? shape.body : ''}`]) {
    if (!champions.has(key)) champions.set(key, shape);
  }
}

const measured: { shape: Shape; half: number; full: number }[] = [];
for (const shape of new Set(champions.values())) {
  measured.push({ shape, half: await minOf(shape, 0.5, 5), full: await minOf(shape, 1, 5) });
}
measured.sort((one, other) => other.full - one.full);

const ratio = ({ half, full }: { half: number; full: number }): number => full / half;
const worst = measured[0];
const steepest = measured
  .filter(({ half }) => half >= minMeasurableMs)
  .sort((one, other) => ratio(other) - ratio(one))[0];
const rows = measured
  .slice(0, 15)
  .map(({ shape, half, full }) => [
    `${shape.target.name}: \`${nameOf(shape)}\``,
    half.toFixed(1),
    full.toFixed(1),
    half < minMeasurableMs ? '' : (full / half).toFixed(1),
  ]);
const searched = systematic + samples + generations * survivors * 8;
const summary = `${searched.toLocaleString('en')} requests of generated shapes (seed ${seed}), Node.js ${process.versions.node}. The most expensive one takes ${worst?.full.toFixed(0)} ms of CPU; doubling the size multiplies the CPU by at most ${steepest ? ratio(steepest).toFixed(1) : '—'} (of those with ${minMeasurableMs} ms or more).`;
publishPage(
  'hostile-requests.md',
  `This benchmark searches for requests that cost a lot. The goals are ${maxUnits.toLocaleString('en')} read units, ${maxUnits.toLocaleString('en')} write units and 100 ms of CPU for one request.

## Valid requests

${expensive.sent.toLocaleString('en')} random requests of all operations, and mutations of the most expensive ones, to a tenant of 10,000 tasks of which 1,440 have the longest texts
(seed ${seed}), on the embedded engine, in a process that has served others. The most expensive ones take ${highest('readUnits')} read units, ${highest('writeUnits')} write units and ${highest('cpuMs')} ms of CPU.
The CPU time is that of the process of the function, without the engine: the minimum of five measurements. Of each search, these are the eight most expensive requests.

Read units:

${usageTable(expensive.found.readUnits)}

Write units:

${usageTable(expensive.found.writeUnits)}

CPU time:

${usageTable(expensive.found.cpuMs)}

## Parsing and validation

The second search is for requests that cost a lot of CPU to parse and validate, with bodies of ${maxBodyBytes.toLocaleString('en')} bytes and
${maxHeadBytes.toLocaleString('en')} bytes of headers, to a tenant without entities. The values are milliseconds of CPU, the minimum of five measurements.

${summary}

${table(['request', 'half the size', 'full size', 'ratio'], rows)}
`,
);
await store.stop();
