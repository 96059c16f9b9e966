/**
 * What was true at each moment: the entities after each transaction, decoded from the items that the table stored. A response must show one of
 * the moments of its request. Entities are the truth; lists, feeds and histories come from columns and logs.
 */
import { isExpired, isRoot } from '#functions/engine/model/deletion.ts';
import type { AnyEntity, DeletedEntity } from '#functions/engine/model/entity.ts';
import { decodeAnyEntity, withText } from '#functions/engine/model/item-codec.ts';
import { entitySortKey, textSortKey } from '#functions/engine/model/keys.ts';
import { cascadeKinds } from '#functions/engine/model/relations.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { requireKept } from './conservation.ts';
import { type Entity, fieldsOf, type Kind, kinds } from './list-model.ts';

/** An entity in one of its versions. */
export interface Version {
  readonly kind: Kind;
  readonly version: number;
  readonly entity: Entity;
}

type Versions = Readonly<Record<Kind, ReadonlyMap<string, Version>>>;

/** A deleted entity: with the version before its deletion, or before the last move to another one, and the fields of the deletion. */
export interface DeletedVersion extends Version {
  readonly stored: DeletedEntity;
}

export interface State extends Versions {
  readonly trash: Readonly<Record<Kind, ReadonlyMap<string, DeletedVersion>>>;
}

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

function deletedVersion(kind: Kind, entity: Entity, stored: DeletedEntity): DeletedVersion {
  const { deletedAt, deletedBy = null, root } = stored.deletion;
  const deletedWith = isRoot(stored) ? null : root.id;
  const ofDeletion = { deletedAt: new Date(deletedAt).toISOString(), deletedBy, deletedWith };
  return { kind, version: stored.version - 1, entity: { ...entity, ...ofDeletion }, stored };
}

/** Returns the deleted entities of a kind that can be restored. */
export const restorable = (state: State, kind: Kind, nowMs: number): DeletedVersion[] =>
  [...state.trash[kind].values()].filter(({ stored }) => !isExpired(stored.deletion, nowMs));

/** Returns how many others a restore brings back with a deleted entity. */
export function countMembers(state: State, { kind, entity: { id } }: Version, nowMs: number): number {
  const members = cascadeKinds(kind).flatMap((of) => restorable(state, of as Kind, nowMs));
  return members.filter(({ stored: { deletion, entity } }) => {
    const { root } = deletion;
    return root.kind === kind && root.id === id && entity.id !== id;
  }).length;
}

const noVersions = (): Record<Kind, Map<string, never>> =>
  Object.fromEntries(kinds.map((kind) => [kind, new Map<string, never>()])) as unknown as Record<
    Kind,
    Map<string, never>
  >;

export class Moments {
  readonly states: State[] = [{ ...noVersions(), trash: noVersions() }];
  /** Whether each change that somebody asks for has a new name: then the others change what they may alone. */
  isNamed = false;
  /** What operators have erased by its id. */
  readonly erased = new Set<string>();
  readonly #kinds = new Map<string, Kind>();
  /** The ids of the entities to which the service has given numbers. */
  readonly #numbered = new Map<number, string>();
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
    const entities = changes.filter(({ before, after }) => (after ?? before)?.sk === entitySortKey);
    if (entities.length === 0) return;
    const changedKinds = new Set(entities.map(({ before, after }) => (after ?? before)?.['kind'] as Kind));
    const copies = (all: Versions) =>
      Object.fromEntries([...changedKinds].map((kind) => [kind, new Map(all[kind])]));
    const { trash } = this.state;
    const state = { ...this.state, ...copies(this.state), trash: { ...trash, ...copies(trash) } } as State;
    for (const change of entities) this.#apply(state, change);
    this.states.push(state);
    for (const { before, after } of entities) {
      const old = before && decodeAnyEntity(before);
      if (this.isNamed && old && after)
        requireKept(old, decodeAnyEntity(after), {
          exists: (kind, id) => state[kind].has(id),
          wasErased: (id) => this.erased.has(id),
          wasDeleted: (id) => this.versions.get(id)?.some(({ entity }) => entity === undefined) ?? true,
          isInTrash: (kind, id) => state.trash[kind].has(id),
        });
    }
  }

  /** Changes the maps of a state. */
  #apply(state: State, { before: replaced, after }: ItemChange): void {
    const { pk, kind } = (after ?? replaced) as Item & { readonly kind: Kind };
    const id = pk.slice(pk.lastIndexOf('#') + 1);
    this.#kinds.set(id, kind);
    const entities = state[kind] as Map<string, Version>;
    const trash = state.trash[kind] as Map<string, DeletedVersion>;
    entities.delete(id);
    trash.delete(id);
    const stored = after && decodeAnyEntity(after);
    if (!stored) return;
    if (stored.deletion) this.#addVersion(id, stored.version, undefined);
    if (stored.deletion?.isErased) return;
    const whole = withText<AnyEntity>(stored, this.#texts.get(pk));
    if (!whole) throw new Error(`The text of ${pk} is not the one that belongs to it.`);
    const entity = shown(kind, whole.entity);
    this.#requireOwnNumber(id, entity['number']);
    if (stored.deletion) {
      trash.set(id, deletedVersion(kind, entity, stored));
      return;
    }
    const before = this.versions.get(id)?.at(-1);
    if (before && before.version !== stored.version - 1)
      throw new Error(`${pk} has the version ${stored.version} after ${before.version}.`);
    entities.set(id, { kind, version: stored.version, entity });
    this.#addVersion(id, stored.version, entity);
  }

  /** No two entities have one number, also after a deletion. */
  #requireOwnNumber(id: string, number: unknown): void {
    if (typeof number !== 'number') return;
    const known = this.#numbered.get(number) ?? id;
    if (known !== id || !Number.isInteger(number) || number < 1)
      throw new Error(`${id} has the number ${number}, as ${known}.`);
    this.#numbered.set(number, id);
  }

  /** Forgets the numbers of entities of which nothing is left: a counter that is lost cannot know them. */
  forgetErasedNumbers(): void {
    const left = new Set(
      kinds.flatMap((kind) => [...this.state[kind].keys(), ...this.state.trash[kind].keys()]),
    );
    for (const [number, id] of this.#numbered) if (!left.has(id)) this.#numbered.delete(number);
  }

  #addVersion(id: string, version: number, entity: Entity | undefined): void {
    const known = this.versions.get(id) ?? [];
    this.versions.set(id, known);
    // A repair stores a version again.
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
