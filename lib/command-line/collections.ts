/** What commands share that read or write many entities through the client. */
import { type Client, ConnectionError, type NewTask, ProblemError } from '../../client/index.ts';
import { maxOperations } from '../../functions/contract/contract.ts';
import { CommandFailure } from './command-line.ts';

/** The collections, those first that others refer to. */
export const collections = ['organizations', 'users', 'tags', 'projects', 'tasks'] as const;

export type CollectionName = (typeof collections)[number];

/** Attempts per request. The client waits longer before each one, and sends the same idempotency key. */
export const maxAttempts = 8;

/** All collections have the same methods; TypeScript calls none of a union of their types. */
export const collectionOf = (client: Client, name: CollectionName): Client['tasks'] =>
  client[name] as unknown as Client['tasks'];

/** Divides elements into parts, each of which is one batch. */
export const inBatches = <Element>(elements: readonly Element[]): Element[][] =>
  Array.from({ length: Math.ceil(elements.length / maxOperations) }, (_, batch) =>
    elements.slice(batch * maxOperations, (batch + 1) * maxOperations),
  );

/** Returns an error of the client as one that the user can correct. */
export function toFailure(what: string, error: unknown): unknown {
  if (!(error instanceof ProblemError || error instanceof ConnectionError)) return error;
  return new CommandFailure(`${what} failed: ${error.message}`, { cause: error });
}

/**
 * Creates entities in one transaction. Returns their ids.
 * @param ids of the entities; by default, the service makes them.
 * @throws CommandFailure.
 */
export async function createAll(
  client: Client,
  name: CollectionName,
  bodies: readonly object[],
  ids: readonly (string | undefined)[] = [],
): Promise<string[]> {
  const operations = bodies.map((body, position) => ({
    operation: 'create' as const,
    id: ids[position],
    body: body as NewTask,
  }));
  try {
    return (await collectionOf(client, name).batch(operations)).map(({ id }) => id);
  } catch (error) {
    throw toFailure(`POST /v1/${name}/batch`, error);
  }
}
