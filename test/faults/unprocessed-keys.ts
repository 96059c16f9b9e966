import { isDeepStrictEqual } from 'node:util';
import { type Injector, seeded } from './engine-proxy.ts';

type KeyRequest = { readonly Keys: Record<string, unknown>[] } & Record<string, unknown>;

const keyOf = ({ pk, sk }: Record<string, unknown>): object => ({ pk, sk });

/**
 * Leaves out some of what a batch asks for, and says so in `UnprocessedKeys`, as DynamoDB does beyond 16 MB and under
 * load.
 * @param share of the keys that are left out.
 * @returns with it, how many keys were left out, and which of DynamoDB's operations were called.
 */
export function unprocessedKeys(
  share: number,
  seed: number,
): Injector & { left: number; operations: Set<string> } {
  const random = seeded(seed);
  const injector = Object.assign(
    async (...[{ operation, body, headers }, pass]: Parameters<Injector>): ReturnType<Injector> => {
      // Its streams are read by the same name of the host.
      if (String(headers['x-amz-target']).startsWith('DynamoDB_')) injector.operations.add(operation);
      const reply = await pass();
      if (operation !== 'BatchGetItem' || reply.status !== 200) return reply;
      const answer = JSON.parse(reply.body) as { Responses: Record<string, Record<string, unknown>[]> };
      const UnprocessedKeys: Record<string, KeyRequest> = {};
      for (const [table, request] of Object.entries(body['RequestItems'] as Record<string, KeyRequest>)) {
        const Keys = request.Keys.filter(() => random() < share);
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
