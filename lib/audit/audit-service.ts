/**
 * Audits a running service through its API: compares the total of every list with its pages, and looks up every
 * reference. It needs only read access and repairs nothing. The service may be used meanwhile.
 */
import { isDeepStrictEqual } from 'node:util';
import { Connection } from '../../client/connection.ts';
import { ProblemError } from '../../client/problems.ts';
import { type Page, queryString } from '../../client/query.ts';
import { routes } from '../../functions/routes.ts';
import type { Contract } from '../../functions/shared/contract/contract.ts';
import { type Kind, referencesOf } from '../../functions/shared/store/model/relations.ts';
import type { Orphan, Report, WrongTotal } from './report.ts';

/** Attempts to read a list whose total differs from its pages. Writes during an attempt can cause a difference. */
const maxAttempts = 2;

interface Entity {
  readonly id: string;
  readonly status: string;
  readonly [field: string]: unknown;
}

export interface ServiceAuditOptions {
  readonly url: string;
  readonly token?: string | undefined;
  /** Receives the number of entities in each page that was read. */
  readonly onItems?: ((count: number) => void) | undefined;
}

const listContracts: readonly Contract[] = routes
  .map(({ contract }) => contract)
  .filter(({ success }) => success === 'list');

const collections = listContracts.flatMap(({ resource, path, nestedBy }) =>
  resource && nestedBy === undefined ? [{ kind: resource.kind, path }] : [],
);

const nestedLists = listContracts.flatMap(({ resource, path, nestedBy }) =>
  resource && nestedBy !== undefined ? [{ kind: resource.kind, path, field: nestedBy }] : [],
);

/** Returns the path of an entity. */
const pathOf = (kind: Kind, id: string): string =>
  `${collections.find((collection) => collection.kind === kind)?.path}/${id}`;

/** Returns the ids in a field, which holds one id, several or none. */
const idsIn = (entity: Entity, field: string): string[] => [entity[field] ?? []].flat() as string[];

/** Returns the references to entities that were not found. */
const danglingReferences = (entities: ReadonlyMap<Kind, readonly Entity[]>) =>
  [...entities].flatMap(([kind, children]) =>
    referencesOf(kind).flatMap(({ field, parent }) => {
      const known = new Set((entities.get(parent) ?? []).map(({ id }) => id));
      return children.flatMap((child) =>
        idsIn(child, field)
          .filter((id) => !known.has(id))
          .map((id) => ({ entity: pathOf(kind, child.id), field, id, refersTo: pathOf(parent, id) })),
      );
    }),
  );

class ServiceAudit {
  readonly #connection: Connection;
  readonly #onItems: (count: number) => void;
  readonly #totals: WrongTotal[] = [];
  #lists = 0;

  constructor({ url, token, onItems = () => {} }: ServiceAuditOptions) {
    this.#connection = new Connection({ url, token });
    this.#onItems = onItems;
  }

  async run(): Promise<Report> {
    const entities = new Map<Kind, readonly Entity[]>();
    for (const { kind, path } of collections) entities.set(kind, await this.#checkCollection(path));
    for (const { kind, path, field } of nestedLists) {
      await this.#checkNested(path, field, entities.get(kind) ?? []);
    }
    return {
      entities: [...entities.values()].reduce((sum, { length }) => sum + length, 0),
      lists: this.#lists,
      totals: this.#totals,
      orphans: await this.#orphans(entities),
      malformed: [],
      texts: [],
      logs: [],
      repaired: 0,
    };
  }

  async #list(path: string, query: object): Promise<Page<Entity>> {
    const { body } = await this.#connection.send({ method: 'GET', path, query: queryString(query) });
    return body as Page<Entity>;
  }

  /** Reads all pages of a list, oldest entity first: new entities come last. */
  async #readAll(path: string, filter: object): Promise<{ found: Entity[]; total: number }> {
    const found = new Map<string, Entity>();
    for (let page = 1; ; page += 1) {
      const query = { sortOrder: 'asc', limit: 100, page, ...filter };
      const { data, total, totalPages } = await this.#list(path, query);
      for (const entity of data) found.set(entity.id, entity);
      this.#onItems(data.length);
      if (page >= totalPages) return { found: [...found.values()], total };
    }
  }

  /** Compares the total of a list with its pages. @returns the entities of the list. */
  async #checkList(path: string, filter: Readonly<Record<string, string>> = {}): Promise<Entity[]> {
    this.#lists += 1;
    for (let attempt = 1; ; attempt += 1) {
      const { found, total } = await this.#readAll(path, filter);
      if (found.length === total) return found;
      if (attempt < maxAttempts) continue;
      const list = Object.keys(filter).length === 0 ? path : `${path}?${new URLSearchParams(filter)}`;
      this.#totals.push({ list, found: found.length, total });
      return found;
    }
  }

  async #checkCollection(path: string): Promise<Entity[]> {
    const found = await this.#checkList(path);
    for (const status of new Set(found.map((entity) => entity.status))) {
      await this.#checkList(path, { status });
    }
    return found;
  }

  /** Compares the totals under each parent, by status, with the entities of the whole collection. */
  async #checkNested(path: string, field: string, entities: readonly Entity[]): Promise<void> {
    const expected = new Map<string, Record<string, number>>();
    for (const entity of entities) {
      for (const parent of idsIn(entity, field)) {
        const counts = expected.get(parent) ?? {};
        counts[entity.status] = (counts[entity.status] ?? 0) + 1;
        expected.set(parent, counts);
      }
    }
    for (const [parent, counts] of expected) {
      const nestedPath = path.replace('{id}', parent);
      const totals: Record<string, number> = {};
      for (const status of Object.keys(counts)) {
        totals[status] = (await this.#list(nestedPath, { limit: 1, status })).total;
      }
      this.#lists += 1;
      // Writes since the collection was read can cause a difference. The list is then compared with its own pages.
      if (!isDeepStrictEqual(totals, counts)) await this.#checkList(nestedPath);
    }
  }

  async #orphans(entities: ReadonlyMap<Kind, readonly Entity[]>): Promise<Orphan[]> {
    const orphans: Orphan[] = [];
    for (const { entity, field, id, refersTo } of danglingReferences(entities)) {
      // The parent may be new, and a job may have cleared the reference since the collections were read.
      if (await this.#find(refersTo)) continue;
      const child = await this.#find(entity);
      if (child && idsIn(child, field).includes(id)) orphans.push({ entity, field, refersTo });
    }
    return orphans;
  }

  async #find(path: string): Promise<Entity | undefined> {
    try {
      return (await this.#connection.send({ method: 'GET', path })).body as Entity;
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status === 404) return undefined;
      throw error;
    }
  }
}

/**
 * Audits a service through its API.
 * @throws ProblemError or ConnectionError when a list cannot be read.
 */
export const auditService = (options: ServiceAuditOptions): Promise<Report> =>
  new ServiceAudit(options).run();
