/** What the clients of a history do: random writes, lists, feeds and histories. Each response is compared with the moments of its request. */
import { type Entity, type Kind, kinds, listOf } from './list-model.ts';
import { countMembers, restorable, type State, type Version } from './moments.ts';
import { type Response, tokenOf } from './process.ts';
import type { Random } from './random.ts';
import { plurals, randomList, targetOf } from './random-lists.ts';
import { isOfErasedProject, type Sees, sightsSince, type Viewer, viewers } from './sight.ts';
import type { World } from './world.ts';

/** Statuses that a request may have while calls fail. */
const unavailable = 503;

const texts = [
  ...['', 'x', 'A short text', `${'é'.repeat(60)}y`, 'z'.repeat(101), 'long '.repeat(120)],
  ...[`${'Words, '.repeat(20)} älpha at the end`, `${'more '.repeat(90)} beta`],
];
/** Letters of many scripts, in ranges; marks and pictures too. */
const scripts = [
  ...[
    [0x61, 0x7a],
    [0xc0, 0x17f],
    [0x391, 0x3c9],
    [0x410, 0x44f],
    [0x5d0, 0x5ea],
    [0x620, 0x64a],
  ],
  ...[
    [0x905, 0x939],
    [0x300, 0x320],
    [0x4e00, 0x4eff],
    [0xac00, 0xacff],
    [0xfb00, 0xfb06],
  ],
  ...[
    [0x1f600, 0x1f64f],
    [0x10400, 0x1044f],
  ],
] as const;

/** Characters of descriptions: around the limits of rows and items, and up to the maximum. */
const lengths = [1, 99, 100, 101, 300, 401, 2_500, 9_999, 10_000];

/** Returns words of one script, so many characters in all. Long ones repeat their beginning. */
function randomText(random: Random): string {
  const [first, last] = random.pick(scripts);
  const character = (): string =>
    random.chance(0.2) ? ' ' : String.fromCodePoint(first + random.below(last - first + 1));
  const beginning = `w${Array.from({ length: 200 }, character).join('')}`;
  const length = random.pick(lengths);
  return [...beginning.repeat(Math.ceil(length / 200))].slice(0, length).join('').trim();
}

const statuses = ['active', 'planned', 'done'];
const priorities = ['none', 'low', 'medium', 'high', 'urgent'];
const estimates = [null, 0, 0.07, 2.5, 1_000, 100_000];
const dates = [null, '2026-01-01', '2026-01-02'];
const positions = [null, 'b', 'B', '\u{10400}', '\uFF5E', '\u{1F600}'];

/** Milliseconds by which the ids that apps make are in the past, at most. */
const maxOwnIdAgeMs = 7 * 86_400_000;

const versionOf = (etag = ''): number => Number(/-(\d+)"$/.exec(etag)?.[1] ?? 0);

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the fields of an entity in one order. */
const ordered = (entity: object): object =>
  Object.fromEntries(Object.entries(entity).sort(([one], [other]) => (one < other ? -1 : 1)));

const sameEntity = (one: object, other: object): boolean => same(ordered(one), ordered(other));

interface ListBody {
  readonly data: readonly Entity[];
  readonly etags: readonly string[];
  readonly total: number;
  readonly page: number;
  readonly totalPages: number;
  readonly counts?: unknown;
  readonly sums?: unknown;
}

interface ChangesBody {
  readonly data: readonly Entity[];
  readonly etags: readonly string[];
  readonly removed: readonly string[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

interface BatchBody {
  readonly results: readonly { readonly status: number; readonly body?: Entity }[];
}

/** Ids of an array, at most. */
const maxIds = 50;

export class Writer {
  readonly #world: World;
  readonly #random: Random;
  #names = 0;
  /** Descriptions of before: many entities have equal ones. */
  readonly #texts: string[] = [...texts];

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  get #state(): State {
    return this.#world.moments.state;
  }

  #anyId(kind: Kind): string | undefined {
    const ids = [...this.#state[kind].keys()];
    if (ids.length === 0) return undefined;
    // Often one that has just changed.
    return this.#random.chance(0.3) ? ids.at(-1) : this.#random.pick(ids);
  }

  /** Returns different ids in any order: often none or a few, sometimes many. */
  #anyIds(kind: Kind): string[] {
    const count = this.#random.pick([0, 1, 2, 2, 5, maxIds]);
    const ids = Array.from({ length: count }, () => this.#anyId(kind)).filter((id) => id !== undefined);
    return [...new Set(ids)];
  }

  /** Returns a name that no other request has: it shows whether a write was applied, and how often. */
  #name(): string {
    this.#names += 1;
    return `${this.#world.newMark()} ${this.#random.pick(['alpha', 'Beta', 'ünder'])}`;
  }

  #keyOf(name: string): Readonly<Record<string, string>> {
    return { 'idempotency-key': name.replaceAll(' ', '-').replace('ü', 'u') };
  }

  /** Requires a version, with a key: then an attempt does not fail because of an earlier one. */
  #conditionOf({ entity: { id }, version }: Version, name: string): Readonly<Record<string, string>> {
    return { 'if-match': `"${id.slice(-12)}-${version}"`, ...this.#keyOf(name) };
  }

  #optional(id: string | undefined): string | null {
    return id === undefined || this.#random.chance(0.3) ? null : id;
  }

  #text(): string {
    if (this.#random.chance(0.1)) this.#texts.push(randomText(this.#random));
    return this.#random.pick(this.#texts);
  }

  #fields(kind: Kind, name: string): Record<string, unknown> {
    const random = this.#random;
    const common = { name, status: random.pick(statuses) };
    const organizationId = this.#optional(this.#anyId('organization'));
    const email = random.pick([null, 'Ada@example.com', 'bob@example.com']);
    // Two users cannot have one.
    const subject = random.pick([null, null, 'ada', name]);
    if (kind === 'user') return { ...common, email, organizationId, subject };
    const described = { ...common, description: this.#text() };
    if (kind === 'organization') return described;
    if (kind === 'tag')
      return { ...described, color: random.pick(['#808080', '#ff8800', '#000000']), organizationId };
    if (kind === 'project') {
      const dueDate = random.pick(dates);
      const own = { organizationId: this.#anyId('organization') ?? '', dueDate, ...this.#visibility() };
      return { ...described, ...own, startDate: random.pick([null, '2025-12-31', '2026-01-01']) };
    }
    return {
      ...described,
      priority: random.pick(priorities),
      dueDate: random.pick(dates),
      estimate: random.pick(estimates),
      position: random.pick(positions),
      projectId: this.#optional(this.#anyId('project')),
      parentId: this.#optional(this.#anyId('task')),
      userId: this.#optional(this.#anyId('user')),
      tagIds: this.#anyIds('tag'),
    };
  }

  /** Returns who sees a project. */
  #visibility(): Record<string, unknown> {
    return {
      visibility: this.#random.pick(['tenant', 'tenant', 'members']),
      memberIds: this.#anyIds('user'),
    };
  }

  /** Returns some of the fields: what a change has. */
  #changes(kind: Kind, name: string): Record<string, unknown> {
    const { name: own, ...others } = this.#fields(kind, name);
    const chosen = Object.entries(others).filter(
      ([field, value]) => this.#random.chance(0.3) && !(field === 'organizationId' && value === ''),
    );
    return { name: own, ...Object.fromEntries(chosen) };
  }

  /** Makes one random write. */
  async step(): Promise<void> {
    const random = this.#random;
    const kind = random.pick<Kind>([
      'task',
      'task',
      'task',
      'task',
      'project',
      'organization',
      'user',
      'tag',
    ]);
    const id = this.#anyId(kind);
    const dice = random.next();
    if (dice < 0.35 || id === undefined || this.#state[kind].size < 3) return this.#create(kind);
    if (dice < 0.6) return this.#update(kind, id);
    if (dice < 0.68) return this.#batch();
    if (dice < 0.74) return this.#delete(kind, id);
    if (dice < 0.81)
      return this.#undo(random.pick(['task', 'project', 'project', 'organization', 'organization']));
    if (dice < 0.88) return this.#restore();
    if (dice < 0.93) return this.#act('project', 'clone');
    if (dice < 0.96) return this.#act('organization', 'archive');
    return this.#createWithOwnId();
  }

  async #create(kind: Kind): Promise<void> {
    const name = this.#name();
    const body = this.#fields(kind, name);
    const headers = this.#keyOf(name);
    await this.#write('POST', `/v1/${plurals[kind]}`, { body, name, headers, isRepeatable: true });
  }

  /** An app makes the id, and repeats the request until it has a response. */
  async #createWithOwnId(): Promise<void> {
    const name = this.#name();
    const id = this.#world.newId(this.#random.below(maxOwnIdAgeMs));
    const key = this.#random.chance(0.5) && this.#keyOf(name);
    await this.#write('PUT', `/v1/tasks/${id}`, {
      body: this.#fields('task', name),
      name,
      headers: { 'if-none-match': '*', ...key },
      isRepeatable: true,
    });
  }

  async #update(kind: Kind, id: string): Promise<void> {
    const name = this.#name();
    const known = this.#state[kind].get(id);
    const isConditional = known !== undefined && this.#random.chance(0.3);
    await this.#write('PATCH', `/v1/${plurals[kind]}/${id}`, {
      body: this.#changes(kind, name),
      name,
      ...(isConditional && { headers: this.#conditionOf(known, name), isRepeatable: true }),
    });
  }

  async #delete(kind: Kind, id: string): Promise<void> {
    const known = this.#random.chance(0.3) ? this.#state[kind].get(id) : undefined;
    const headers = known && this.#conditionOf(known, this.#name());
    const path = `/v1/${plurals[kind]}/${id}`;
    const { status } = await this.#sendOnceOrTwice('DELETE', path, undefined, headers);
    this.#world.allow(status, [204, 404, 409, ...(known ? [412] : [])]);
  }

  /** Restores any deleted entity: the root of a deletion, or a part of it. */
  async #restore(): Promise<void> {
    const kind = this.#random.pick<Kind>(['task', 'task', 'project', 'organization', 'user']);
    const deleted = [...this.#state.trash[kind].keys()];
    if (deleted.length === 0) return;
    await this.#restoreEntity(
      kind,
      (this.#random.chance(0.5) && deleted.at(-1)) || this.#random.pick(deleted),
    );
  }

  async #restoreEntity(kind: Kind, id: string): Promise<void> {
    const headers = this.#random.chance(0.5) ? this.#keyOf(this.#name()) : undefined;
    const path = `/v1/${plurals[kind]}/${id}/restore`;
    const first = this.#world.moments.last;
    const { status, body } = await this.#sendOnceOrTwice('POST', path, undefined, headers);
    this.#world.allow(status, [200, 404, 409]);
    if (status === 200) this.#requireOwners(kind, body as Entity, first);
  }

  /**
   * What a restored entity belongs to has existed since the entity was deleted. Another request can have restored it at the moment of a further deletion, whose job
   * removes it; the end of the history requires that it has.
   */
  #requireOwners(kind: Kind, entity: Entity, first: number): void {
    const { states: all } = this.#world.moments;
    if (all[first]?.[kind].has(entity.id)) return;
    let deleted = first;
    while (deleted > 0 && !all[deleted]?.[kind].has(entity.id)) deleted -= 1;
    const states = all.slice(deleted);
    for (const [field, owner] of [
      ['organizationId', 'organization'],
      ['projectId', 'project'],
      ['parentId', 'task'],
    ] as const) {
      const id = entity[field];
      if (typeof id === 'string' && !states.some((state) => state[owner].has(id)))
        throw new Error(`The restored ${kind} ${entity.id} belongs to the ${owner} ${id}, which is deleted.`);
    }
  }

  /** Returns an organization, mostly one with a project. */
  #anyOwner(): string | undefined {
    const project = this.#state.project.get(this.#anyId('project') ?? '');
    return (project?.entity['organizationId'] as string | undefined) ?? this.#anyId('organization');
  }

  /** Restores an entity, and beside it some of what was deleted with it: its job has reached none of them, some or all. */
  async #restoreInParts(kind: Kind, id: string): Promise<void> {
    const random = this.#random;
    const partsOf = (of: Kind): string[] => {
      const members = [...this.#state.trash[of].values()].filter(
        ({ entity }) => entity['deletedWith'] === id,
      );
      return members.length === 0 ? [] : [random.pick(members).entity.id, random.pick(members).entity.id];
    };
    const later = async (of: Kind, part: string): Promise<void> => {
      await this.#world.wait(random.below(random.pick([10, 2_000, 5_000])));
      await this.#restoreEntity(of, part);
    };
    const parts = (['project', 'task'] as const).map((of) => [of, new Set(partsOf(of))] as const);
    await Promise.all([
      this.#restoreEntity(kind, id),
      ...parts.flatMap(([of, own]) => [...own].map((part) => later(of, part))),
    ]);
  }

  /** Deletes an entity, takes this back at once or a moment later, also in parts, and does the same with what it belongs to. */
  async #undo(kind: Kind): Promise<void> {
    const random = this.#random;
    const id = kind === 'organization' ? this.#anyOwner() : this.#anyId(kind);
    if (id === undefined) return;
    const owner = this.#state[kind].get(id)?.entity['organizationId'];
    await this.#delete(kind, id);
    await this.#world.wait(random.below(random.pick([10, 2_000, 20_000])));
    await this.#restoreInParts(kind, id);
    if (kind !== 'project' || random.chance(0.5)) return;
    await this.#world.wait(random.below(random.pick([10, 2_000])));
    const [again, of] = random.chance(0.5) ? [id, kind] : [String(owner), 'organization' as const];
    await this.#delete(of, again);
    await this.#world.wait(random.below(random.pick([10, 2_000])));
    if (random.chance(0.7)) await this.#restoreEntity(of, again);
  }

  async #act(kind: Kind, action: string): Promise<void> {
    const id = this.#anyId(kind);
    if (id === undefined) return;
    const name = this.#state[kind].get(id)?.entity['name'];
    if (action === 'clone') this.#world.expectCopyOf(String(name));
    const headers = this.#random.chance(0.5) ? this.#keyOf(this.#name()) : undefined;
    const path = `/v1/${plurals[kind]}/${id}/${action}`;
    const { status } = await this.#sendOnceOrTwice('POST', path, undefined, headers);
    this.#world.allow(status, [200, 201, 404]);
  }

  async #batch(): Promise<void> {
    const name = this.#name();
    const [updated, deleted] = [this.#anyId('task'), this.#anyId('task')];
    const operations: object[] = [{ operation: 'create', body: this.#fields('task', name) }];
    if (updated) operations.push({ operation: 'update', id: updated, body: { name } });
    if (deleted && deleted !== updated) operations.push({ operation: 'delete', id: deleted });
    const first = this.#world.moments.last;
    const headers = this.#keyOf(name);
    const response = await this.#sendOnceOrTwice('POST', '/v1/tasks/batch', { operations }, headers);
    this.#world.allow(response.status, [200, 400, 404]);
    const carrying = this.#world.timesNamed(name);
    // All of it or nothing.
    const whole = updated ? 2 : 1;
    if (![0, whole].includes(carrying))
      throw new Error(`A batch was applied in part: ${carrying} of ${whole}.`);
    if (response.status !== 200) return;
    if (carrying !== whole) throw new Error('A batch that succeeded was not applied.');
    for (const { body } of (response.body as BatchBody).results) if (body) this.#requireMoment(body, first);
  }

  /** Sends a write that is applied at most once, and exactly once when it succeeds. */
  async #write(
    method: string,
    path: string,
    {
      body,
      name,
      headers,
      isRepeatable = false,
    }: {
      readonly body: object;
      readonly name: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly isRepeatable?: boolean;
    },
  ): Promise<void> {
    const first = this.#world.moments.last;
    for (let attempt = 1; ; attempt += 1) {
      const { status, body: returned } = await this.#sendOnceOrTwice(method, path, body, headers);
      // 412: the version has changed, or an earlier attempt without a key has created the entity. 409: a reference.
      const isKeyed = headers?.['idempotency-key'] !== undefined;
      const mayBeStale = !isKeyed || headers['if-match'] !== undefined;
      this.#world.allow(status, [200, 201, 400, 404, 409, ...(mayBeStale ? [412] : [])]);
      this.#requireOnce(`${method} ${path}`, { name, status, isKnown: isKeyed || attempt === 1 });
      if (status < 300) this.#requireMoment(returned as Entity, first);
      if (status !== unavailable) return;
      if (!isRepeatable || attempt === 5) return;
      await this.#world.wait(2_000);
    }
  }

  /** Sends a request. One with a key is sometimes sent again before it has a response: the second one returns what the first one does. */
  async #sendOnceOrTwice(...request: Parameters<World['send']>): Promise<Response> {
    const isTwice = request[3]?.['idempotency-key'] !== undefined && this.#random.chance(0.4);
    if (!isTwice) return this.#send(...request);
    const again = async (): Promise<Response> => {
      await this.#world.wait(this.#random.below(this.#random.pick([3, 30, 200])));
      return this.#send(...request);
    };
    const first = this.#world.moments.last;
    const responses = await Promise.all([this.#send(...request), again()]);
    const applied = responses.find(({ status }) => status < 300);
    // What a request refers to, or names, can leave and come back between its attempts: a refusal because of that is not recorded. Neither is
    // one because of a subject that another user had.
    const states = this.#world.moments.states.slice(first);
    const text = JSON.stringify(request);
    const isNamed = (id: string): boolean => text.includes(id);
    const wasGone = states.some(({ trash }) => kinds.some((kind) => [...trash[kind].keys()].some(isNamed)));
    const { subject } = (request[2] ?? {}) as { readonly subject?: unknown };
    const isAnother = ([id, { entity }]: [string, { readonly entity: Entity }]): boolean =>
      typeof subject === 'string' &&
      entity['subject'] === subject &&
      id !== (applied?.body as Entity | undefined)?.id;
    const wasTaken = states.some(({ user }) => [...user].some(isAnother));
    const ignored = [unavailable, 400, ...(wasGone || wasTaken ? [404, 409] : [])];
    const known = responses.filter(({ status }) => !ignored.includes(status));
    // What a request has not changed is read again for the second response, which has the tag of the first one.
    const isAgain = ({ status, headers, body }: Response): boolean =>
      status === applied?.status &&
      (same(body, applied.body) ||
        (headers['etag'] !== undefined && headers['etag'] === applied.headers['etag']));
    if (applied && !known.every(isAgain))
      throw new Error(`Two attempts of ${request[1]} returned ${JSON.stringify(responses)}.`);
    return applied ?? responses.find(({ status }) => status === unavailable) ?? responses[0];
  }

  /**
   * A write is applied at most once: exactly once when it succeeds, and never when it is refused.
   * @param isKnown whether a refused attempt tells that no earlier one was applied.
   */
  #requireOnce(
    request: string,
    { name, status, isKnown }: { readonly name: string; readonly status: number; readonly isKnown: boolean },
  ): void {
    const applied = this.#world.timesNamed(name);
    const expected = status < 300 ? [1] : status !== unavailable && isKnown ? [0] : [0, 1];
    if (!expected.includes(applied))
      throw new Error(`${request} responded ${status} and was applied ${applied} times.`);
  }

  /** A response shows an entity as it was at some moment of the request. */
  #requireMoment(entity: Entity, first: number): void {
    const kind = this.#world.moments.kindOf(entity.id);
    const isShown = this.#world.moments.some(first, (state) => {
      const known = kind && state[kind].get(entity.id);
      return known !== undefined && sameEntity(known.entity, entity);
    });
    if (!isShown) throw new Error(`No moment has the entity ${JSON.stringify(entity)}.`);
  }

  #send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response> {
    return this.#world.send(method, path, body, headers);
  }
}

/** Rounds until all that is deleted is restored: what belongs to something comes back after that. */
const maxRounds = 6;

/** Restores all roots of deletions, in any order. Afterwards nothing is deleted but what cannot be restored. */
export async function restoreAll(world: World): Promise<void> {
  const { moments, random } = world;
  const rootsOf = (kind: Kind) =>
    restorable(moments.state, kind, world.time.now()).filter(({ entity }) => entity['deletedWith'] === null);
  let refused: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const roots = kinds.flatMap(rootsOf).sort(() => random.next() - 0.5);
    refused = [];
    for (const { kind, entity } of roots) {
      const { status } = await world.send('POST', `/v1/${plurals[kind]}/${entity.id}/restore`);
      world.allow(status, [200, 404, 409]);
      if (status === 409) refused.push(entity.id);
      await world.wait(random.below(random.pick([10, 3_000])));
    }
    await world.settle();
    if (roots.length === refused.length) break;
  }
  for (const kind of kinds)
    for (const { entity, stored } of restorable(moments.state, kind, world.time.now()))
      if (!refused.includes(stored.deletion.root.id))
        throw new Error(`The ${kind} ${entity.id} (${entity['name']}) has not come back.`);
}

/** Returns the headers of a caller who does not see all; of another one, none. */
const headersOf = (viewer: Viewer | undefined): Readonly<Record<string, string>> =>
  viewer === undefined ? {} : { authorization: tokenOf(viewer) };

/** Reads a random list, and requires that it is the list of one moment of the request. */
export async function readList(world: World, random: Random): Promise<void> {
  const { moments, time } = world;
  const first = moments.last;
  const request = randomList(random, moments.state, time.now());
  const { kind, isDeleted } = request;
  const target = targetOf(request);
  const viewer = random.chance(0.4) ? random.pick(viewers) : undefined;
  const { status, body } = await world.send('GET', target, undefined, headersOf(viewer));
  world.allow(status, [200]);
  if (status !== 200) return;
  const { data, total, totalPages, counts, sums, etags } = body as ListBody;
  const nowMs = time.now();
  const shown = data.map(({ restores: _, ...entity }) => entity as unknown as Entity);
  const listed = (state: State) => (isDeleted ? restorable(state, kind, nowMs) : [...state[kind].values()]);
  const expectedOf = (state: State, sees: Sees) =>
    listOf(
      listed(state).flatMap(({ entity }) => (sees(kind, entity) ? [entity] : [])),
      request,
    );
  const sights = sightsSince(moments, first, viewer);
  const isOf = (state: State, sees: Sees): boolean => {
    const expected = expectedOf(state, sees);
    const versions = isDeleted ? state.trash[kind] : state[kind];
    return (
      expected.total === total &&
      expected.totalPages === totalPages &&
      same(expected.counts, counts) &&
      same(expected.sums, sums) &&
      expected.data.length === data.length &&
      expected.data.every((entity, place) => sameEntity(entity, shown[place] as Entity)) &&
      data.every(({ id }, place) => versions.get(id)?.version === versionOf(etags[place]))
    );
  };
  const isOfMoment = moments.some(first, (state) => sights.some((sees) => isOf(state, sees)));
  world.counts.lists += 1;
  const example = (): string => JSON.stringify(expectedOf(moments.state, sights.at(-1) as Sees));
  if (!isOfMoment)
    throw new Error(
      `Wrong list ${target} of ${viewer ?? 'all'}: ${JSON.stringify(body)}\nexpected, for example, ${example()}`,
    );
  if (isDeleted && viewer === undefined) requireMembers(world, kind, data, first);
}

/** A list of deleted entities tells how many others come back with each: as many as there are at moments of the request. */
function requireMembers({ moments, time }: World, kind: Kind, data: readonly Entity[], first: number): void {
  const states = moments.states.slice(first);
  for (const { id, restores } of data) {
    const counts = states.map((state) => {
      const root = state.trash[kind].get(id);
      return root ? countMembers(state, root, time.now()) : 0;
    });
    // Each kind is counted at a moment of its own.
    if (Number(restores) < Math.min(...counts) || Number(restores) > Math.max(...counts))
      throw new Error(`The ${kind} ${id} restores ${restores}, not ${Math.max(...counts)} others.`);
  }
}

/** A copy of a list that follows its feed. */
export class Follower {
  readonly #world: World;
  readonly #kind: Kind;
  readonly #filter: (entity: Entity) => boolean;
  readonly #query: string;
  /** Absent for one who sees all. */
  readonly #viewer: Viewer | undefined;
  readonly #copy = new Map<string, Entity>();
  readonly #versions = new Map<string, number>();
  #since: string | undefined;
  /** The ids that came since the feed began again. */
  #found: Set<string> | undefined;
  /** Whether the copy has been complete. Until then, it can have an older version of an entity. */
  #isComplete = false;

  constructor(world: World, kind: Kind, query: string, filter: (entity: Entity) => boolean, viewer?: Viewer) {
    this.#viewer = viewer;
    this.#world = world;
    this.#kind = kind;
    this.#query = query;
    this.#filter = filter;
  }

  /** Reads a page and applies it. Returns whether more follow; a failed request changes nothing. */
  async poll(limit: number): Promise<boolean> {
    const since = this.#since === undefined ? '' : `&since=${this.#since}`;
    const first = this.#world.moments.last;
    const path = `/v1/${plurals[this.#kind]}/changes?${this.#query}etags=true&limit=${limit}${since}`;
    const { status, body } = await this.#world.send('GET', path, undefined, headersOf(this.#viewer));
    this.#world.allow(status, [200, 410]);
    if (status === 410) {
      this.#since = undefined;
      this.#found = new Set();
      this.#isComplete = false;
    }
    if (status !== 200) return true;
    const { cursor, hasMore } = body as ChangesBody;
    if (hasMore && cursor === this.#since)
      throw new Error(`A feed has more behind the cursor that it was asked with.`);
    this.#apply(body as ChangesBody);
    if (!(body as ChangesBody).hasMore) this.#requireCurrent(first);
    return (body as ChangesBody).hasMore;
  }

  #apply({ data, etags, removed, cursor, hasMore }: ChangesBody): void {
    for (const [position, entity] of data.entries()) {
      const version = versionOf(etags[position]);
      const known = this.#versions.get(entity.id) ?? 0;
      if (version < known && this.#isComplete)
        throw new Error(`${entity.id} went back from version ${known} to ${version}.`);
      this.#versions.set(entity.id, version);
      this.#copy.set(entity.id, entity);
      this.#found?.add(entity.id);
    }
    for (const id of removed) this.#copy.delete(id);
    this.#since = cursor;
    if (hasMore) return;
    this.#isComplete = true;
    if (!this.#found) return;
    for (const id of this.#copy.keys()) if (!this.#found.has(id)) this.#copy.delete(id);
    this.#found = undefined;
  }

  /** Every write that was acknowledged before the request is in the copy: each entity is as at some moment of the request. */
  #requireCurrent(first: number): void {
    const { moments } = this.#world;
    const ids = new Set([...this.#copy.keys(), ...moments.state[this.#kind].keys()]);
    const sights = sightsSince(moments, first, this.#viewer);
    const seenBy = (entity: Entity) => new Set(sights.map((sees) => sees(this.#kind, entity)));
    for (const id of ids) {
      const own = this.#copy.get(id);
      // What was hidden or shown during the request can be as it was before: the next request begins again.
      if (own && seenBy(own).size > 1) continue;
      const isCurrent = moments.some(first, (state) => {
        const entity = state[this.#kind].get(id)?.entity;
        if (entity === undefined || !this.#filter(entity)) return own === undefined;
        const isOwn = own !== undefined;
        const mayHave = isOwn && isOfErasedProject(state, entity);
        const seen = seenBy(entity);
        if (!mayHave && !seen.has(isOwn)) return false;
        if (own === undefined || seen.size > 1) return true;
        // A description that was read by itself can be newer than its version.
        const isDescription = moments.some(first, (later) => {
          const found = later[this.#kind].get(id)?.entity;
          return found?.['description'] === own['description'];
        });
        return isDescription && sameEntity({ ...own, description: entity['description'] ?? null }, entity);
      });
      if (!isCurrent) throw new Error(`The copy of ${id} is ${JSON.stringify(own)}.`);
    }
    this.#world.counts.feeds += 1;
  }
}

/** Fields that histories leave out. */
const untold = ['id', 'createdAt', 'updatedAt'];

/** Returns a value as a history shows it. */
const told = (field: string, value: unknown): unknown =>
  field === 'description' ? [...String(value)].slice(0, 100).join('') : value;

interface HistoryEntry {
  readonly version: number;
  readonly operation: string;
  readonly changes: Readonly<Record<string, { readonly from?: unknown; readonly to?: unknown }>>;
}

/** Returns the values that a history shows of a change: those of the fields that differ. */
function toldChanges(before: Entity | undefined, after: Entity | undefined): HistoryEntry['changes'] {
  const fields = Object.keys(after ?? before ?? {}).filter((field) => !untold.includes(field));
  const changed = fields.filter((field) => !before || !after || !same(before[field], after[field]));
  return Object.fromEntries(
    changed.map((field) => [
      field,
      {
        ...(before && { from: told(field, before[field]) }),
        ...(after && { to: told(field, after[field]) }),
      },
    ]),
  );
}

/** Reads the whole history of an entity, and compares it with its versions. Nobody writes meanwhile. */
export async function checkHistory(world: World, { kind, entity }: Version): Promise<void> {
  const seen: HistoryEntry[] = [];
  let isWhole = true;
  for (let after = ''; ; ) {
    const path = `/v1/${plurals[kind]}/${entity.id}/changes?limit=20${after && `&after=${after}`}`;
    const { status, body } = await world.send('GET', path);
    if (status !== 200) throw new Error(`GET ${path} responded ${status}.`);
    const page = body as { data: HistoryEntry[]; cursor: string | null; isComplete?: boolean };
    seen.push(...page.data);
    isWhole &&= page.isComplete !== false;
    if (page.cursor === null) break;
    after = page.cursor;
  }
  const versions = world.moments.versions.get(entity.id) ?? [];
  const shown = seen
    .toReversed()
    .map(({ version, changes }) => [
      version,
      Object.fromEntries(
        Object.entries(changes).map(([field, { from, to }]) => [
          field,
          { ...(from !== undefined && { from }), ...(to !== undefined && { to }) },
        ]),
      ),
    ]);
  const expected = versions.flatMap(({ version, entity: after }, place) => {
    const before = versions[place - 1]?.entity;
    // A deleted entity became a part of another deletion.
    return before || after ? [[version, toldChanges(before, after)] as const] : [];
  });
  // The records of older changes have expired.
  const left = isWhole ? expected : expected.slice(expected.length - shown.length);
  if (!same(shown.map(sortedChanges), left.map(sortedChanges)))
    throw new Error(
      `The history of ${kind} ${entity.id} is ${JSON.stringify(shown)}, not ${JSON.stringify(expected)}.`,
    );
}

const sortedChanges = ([version, changes]: readonly unknown[]): unknown => [
  version,
  ordered(changes as object),
];
