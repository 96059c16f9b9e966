/**
 * What was true at each moment: the entities after each transaction, decoded from the items that the table stored. A response must show one of
 * the moments of its request. Entities are the truth; lists, feeds and histories come from columns and logs.
 */
import { decodeAnyEntity, withText } from '#functions/engine/model/item-codec.ts';
import { entitySortKey, textSortKey } from '#functions/engine/model/keys.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { type Entity, fieldsOf, type Kind, kinds } from './list-model.ts';

/** An entity in one of its versions. */
export interface Version {
  readonly kind: Kind;
  readonly version: number;
  readonly entity: Entity;
}

export type State = Readonly<Record<Kind, ReadonlyMap<string, Version>>>;

/** An item before and after a write. */
export interface ItemChange {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

/** Returns the fields that responses show. */
function shown(kind: Kind, stored: object): Entity {
  const values = stored as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(fieldsOf[kind]).map(([name, { default: value = null }]) => [name, values[name] ?? value]),
  ) as unknown as Entity;
}

export class Moments {
  readonly states: State[] = [Object.fromEntries(kinds.map((kind) => [kind, new Map()])) as unknown as State];
  readonly #kinds = new Map<string, Kind>();
  /** The long texts of entities, by partition. */
  readonly #texts = new Map<string, Item>();
  /** All versions of an entity, deletions included, in their order. */
  readonly versions = new Map<string, { readonly version: number; readonly entity: Entity | undefined }[]>();

  /** The number of the newest moment. */
  get last(): number {
    return this.states.length - 1;
  }

  get state(): State {
    return this.states.at(-1) as State;
  }

  /** Records what one transaction, or one write, has changed. */
  record(changes: readonly ItemChange[]): void {
    for (const { before, after } of changes) {
      const item = (after ?? before) as Item;
      if (item.sk !== textSortKey) continue;
      if (after) this.#texts.set(item.pk, after);
      else this.#texts.delete(item.pk);
    }
    const changed = new Map<Kind, Map<string, Version>>();
    for (const { before, after } of changes) {
      const item = (after ?? before) as Item;
      if (item.sk !== entitySortKey) continue;
      const kind = item['kind'] as Kind;
      const entities = changed.get(kind) ?? new Map(this.state[kind]);
      changed.set(kind, entities);
      this.#apply(entities, kind, item, after);
    }
    if (changed.size > 0) this.states.push({ ...this.state, ...Object.fromEntries(changed) });
  }

  #apply(entities: Map<string, Version>, kind: Kind, { pk }: Item, after: Item | undefined): void {
    const id = pk.slice(pk.lastIndexOf('#') + 1);
    this.#kinds.set(id, kind);
    const stored = after && decodeAnyEntity(after);
    if (!stored || 'deletion' in stored) {
      entities.delete(id);
      if (stored) this.#addVersion(id, stored.version, undefined);
      return;
    }
    const whole = withText(stored, this.#texts.get(pk));
    if (!whole) throw new Error(`The text of ${pk} is not the one that belongs to it.`);
    const entity = shown(kind, whole.entity);
    const before = this.versions.get(id)?.at(-1);
    if (before && before.version !== stored.version - 1)
      throw new Error(`${pk} has the version ${stored.version} after ${before.version}.`);
    entities.set(id, { kind, version: stored.version, entity });
    this.#addVersion(id, stored.version, entity);
  }

  #addVersion(id: string, version: number, entity: Entity | undefined): void {
    const known = this.versions.get(id) ?? [];
    this.versions.set(id, known);
    // What was deleted can become a part of another deletion, in the same version.
    if (known.at(-1)?.version !== version) known.push({ version, entity });
  }

  kindOf(id: string): Kind | undefined {
    return this.#kinds.get(id);
  }

  /** Returns whether something holds of a moment, from `first` on. The newest comes first. */
  some(first: number, holds: (state: State) => boolean): boolean {
    for (let moment = this.last; moment >= first; moment -= 1)
      if (holds(this.states[moment] as State)) return true;
    return false;
  }
}
