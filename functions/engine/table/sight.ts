/** What one viewer sees. The database of a session with a sight returns nothing else: only `withoutSight` goes around it. */
import { hash } from 'node:crypto';
import { guardOf, isSeenBy, membersRuleOf, ruleOf, viewerKindOf } from '../model/access.ts';
import type { DeletedEntity, StoredEntity } from '../model/entity.ts';
import { isId } from '../model/ids.ts';
import { decodeAnyEntity } from '../model/item-codec.ts';
import { entityKey, entitySortKey } from '../model/keys.ts';
import type { Kind } from '../model/schema.ts';
import { entityOfUniqueValue, uniqueKey } from '../model/unique-value.ts';
import type { Item } from '../model/writes.ts';
import type { Database } from './database.ts';

/** Whether a viewer sees an entity; `unknown` when nothing is left of it that could tell. */
export type Visibility = 'seen' | 'hidden' | 'unknown';

interface Named {
  readonly kind: Kind;
  readonly id: string;
}

const nameOf = ({ kind, id }: Named): string => `${kind}/${id}`;

export class Sight {
  /** The unique value of the user who is the viewer; absent for a caller who cannot be one. */
  readonly uniqueValue: string | undefined;
  readonly #tenant: string;
  /** Without a sight. */
  readonly #database: Database;
  readonly #users = new Map<Kind, Promise<string | undefined>>();
  readonly #byName = new Map<string, Promise<Visibility>>();

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
    const unread = [...new Set(ids)].filter((id) => isId(id) && !this.#byName.has(nameOf({ kind, id })));
    if (unread.length > 0) {
      const read = this.#readEach(kind, unread);
      for (const id of unread) {
        const visibility = read.then((found) => found.get(id) ?? 'unknown');
        // Who waits for it gets the error.
        visibility.catch(() => undefined);
        this.#byName.set(nameOf({ kind, id }), visibility);
      }
    }
    const seen = ids.map(
      async (id) => [id, (await this.#byName.get(nameOf({ kind, id }))) ?? 'unknown'] as const,
    );
    return new Map(await Promise.all(seen));
  }

  async #readEach(kind: Kind, ids: readonly string[]): Promise<Map<string, Visibility>> {
    const keys = ids.map((id) => entityKey(this.#tenant, kind, id));
    const user = membersRuleOf(kind) && this.user(kind);
    const [items] = await Promise.all([this.#database.getMany(keys, true, { withDeleted: true }), user]);
    const stored = items.map(decodeAnyEntity);
    const seen = await this.areSeen(stored);
    return new Map(
      stored.map(({ entity, deletion }, place) => {
        if (deletion?.isErased) return [entity.id, 'unknown'];
        return [entity.id, seen[place] ? 'seen' : 'hidden'];
      }),
    );
  }

  /** Returns, for each entity, or deleted one, whether the viewer sees it. What is not known to be visible is not. */
  async areSeen(stored: readonly (StoredEntity | DeletedEntity)[]): Promise<boolean[]> {
    const guards = stored.map(({ kind, entity }): Named | undefined => {
      const guard = guardOf(kind);
      const id = guard && entity[guard.field];
      return guard && typeof id === 'string' ? { kind: guard.parent, id } : undefined;
    });
    const kinds = new Set(guards.flatMap((guard) => guard?.kind ?? []));
    const seen = new Set<string>();
    for (const kind of kinds) {
      const ids = guards.flatMap((guard) => (guard?.kind === kind ? guard.id : []));
      for (const [id, visibility] of await this.seesEach(kind, ids))
        if (visibility === 'seen') seen.add(nameOf({ kind, id }));
    }
    return Promise.all(
      stored.map(async ({ kind, entity, deletion }, place) => {
        if (!ruleOf(kind)) return true;
        if (deletion?.isErased) return false;
        const rule = membersRuleOf(kind);
        if (rule) return isSeenBy(rule, entity, await this.user(kind));
        const guard = guards[place];
        return guard === undefined || seen.has(nameOf(guard));
      }),
    );
  }

  /** Leaves out the items of entities that the viewer does not see. */
  async filter(items: Item[]): Promise<Item[]> {
    const entities = items.filter((item) => item.sk === entitySortKey && ruleOf(String(item['kind'])));
    if (entities.length === 0) return items;
    const seen = await this.areSeen(entities.map(decodeAnyEntity));
    const hidden = new Set(entities.filter((_, place) => !seen[place]));
    return items.filter((item) => !hidden.has(item));
  }
}
