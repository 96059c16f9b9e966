/** Entities of this service for the examples, whose own ids do not exist here. */

const token = document.querySelector('#token');

export const authorization = () =>
  token.value.trim() ? { authorization: `Bearer ${token.value.trim()}` } : {};

/** Fields of bodies that refer to entities, and the collections of these. */
const references = {
  organizationId: 'organizations',
  projectId: 'projects',
  userId: 'users',
  tagIds: 'tags',
};

/** An example has at most as many entities of one kind. */
const maxEntities = 25;

/** Lists by path. A write changes versions, and can create what was missing. */
const lists = new Map();

export const forgetEntities = () => lists.clear();

async function readList(path) {
  const response = await fetch(path, { headers: authorization(), cache: 'no-store' });
  if (!response.ok) throw new Error(`${response.status} for ${path}: the ids are not of this service.`);
  const { data, etags = [] } = await response.json();
  return data.map(({ id, name }, position) => ({ id, name, etag: etags[position] }));
}

/** Takes entities of this service, and counts how many are missing. */
export class Entities {
  missing = new Map();

  /** Returns entities with their names, the newest first. */
  async named(collection) {
    // The list of deleted entities has neither fields nor versions.
    const isOfDeleted = collection.endsWith('/deleted');
    const path = `/v1/${collection}?limit=${maxEntities}${isOfDeleted ? '' : '&fields=name&etags=true'}`;
    if (!lists.has(path)) lists.set(path, readList(path));
    return lists.get(path).catch((error) => {
      lists.delete(path);
      throw error;
    });
  }

  /** Returns the entity at a position; `undefined` if there are fewer. */
  async at(collection, position) {
    const list = await this.named(collection);
    if (list.length <= position) this.missing.set(collection, position + 1 - list.length);
    return list[position];
  }
}

async function fillReferences(body, entities) {
  for (const [field, collection] of Object.entries(references)) {
    const value = body?.[field];
    if (Array.isArray(value)) {
      for (const position of value.keys())
        value[position] = (await entities.at(collection, position))?.id ?? value[position];
    } else if (value) {
      body[field] = (await entities.at(collection, 0))?.id ?? value;
    }
  }
}

/** Fills ids of this service into the body of an example. A batch names each id at most once. */
export async function fillBody(body, collection, entities) {
  await fillReferences(body, entities);
  let position = 0;
  for (const operation of body.operations ?? []) {
    await fillReferences(operation.body, entities);
    if (!operation.id) continue;
    const entity = await entities.at(collection, position);
    position += 1;
    operation.id = entity?.id ?? operation.id;
    if (operation.ifMatch) operation.ifMatch = entity?.etag ?? operation.ifMatch;
  }
  return body;
}

/** Returns the collection of the entity in a path: what is restored is in the list of deleted entities. */
export const collectionOf = (path, name = path.split('/')[2]) =>
  path.endsWith('/restore') ? `${name}/deleted` : name;
