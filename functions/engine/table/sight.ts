/** What one viewer sees. The database of a session with a sight returns nothing else: only `withoutSight` goes around it. */
import { hash } from 'node:crypto';
import { guardOf, isSeenBy, membersRuleOf, ruleOf, viewerKindOf } from '../model/access.ts';
import type { AnyEntity } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { entityKey, entitySortKey } from '../model/keys.ts';
import type { Kind } from '../model/schema.ts';
import { entityOfUniqueValue, uniqueKey } from '../model/unique-value.ts';
import type { Item } from '../model/writes.ts';
import type { Database } from './database.ts';

/** Whether a viewer sees an entity; `unknown` when nothing is left of it that could tell. */
export type Visibility = 'seen' | 'hidden' | 'unknown';

export class Sight {
  /** The unique value of the user who is the viewer; absent for a caller who cannot be one. */
  readonly uniqueValue: string | undefined;
  readonly #tenant: string;
  /** Without a sight. */
  readonly #database: Database;
  readonly #users = new Map<Kind, Promise<string | undefined>>();
  /** What was read of entities through which others are seen, by kind and id. */
  readonly #guards = new Map<Kind, Map<string, Promise<Visibility>>>();

  constructor(tenant: string, uniqueValue: string | undefined, database: Database) {
    this.#tenant = tenant;
    this.uniqueValue = uniqueValue;
    this.#database = database;
  }

  /** Reads the id of the viewer consistently, once in a request; `undefined` for a viewer who is no user. @param kind with a rule. */
  user(kind: Kind): Promise<string | undefined> {
    const users = viewerKindOf(kind) ?? '';
    const read = this.#users.get(users) ?? this.#readUser(users);
    this.#users.set(users, read);
    return read;
  }

  /** Returns a number of the viewer of a kind, for cursors. */
  async number(kind: Kind): Promise<number> {
    return hash('sha256', `viewer ${(await this.user(kind)) ?? ''}`, 'buffer').readUInt32BE();
  }

  async #readUser(kind: Kind): Promise<string | undefined> {
    if (this.uniqueValue === undefined) return undefined;
    const item = await this.#database.get(uniqueKey(this.#tenant, kind, this.uniqueValue));
    return item && entityOfUniqueValue(item).id;
  }

  /** Returns whether the viewer sees entities of a kind, also deleted ones, as they are at this moment of the request. */
  async seesEach(kind: Kind, ids: readonly string[]): Promise<ReadonlyMap<string, Visibility>> {
    const known = this.#guards.get(kind) ?? new Map<string, Promise<Visibility>>();
    this.#guards.set(kind, known);
    const distinct = [...new Set(ids)];
    const unread = distinct.filter((id) => isId(id) && !known.has(id));
    const read = unread.length > 0 ? this.#readEach(kind, unread) : Promise.resolve(new Map());
    for (const id of unread)
      known.set(
        id,
        read.then((found) => found.get(id) ?? 'unknown'),
      );
    // Who waits for one of them gets the error, too.
    await Promise.allSettled(known.values());
    return new Map(
      await Promise.all(distinct.map(async (id) => [id, (await known.get(id)) ?? 'unknown'] as const)),
    );
  }

  async #readEach(kind: Kind, ids: readonly string[]): Promise<Map<string, Visibility>> {
    const keys = ids.map((id) => entityKey(this.#tenant, kind, id));
    const user = membersRuleOf(kind) && this.user(kind);
    const [items] = await Promise.all([this.#database.getMany(keys, true, { withDeleted: true }), user]);
    const stored = items.map(decodeAnyEntity).filter(({ deletion }) => !deletion?.isErased);
    const seen = await this.areSeen(stored);
    return new Map(stored.map(({ entity }, place) => [entity.id, seen[place] ? 'seen' : 'hidden']));
  }

  /** Returns, for each entity, or deleted one, whether the viewer sees it. What is not known to be visible is not. */
  async areSeen(stored: readonly AnyEntity[]): Promise<boolean[]> {
    const guardIdOf = ({ kind, entity }: AnyEntity) => entity[guardOf(kind)?.field ?? ''] ?? null;
    // One read for all of a kind.
    const guards = new Map<Kind, ReadonlyMap<string, Visibility>>();
    for (const kind of new Set(stored.map((one) => one.kind))) {
      const ids = stored.flatMap((one) => (one.kind === kind ? (guardIdOf(one) ?? []) : []));
      const parent = guardOf(kind)?.parent;
      if (parent !== undefined) guards.set(kind, await this.seesEach(parent, ids.map(String)));
    }
    return Promise.all(
      stored.map(async (one) => {
        const { kind, entity, deletion } = one;
        if (!ruleOf(kind)) return true;
        if (deletion?.isErased) return false;
        const rule = membersRuleOf(kind);
        if (rule) return isSeenBy(rule, entity, await this.user(kind));
        const id = guardIdOf(one);
        return id === null || guards.get(kind)?.get(String(id)) === 'seen';
      }),
    );
  }

  async filter(items: Item[]): Promise<Item[]> {
    const entities = items.filter((item) => item.sk === entitySortKey && ruleOf(String(item['kind'])));
    if (entities.length === 0) return items;
    const seen = await this.areSeen(entities.map(decodeAnyEntity));
    const hidden = new Set(entities.filter((_, place) => !seen[place]));
    return items.filter((item) => !hidden.has(item));
  }
}
