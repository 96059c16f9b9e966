/** The handler of an operation with module state of its own, as in a process of its own. Tests set its time by mocks of `Date.now`. */

import type { Contract } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { sharedClient } from '#functions/store/dynamodb/client.ts';
import { requestTimeoutMs } from '#lib/hosting/functions.ts';
import type { LambdaFunction } from '#lib/local/http-api.ts';
import { functionContext } from '#lib/local/lambda-context.ts';
import { type OperationRequest, operationEvent } from '#lib/local/operation-event.ts';
import { ResponseChecker } from './response-checker.ts';

export interface SeparateProcess {
  /** Calls the handler. The response is compared with the OpenAPI document. */
  call(request?: OperationRequest): Promise<{ status: number; headers: Map<string, string>; body: unknown }>;
}

const checker = ResponseChecker.ofContracts();

/** Loads the handler of an operation. It calls the table of the test. */
export async function startSeparateProcess(contract: Contract): Promise<SeparateProcess> {
  const dynamodb = sharedClient();
  const file = routes.find((route) => route.contract.operation === contract.operation)?.file ?? '';
  let handler: LambdaFunction | undefined;
  await jest.isolateModulesAsync(async () => {
    const { shareClient } = await import('#functions/store/dynamodb/client.ts');
    shareClient(dynamodb);
    ({ handler } = (await import(`../../functions/${file}`)) as { handler: LambdaFunction });
  });
  return {
    call: async (request = {}) => {
      if (!handler) throw new Error(`${file} has no handler.`);
      const event = operationEvent(contract, request);
      const response = await handler(
        event,
        functionContext(event.requestContext.requestId, requestTimeoutMs),
      );
      const { statusCode = 200, headers = {}, body: text = '' } = response;
      const byName = new Map(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const { method } = contract;
      const sent = { method, path: event.rawPath, status: statusCode, headers: byName, text };
      expect(checker.differences(sent)).toEqual([]);
      return { status: statusCode, headers: byName, body: text === '' ? undefined : JSON.parse(text) };
    },
  };
}
