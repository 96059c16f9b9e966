/**
 * Holds a running service against itself, through its API: every list's total against what its pages hold, and every
 * reference against what it refers to. It needs no more rights than any caller, and can mend nothing.
 */
import { isDeepStrictEqual } from 'node:util';
import { routes } from '../../functions/routes.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import { type Kind, referencesOf } from '../../functions/shared/store/model/relations.ts';
import type { Drift, Orphan, Report } from './report.ts';

/** Entities on a page; the largest that is served. */
const limit = 100;

/** How often a list that does not agree with itself is walked again: it may be written to. */
const tries = 2;

interface Entity {
  readonly id: string;
  readonly status: string;
  readonly [member: string]: unknown;
}

interface Page {
  readonly data: readonly Entity[];
  readonly total: number;
  readonly totalPages: number;
}

export interface ServiceAuditOptions {
  readonly url: string;
  readonly token?: string | undefined;
  /** Hears how many more entities have been read. */
  readonly onItems?: ((number: number) => void) | undefined;
}

const lists: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter(({ success }) => success === 'list');

/** The path of each kind's collection. */
const collections = new Map(
  lists.flatMap(({ resource, path, nestedBy }) =>
    resource && nestedBy === undefined ? [[resource.kind, path] as const] : [],
  ),
);

/** The ids that a member of an entity holds. */
const idsIn = (entity: Entity, member: string): string[] => [entity[member] ?? []].flat() as string[];

/** References to what was not among what was found. */
const dangling = (entities: ReadonlyMap<Kind, readonly Entity[]>) =>
  [...entities].flatMap(([kind, children]) =>
    referencesOf(kind).flatMap(({ field: member, parent }) => {
      const known = new Set((entities.get(parent) ?? []).map(({ id }) => id));
      return children.flatMap((child) =>
        idsIn(child, member)
          .filter((id) => !known.has(id))
          .map((id) => ({ child: { kind, id: child.id }, member, id, parent })),
      );
    }),
  );

class ServiceAudit {
  readonly #options: ServiceAuditOptions;
  readonly #drifts: Drift[] = [];
  #listings = 0;

  constructor(options: ServiceAuditOptions) {
    this.#options = options;
  }

  async run(): Promise<Report> {
    const entities = new Map<Kind, readonly Entity[]>();
    for (const { path, resource, nestedBy } of lists) {
      if (resource && nestedBy === undefined) entities.set(resource.kind, await this.#walkAll(path));
    }
    for (const { path, resource, nestedBy } of lists) {
      if (resource && nestedBy !== undefined)
        await this.#checkNested(path, nestedBy, entities.get(resource.kind) ?? []);
    }
    return {
      entities: [...entities.values()].reduce((sum, { length }) => sum + length, 0),
      listings: this.#listings,
      drifts: this.#drifts,
      orphans: await this.#orphans(entities),
      malformed: [],
      unsettled: [],
      repaired: 0,
    };
  }

  async #get(path: string): Promise<{ status: number; body: unknown }> {
    const { url, token } = this.#options;
    const answer = await fetch(url + path, token ? { headers: { authorization: `Bearer ${token}` } } : {});
    const body: unknown = await answer.json();
    if (answer.status >= 300 && answer.status !== 404)
      throw new Error(`GET ${path} gives ${answer.status}: ${JSON.stringify(body)}`);
    return { status: answer.status, body };
  }

  /** Everything on a list's pages, and its total. The oldest first: what is new comes behind. */
  async #walk(path: string, query: string): Promise<{ found: Entity[]; total: number }> {
    const found = new Map<string, Entity>();
    for (let page = 1; ; page += 1) {
      const { body } = await this.#get(`${path}?sortOrder=asc&limit=${limit}&page=${page}${query}`);
      const { data, total, totalPages } = body as Page;
      for (const entity of data) found.set(entity.id, entity);
      this.#options.onItems?.(data.length);
      if (page >= totalPages) return { found: [...found.values()], total };
    }
  }

  /** Walks a list until its total is what it holds. */
  async #check(path: string, query: string): Promise<Entity[]> {
    this.#listings += 1;
    for (let attempt = 1; ; attempt += 1) {
      const { found, total } = await this.#walk(path, query);
      if (found.length === total) return found;
      if (attempt < tries) continue;
      const where = query === '' ? path : `${path}?${query.slice(1)}`;
      this.#drifts.push({ where, expected: { all: found.length }, counted: { all: total } });
      return found;
    }
  }

  async #walkAll(path: string): Promise<Entity[]> {
    const found = await this.#check(path, '');
    for (const status of new Set(found.map((entity) => entity.status)))
      await this.#check(path, `&status=${status}`);
    return found;
  }

  /** Holds the lists under each parent, and of each status in them, against what the whole list says they hold. */
  async #checkNested(path: string, member: string, entities: readonly Entity[]): Promise<void> {
    const expected = new Map<string, Record<string, number>>();
    for (const entity of entities) {
      for (const parent of idsIn(entity, member)) {
        const counts = expected.get(parent) ?? {};
        counts[entity.status] = (counts[entity.status] ?? 0) + 1;
        expected.set(parent, counts);
      }
    }
    for (const [parent, counts] of expected) {
      const own = path.replace('{id}', parent);
      const said: Record<string, number> = {};
      for (const status of Object.keys(counts)) {
        const { body } = await this.#get(`${own}?limit=1&status=${status}`);
        said[status] = (body as Page).total;
      }
      this.#listings += 1;
      // It may have been written to since the whole list was walked: then it still agrees with itself.
      if (!isDeepStrictEqual(said, counts)) await this.#check(own, '');
    }
  }

  async #orphans(entities: ReadonlyMap<Kind, readonly Entity[]>): Promise<Orphan[]> {
    const orphans: Orphan[] = [];
    for (const { child, member, id, parent } of dangling(entities)) {
      const [entity, refersTo] = [
        `${collections.get(child.kind)}/${child.id}`,
        `${collections.get(parent)}/${id}`,
      ];
      if (await this.#isOrphan(entity, member, id, refersTo)) orphans.push({ entity, member, refersTo });
    }
    return orphans;
  }

  /** Whether it still is: the parent may be new, and the child may have been swept meanwhile. */
  async #isOrphan(entity: string, member: string, id: string, refersTo: string): Promise<boolean> {
    if ((await this.#get(refersTo)).status !== 404) return false;
    const child = await this.#get(entity);
    return child.status !== 404 && idsIn(child.body as Entity, member).includes(id);
  }
}

/** Audits a service. It may be used meanwhile. */
export const auditService = (options: ServiceAuditOptions): Promise<Report> =>
  new ServiceAudit(options).run();
