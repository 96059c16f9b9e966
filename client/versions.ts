/** Versions of entities: what a write requires so that it does not overwrite a change of somebody else. */

declare const entity: unique symbol;

/** The `ETag` of an entity of this type. A project's is no task's: the compiler tells them apart. */
export type EntityTag<Entity> = string & { readonly [entity]?: (of: Entity) => Entity };

/**
 * An entity with its version, as methods return it (only `get` with `expand` does not): whole, or in the shape that `fields` and `expand` make of it.
 *
 * The version is a plain field, so copies have it: `{ ...task, name: 'New' }`, JSON, `structuredClone`, and what an app keeps in a cache. The
 * service ignores it in a body.
 *
 * @example
 * let tasks: readonly Versioned<Task>[] = (await client.tasks.list()).data;
 */
export type Versioned<Entity, Shape = Entity> = Shape & { readonly version: EntityTag<Entity> };

/**
 * The target of a write. With an entity, the write fails with `version-mismatch` if the entity has changed since it was read. With
 * an id, the write is unconditional.
 */
export type Target<Entity> = string | Versioned<Entity, { readonly id: string } & Partial<Entity>>;

/**
 * Returns the `ETag` of an entity, for example for `ifMatch` in a batch.
 * @throws TypeError for an object without a version: what `expand` added, the result of `get` with `expand`, or of `me`.
 * @example
 * await client.tasks.batch([{ operation: 'delete', id: task.id, ifMatch: etagOf(task) }]);
 */
export function etagOf<Entity>({ version }: Versioned<Entity, unknown>): EntityTag<Entity> {
  if (version) return version;
  throw new TypeError(
    'The entity has no version. Pass the result of a create, a write, a list or a get without "expand", or a copy of it, and not what ' +
      '"expand" added. Or pass the id, for an unconditional write.',
  );
}

export const withVersion = <Entity, Shape extends object>(
  shape: Shape,
  tag: string | null | undefined,
): Versioned<Entity, Shape> => (tag ? { ...shape, version: tag } : shape) as Versioned<Entity, Shape>;
