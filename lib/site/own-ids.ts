/** Ids of a service in place of those of the documentation. */
import { organizationId, projectId, tagId, taskId, userId } from '../../functions/contract/resource-docs.ts';

export const idPattern = /\b01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;

/** The collections of the entities in examples, by id. */
const collections = new Map([
  [organizationId, 'organizations'],
  [projectId, 'projects'],
  [userId, 'users'],
  [tagId, 'tags'],
  [taskId, 'tasks'],
]);

/** Returns the collection of the id in an address: what can be restored is deleted. @param address such as `GET /v1/tasks/{id}`. */
export function collectionOf(address: string): string {
  const [, collection = 'tasks', rest = ''] = /\/v1\/(\w+)(.*)/.exec(address) ?? [];
  return rest.endsWith('/restore') ? `${collection}/deleted` : collection;
}

/**
 * Returns ids of a service for those in a text, as far as it has entities. Ids of no example are those of further entities of the collection.
 * @param idsOf returns the first ids of a collection.
 */
export async function ownIds(
  text: string,
  collection: string,
  idsOf: (collection: string) => Promise<readonly string[]>,
): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  let position = 1;
  for (const id of new Set(text.match(idPattern))) {
    const known = collections.get(id);
    const place = known && collection !== `${known}/deleted` ? known : collection;
    const found = (await idsOf(place))[known ? 0 : position];
    if (!known) position += 1;
    if (found) own.set(id, found);
  }
  return own;
}
