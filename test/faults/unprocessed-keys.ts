import { isDeepStrictEqual } from 'node:util';
import { type Injector, seeded } from './engine-proxy.ts';

type KeyRequest = { readonly Keys: Record<string, unknown>[] } & Record<string, unknown>;

const keyOf = ({ pk, sk }: Record<string, unknown>): object => ({ pk, sk });

/** The maximum number of consecutive responses without a key. Without a limit, a request could time out. */
const maxConsecutive = 6;

/**
 * Leaves some keys of a batch unprocessed and returns them in `UnprocessedKeys`, as DynamoDB does beyond 16 MB and under
 * load.
 * @param share the share of unprocessed keys. With 1, no key is ever processed.
 * @returns the injector, the number of unprocessed keys, and the operations that were called.
 */
export function unprocessedKeys(
  share: number,
  seed: number,
): Injector & { unprocessed: number; operations: Set<string> } {
  const random = seeded(seed);
  /** The consecutive responses without each key. */
  const consecutive = new Map<string, number>();
  const isUnprocessed = (key: Record<string, unknown>): boolean => {
    const name = JSON.stringify(key);
    const times = consecutive.get(name) ?? 0;
    const unprocessed = share === 1 || (random() < share && times < maxConsecutive);
    consecutive.set(name, unprocessed ? times + 1 : 0);
    return unprocessed;
  };
  const injector = Object.assign(
    async (...[{ operation, body, headers }, pass]: Parameters<Injector>): ReturnType<Injector> => {
      // Calls of DynamoDB Streams have the same host name. They are not counted.
      if (String(headers['x-amz-target']).startsWith('DynamoDB_')) injector.operations.add(operation);
      const response = await pass();
      if (operation !== 'BatchGetItem' || response.status !== 200) return response;
      const content = JSON.parse(response.body) as { Responses: Record<string, Record<string, unknown>[]> };
      const UnprocessedKeys: Record<string, KeyRequest> = {};
      for (const [table, request] of Object.entries(body['RequestItems'] as Record<string, KeyRequest>)) {
        const Keys = request.Keys.filter(isUnprocessed);
        if (Keys.length === 0) continue;
        injector.unprocessed += Keys.length;
        UnprocessedKeys[table] = { ...request, Keys };
        content.Responses[table] = (content.Responses[table] ?? []).filter(
          (item) => !Keys.some((key) => isDeepStrictEqual(keyOf(item), keyOf(key))),
        );
      }
      return { ...response, body: JSON.stringify({ ...content, UnprocessedKeys }) };
    },
    { unprocessed: 0, operations: new Set<string>() },
  );
  return injector;
}
