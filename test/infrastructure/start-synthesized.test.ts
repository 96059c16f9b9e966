import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { type Contract, collectionOf, pascal, scopeOf } from '#functions/contract/contract.ts';
import type { Resource } from '#functions/contract/resource.ts';
import { ratePrefix } from '#functions/http/tenant-units.ts';
import { routes } from '#functions/routes.ts';
import type { Kind } from '#functions/schema.ts';
import { resources } from '#functions/schema.ts';
import type { PermissionReport } from '#lib/cloud-assembly/iam-proxy.ts';
import { defaultTenantRate } from '#lib/hosting/functions.ts';
import { resourceServer } from '#lib/hosting/scopes.ts';
import { killLeftovers, spawnStart, untilItListens } from '../cli/started-service.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { LiveClient } from '../support/live-client.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { synthesize } from './stacks.ts';

/**
 * `npx pm-api start-synthesized` on the stacks: calls each operation, with the roles of the functions. Together, the requests use every permission.
 */

type Fields = Readonly<Record<string, unknown>>;

interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  readonly id?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Body {
  readonly id: string;
  readonly total: number;
  readonly cursor: string;
  readonly results: readonly { readonly body: Body }[];
  readonly etags: readonly string[];
}

const contracts = new Map(routes.map(({ contract }) => [contract.operation, contract]));
const called = new Set<string>();

/** A description of more bytes than an item has room for, so that it is an item of its own. */
const long = 'é'.repeat(300);

/** More than one transaction changes, so that a job continues. */
const many = 125;
const maxBatch = 25;

const assembly = temporaryFolder();
let environment: Record<string, string> = {};

type Client = Awaited<ReturnType<typeof startClient>>;

async function startClient(...flags: string[]) {
  const report = join(temporaryFolder(), 'report.json');
  const started = spawnStart(
    { PORT: '0', DATABASE_FILE: ':memory:', ...environment },
    ['--assembly', assembly, '--permission-report', report, ...flags],
    { command: 'start-synthesized' },
  );
  const url = await untilItListens(started);

  /** Sends a request that succeeds. @throws Error with the response when it does not. */
  async function call(
    operation: string,
    { id = '', query = {}, body, headers = {} }: Call = {},
  ): Promise<Body> {
    const { method, path } = contracts.get(operation) as Contract;
    called.add(operation);
    const address = path.replace('{id}', id);
    const response = await fetch(`${url}${address}?${new URLSearchParams(query)}`, {
      method,
      headers: {
        ...(method !== 'GET' && { 'idempotency-key': crypto.randomUUID() }),
        ...headers,
        authorization: `Bearer ${isViewer ? tokens.viewer : tokens.administrator}`,
        ...(body && { 'content-type': `application/${method === 'PATCH' ? 'merge-patch+json' : 'json'}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation}: ${response.status} ${text}`);
    return (/json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : {}) as Body;
  }

  return {
    started,
    url,
    call,
    /** Repeats a request until its response has a total: a job changes it. */
    untilTotal: (operation: string, request: Call, total: number): Promise<void> =>
      until(async () => (await call(operation, request)).total === total),
    /** @throws Error when the command fails. */
    stop: async (): Promise<PermissionReport[]> => {
      started.process.kill('SIGTERM');
      if ((await started.ended()) !== 0) throw new Error(started.output());
      return JSON.parse(readFileSync(report, 'utf8')) as PermissionReport[];
    },
  };
}

/** The references of each kind to others. */
const relations = new Map(
  resources.map(({ kind, relations: all }) => [kind, all.filter(({ parent }) => parent !== kind)]),
);

/** The kinds, each after those that it refers to. */
const kinds = [
  ...new Set([...relations].flatMap(([kind, all]) => [...all.map(({ parent }) => parent as Kind), kind])),
];

const resourceOf = (kind: Kind): Resource => resources.find((one) => one.kind === kind) as Resource;

const nameOf = (kind: Kind): string => pascal(kind);

const pluralOf = (kind: Kind): string => pascal(resourceOf(kind).plural);

type Ids = Readonly<Record<Kind, string>>;

/** Whether requests are those of somebody who does not see all, and is a member of nothing: their functions read who they are, and projects. */
let isViewer = false;

const references = (kind: Kind, ids: Partial<Ids>): Fields =>
  Object.fromEntries(
    (relations.get(kind) ?? [])
      .filter(({ field }) => !(isViewer && field === 'memberIds'))
      .map(({ field, parent, isArray }) => {
        const id = ids[parent as Kind];
        return [field, isArray ? [id] : id];
      }),
  );

/** Two values of the field that is an item of its own: the long description, or the subject of a user. */
const itemFields = (kind: Kind, text: string, subject: string | null): Fields => {
  const { unique, fieldNames } = resourceOf(kind);
  return unique ? { [unique]: subject } : fieldNames.includes('description') ? { description: text } : {};
};
const longFields = (kind: Kind): Fields => itemFields(kind, long, `${Math.random()}`);
const shortFields = (kind: Kind): Fields => itemFields(kind, '', null);

async function create(client: Client, kind: Kind, fields: Fields): Promise<string> {
  return (await client.call(`create${nameOf(kind)}`, { body: { name: kind, ...fields } })).id;
}

/** Creates tasks with long descriptions, in batches. */
async function createMany(client: Client, kind: 'task' | 'project' | 'user', fields: Fields): Promise<void> {
  for (let made = 0; made < many; made += maxBatch) {
    const operations = Array.from({ length: maxBatch }, () => ({
      operation: 'create',
      body: { name: kind, ...fields },
    }));
    await client.call(`batch${pluralOf(kind)}`, { body: { operations } });
  }
}

/** Returns the parameter that expands the references of an entity. */
function expandOf(own: Fields): NonNullable<Call['query']> {
  const names = Object.keys(own).map((field) => field.replace(/Ids?$/, (end) => end.slice(2)));
  return names.length > 0 ? { expand: names.join() } : {};
}

/** Creates an entity of each kind. */
async function createEntities(client: Client, subject: string): Promise<Ids> {
  let ids = {} as Ids;
  for (const kind of kinds) {
    const own = kind === 'user' ? { subject } : longFields(kind);
    ids = { ...ids, [kind]: await create(client, kind, { ...references(kind, ids), ...own }) };
  }
  return ids;
}

/** Calls the operations of a kind with an entity of it. @param others entities to which it refers for a while. */
async function callOperations(client: Client, kind: Kind, ids: Ids, others: Ids): Promise<void> {
  const [name, names, id] = [nameOf(kind), pluralOf(kind), ids[kind]];
  const own = references(kind, ids);
  const expanded = expandOf(own);
  const change = (operation: string, body: Fields) => client.call(`${operation}${name}`, { id, body });
  await change('update', { ...references(kind, others), ...shortFields(kind) });
  await change('update', longFields(kind));
  await change('replace', { name: kind, ...own, ...shortFields(kind) });
  // The result of a change under a key that changes nothing is read again.
  const { etags } = await client.call(`list${names}`, { query: { id, etags: 'true' } });
  const keyed = { 'idempotency-key': crypto.randomUUID(), 'if-match': String(etags[0]) };
  for (const operation of ['update', 'replace'])
    for (let attempt = 0; attempt < 2; attempt += 1)
      await client.call(`${operation}${name}`, { id, body: { name: kind, ...own }, headers: keyed });
  await client.call(`replace${name}`, {
    id: uuidv7(),
    body: { name: kind, ...own },
    headers: { 'if-none-match': '*' },
  });
  await client.call(`read${name}`, { id, query: expanded });
  await client.call(`list${name}History`, { id });
  const parent = kind === 'task' ? { projectId: ids.project } : kind === 'organization' ? {} : own;
  for (const query of [{}, expanded, { status: 'active' }, { name: kind, sortBy: 'name' }, parent]) {
    await client.call(`list${names}`, { query: query as Record<string, string> });
    if (query !== expanded) {
      const { sortBy: _, ...filters } = query as Record<string, string>;
      const { cursor } = await client.call(`list${name}Changes`, { query: filters });
      await client.call(`list${name}Changes`, { query: { ...filters, since: cursor } });
    }
  }
  const { results } = await client.call(`batch${names}`, {
    body: {
      operations: [
        { operation: 'create', body: { name: kind, ...own, ...longFields(kind) } },
        { operation: 'create', body: { name: kind, ...own, ...longFields(kind) } },
        { operation: 'update', id, body: longFields(kind) },
      ],
    },
  });
  const [first, second] = results.map(({ body }) => body.id);
  await client.call(`batch${names}`, {
    body: {
      operations: [
        { operation: 'update', id, body: shortFields(kind) },
        { operation: 'delete', id: first },
      ],
    },
  });
  await client.call(`delete${name}`, { id: second as string });
  await client.call(`listDeleted${names}`, { query: expanded });
  await client.call(`restore${name}`, { id: second as string });
}

/** Deletes an entity by a batch. */
const deleteInBatch = (client: Client, kind: Kind, id: string) =>
  client.call(`batch${pluralOf(kind)}`, { body: { operations: [{ operation: 'delete', id }] } });

/** Changes more than a transaction can, by each operation that then begins a job. */
async function beginJobs(client: Client): Promise<void> {
  const organization = await create(client, 'organization', {});
  const ofOrganization = { organizationId: organization };
  const [project, user, tag, otherTag] = [
    await create(client, 'project', ofOrganization),
    await create(client, 'user', ofOrganization),
    await create(client, 'tag', ofOrganization),
    await create(client, 'tag', ofOrganization),
  ];
  const otherUser = await create(client, 'user', ofOrganization);
  const ofTasks = { projectId: project, description: long, tagIds: [tag, otherTag] };
  await createMany(client, 'task', { ...ofTasks, userId: user });
  await createMany(client, 'task', { tagIds: [], userId: otherUser });
  const [parent, otherParent] = [await create(client, 'task', {}), await create(client, 'task', {})];
  await createMany(client, 'task', { parentId: parent });
  await createMany(client, 'task', { parentId: otherParent });
  await client.call('updateTask', { id: otherParent, body: { parentId: parent } });
  await client.call('updateTask', { id: otherParent, body: { parentId: null } });
  await client.call('deleteTask', { id: parent });
  await deleteInBatch(client, 'task', otherParent);
  await client.untilTotal('listTasks', { query: { 'parentId[in]': `${parent},${otherParent}` } }, 0);
  await client.call('restoreTask', { id: parent });
  await client.untilTotal('listTaskTasks', { id: parent }, many);
  // On a busy machine, the schedule can finish one of these jobs before the stream has begun it.
  const clones = ['Clone', 'Second clone'];
  for (const name of clones) {
    const { id: clone } = await client.call('cloneProject', { id: project, body: { name } });
    await client.untilTotal('listProjectTasks', { id: clone }, many);
  }
  await client.call('deleteUser', { id: user });
  await deleteInBatch(client, 'user', otherUser);
  await client.call('deleteTag', { id: tag });
  await deleteInBatch(client, 'tag', otherTag);
  await client.call('deleteProject', { id: project });
  await client.untilTotal('listTasks', { query: { projectId: project } }, 0);
  await client.call('restoreProject', { id: project });
  await client.untilTotal('listTasks', { query: { projectId: project } }, many);
  await deleteInBatch(client, 'project', project);
  await createMany(client, 'project', ofOrganization);
  await client.call('archiveOrganization', { id: organization });
  await client.untilTotal(
    'listOrganizationProjects',
    { id: organization, query: { status: 'archived' } },
    many + clones.length,
  );
  await client.call('deleteOrganization', { id: organization });
  await client.untilTotal('listProjects', { query: { organizationId: organization } }, 0);
  await client.call('restoreOrganization', { id: organization });
  await client.untilTotal('listProjects', { query: { organizationId: organization } }, many + clones.length);
  await deleteInBatch(client, 'organization', organization);
  await client.untilTotal('listProjects', { query: { organizationId: organization } }, 0);
}

/** Calls the lists of what refers to entities. */
async function callNestedLists(client: Client, ids: Ids): Promise<void> {
  for (const { contract } of routes.filter(({ contract: { nestedBy } }) => nestedBy)) {
    const { kind } = contract.resource as Resource<Kind>;
    const parent = resources.find(({ plural }) => plural === collectionOf(contract)) as Resource<Kind>;
    const others = Object.entries(references(kind, ids)).filter(([field]) => field !== contract.nestedBy);
    for (const query of [
      {},
      expandOf(references(kind, ids)),
      { status: 'active', sortBy: 'name' },
      Object.fromEntries(others.slice(0, 1)) as Record<string, string>,
    ])
      await client.call(contract.operation, { id: ids[parent.kind], query });
  }
}

async function callAll(client: Client): Promise<void> {
  const ids = await createEntities(client, 'somebody');
  const others = await createEntities(client, 'somebody else');
  await client.call('readSignedInUser');
  for (const someone of [false, true]) {
    isViewer = someone;
    await callNestedLists(client, ids);
    // Who is who is said by administrators.
    for (const kind of kinds.filter((one) => !(isViewer && resourceOf(one).unique)))
      await callOperations(client, kind, ids, others);
  }
  isViewer = false;
  for (const { contract } of routes.filter(
    ({ contract }) => !contract.resource && !called.has(contract.operation),
  )) {
    await client.call(contract.operation, {});
  }
  await beginJobs(client);
}

/** Follows the tasks, and waits until a new one is announced. */
async function hearOfChange(client: Client): Promise<void> {
  const { channels } = (await client.call('readLive')) as unknown as {
    readonly channels: Readonly<Record<string, string>>;
  };
  const follower = new LiveClient(client.url, tokens.administrator);
  await follower.open();
  const { type } = await follower.subscribe(channels['tasks'] ?? '', tokens.administrator);
  if (type !== 'subscribe_success') throw new Error(`The subscription is answered with ${type}.`);
  await create(client, 'task', {});
  await follower.position();
  follower.close();
}

/** The schedule runs the jobs when the stream is not read. */
async function runSchedule(client: Client): Promise<void> {
  const organization = await create(client, 'organization', {});
  const project = await create(client, 'project', { organizationId: organization });
  await createMany(client, 'task', { projectId: project, description: long });
  await client.call('deleteOrganization', { id: organization });
  await client.untilTotal('listTasks', { query: { projectId: project } }, 0);
}

let issuer: Issuer;
let tokens: { readonly administrator: string; readonly viewer: string };
let reports: PermissionReport[];
let unpublished: string;

beforeAll(async () => {
  // The limit of a stage that is not disposable adds its permissions to the roles. With the bus, the function that compacts logs also publishes.
  await synthesize({ tenantRate: defaultTenantRate, eventBus: true }, assembly);
  issuer = await startIssuer();
  const scopes = routes.flatMap(({ contract }) => scopeOf(contract) ?? []);
  const tokenWith = (names: readonly string[]) =>
    issuer.token({ scope: names.map((name) => `${resourceServer}/${name}`).join(' ') });
  tokens = {
    administrator: await tokenWith(['all-projects', ...scopes]),
    viewer: await tokenWith(scopes),
  };
  environment = { AUTHENTICATION_ISSUER: issuer.url, AUTHENTICATION_AUDIENCE: audience };
  const client = await startClient();
  await callAll(client);
  await hearOfChange(client);
  unpublished = await client.started.printed(/The bus has accepted the first event|has stopped a loop/);
  const scheduled = await startClient('--without-stream');
  await runSchedule(scheduled);
  reports = [...(await client.stop()), ...(await scheduled.stop())];
});

afterAll(async () => {
  await killLeftovers();
  await issuer.stop();
});

test('each operation is called', () => {
  expect([...called].sort()).toEqual([...contracts.keys()].sort());
});

test('no call lacks a permission', () => {
  expect(reports.filter(({ refused }) => refused.length > 0)).toEqual([]);
});

test('the queue of unpublished events calls its function until the bus accepts them, more often than Lambda lets in a chain', () => {
  expect(unpublished).toMatch('The bus has accepted the first event');
});

/** Returns whether a run cannot use a permission. */
const isUnusable = (permission: string): boolean =>
  // Lambda itself sends what it gives up.
  /sqs:SendMessage .*:DeadLetters/.test(permission) ||
  // Lambda itself receives what the queue has.
  /sqs:(?:DeleteMessage|GetQueueAttributes|ReceiveMessage) /.test(permission) ||
  // Replaced columns are deleted an hour later. The simulation does it.
  /^onLogRecords\S* dynamodb:DeleteItem /.test(permission) ||
  // The first page of more than 2,000 rows: the simulation reaches it with fewer.
  /^list\w* dynamodb:Query .*\/index\/by-(?:creation|status)$/.test(permission) ||
  // Only a log without a sequencer is queried. The simulation has logs that lost it.
  /^(?:batch|create|delete)\w* dynamodb:Query [^/]*\/[^/]*$/.test(permission) ||
  // A function whose requests use little does not publish it.
  permission.endsWith(`(${ratePrefix}*)`);

const permissionsIn = (state: 'used' | 'unused'): string[] => [
  ...new Set(reports.flatMap((report) => report[state].map((one) => `${report.function} ${one}`))),
];

test('no permission lacks a call', () => {
  const used = permissionsIn('used');
  expect(permissionsIn('unused').filter((one) => !used.includes(one) && !isUnusable(one))).toEqual([]);
  // Each function has this permission, and one of them suffices.
  expect(used.filter((one) => one.endsWith(`(${ratePrefix}*)`))).not.toEqual([]);
});
