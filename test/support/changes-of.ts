/** What a request changes, from the change feeds of all collections: also what it changes besides its own entity. */
import type { Client } from '#client/index.ts';

const collections = ['organizations', 'projects', 'users', 'tasks', 'tags'] as const;

/** The ids of the entities of one collection. */
interface Changed {
  /** Of those that were created or changed, sorted. */
  readonly changed: readonly string[];
  /** Of those that were deleted, sorted. */
  readonly removed: readonly string[];
}

/** Returns all changes since a cursor, and the next cursor. */
async function follow(
  collection: Client['tasks'],
  since: string | undefined,
): Promise<Changed & { readonly cursor: string }> {
  const changed = new Set<string>();
  const removed = new Set<string>();
  for (let cursor = since; ; ) {
    const page = await collection.changes({ fields: ['id'], since: cursor });
    for (const { id } of page.data) {
      removed.delete(id);
      changed.add(id);
    }
    for (const id of page.removed) {
      changed.delete(id);
      removed.add(id);
    }
    ({ cursor } = page);
    if (!page.hasMore) return { changed: [...changed].sort(), removed: [...removed].sort(), cursor };
  }
}

/**
 * Returns the entities of each collection that an action changes. Nobody else may write meanwhile. What a job changes after the response is
 * not among them, unless the action waits for it.
 */
export async function changesOf(
  client: Client,
  action: () => Promise<unknown>,
): Promise<Record<(typeof collections)[number], Changed>> {
  const feeds = await Promise.all(
    collections.map(async (name) => {
      const collection = client[name] as unknown as Client['tasks'];
      const { cursor } = await follow(collection, undefined);
      return { name, collection, cursor };
    }),
  );
  await action();
  const changes = feeds.map(async ({ name, collection, cursor }) => {
    const { changed, removed } = await follow(collection, cursor);
    return [name, { changed, removed }] as const;
  });
  return Object.fromEntries(await Promise.all(changes)) as Record<(typeof collections)[number], Changed>;
}
