import { isDeepStrictEqual } from 'node:util';
import { type Injector, seeded } from './engine-proxy.ts';

type KeyRequest = { readonly Keys: Record<string, unknown>[] } & Record<string, unknown>;

const keyOf = ({ pk, sk }: Record<string, unknown>): object => ({ pk, sk });

/** How often a key is left out in a row: one that always is may take all of a request's time, which is another test. */
const mostInARow = 6;

/**
 * Leaves out some of what a batch asks for, and says so in `UnprocessedKeys`, as DynamoDB does beyond 16 MB and under
 * load.
 * @param share of the keys that are left out; with 1, all of them for ever.
 * @returns with it, how many keys were left out, and which of DynamoDB's operations were called.
 */
export function unprocessedKeys(
  share: number,
  seed: number,
): Injector & { left: number; operations: Set<string> } {
  const random = seeded(seed);
  /** How often keys were left out since they were last answered. */
  const inARow = new Map<string, number>();
  const isLeft = (key: Record<string, unknown>): boolean => {
    const name = JSON.stringify(key);
    const times = inARow.get(name) ?? 0;
    const left = share === 1 || (random() < share && times < mostInARow);
    inARow.set(name, left ? times + 1 : 0);
    return left;
  };
  const injector = Object.assign(
    async (...[{ operation, body, headers }, pass]: Parameters<Injector>): ReturnType<Injector> => {
      // Its streams are read by the same name of the host.
      if (String(headers['x-amz-target']).startsWith('DynamoDB_')) injector.operations.add(operation);
      const reply = await pass();
      if (operation !== 'BatchGetItem' || reply.status !== 200) return reply;
      const answer = JSON.parse(reply.body) as { Responses: Record<string, Record<string, unknown>[]> };
      const UnprocessedKeys: Record<string, KeyRequest> = {};
      for (const [table, request] of Object.entries(body['RequestItems'] as Record<string, KeyRequest>)) {
        const Keys = request.Keys.filter(isLeft);
        if (Keys.length === 0) continue;
        injector.left += Keys.length;
        UnprocessedKeys[table] = { ...request, Keys };
        answer.Responses[table] = (answer.Responses[table] ?? []).filter(
          (item) => !Keys.some((key) => isDeepStrictEqual(keyOf(item), keyOf(key))),
        );
      }
      return { ...reply, body: JSON.stringify({ ...answer, UnprocessedKeys }) };
    },
    { left: 0, operations: new Set<string>() },
  );
  return injector;
}
