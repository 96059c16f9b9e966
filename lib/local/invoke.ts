/** Calls the handler of an operation as Lambda does, without a gateway. */
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Page, SignedInUser } from '../../client/index.ts';
import type { Contract } from '../../functions/contract/contract.ts';
import type { Entity } from '../../functions/engine/model/entity.ts';
import { connect, shareClient } from '../../functions/engine/table/client.ts';
import { maxRequestMs } from '../../functions/engine/table/deadline.ts';
import { routes } from '../../functions/routes.ts';
import { setFunctionEnvironment, type TokenSettings } from './function-environment.ts';
import type { TableLocation } from './hosted-functions.ts';
import type { LambdaFunction } from './http-api.ts';
import { functionContext } from './lambda-context.ts';
import { loadHandler } from './source-functions.ts';
import { ensureTable } from './table.ts';

interface Bodies {
  readonly list: Page<Entity>;
  readonly entity: Entity;
  readonly created: Entity;
  readonly deleted: undefined;
  readonly signedInUser: SignedInUser;
  readonly health: { readonly status: string };
}

/** Value of the body of a successful response. */
type ResponseBody<C extends Contract> = C['success'] extends keyof Bodies ? Bodies[C['success']] : unknown;

export interface InvokeResult<C extends Contract> {
  readonly statusCode: number;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The value of a JSON body, or the text of another one. With a status of 400 or higher, it is a problem. */
  readonly body: ResponseBody<C>;
}

/**
 * Prepares this process to call handlers: creates a missing table, sets the environment and opens a client.
 * @param tokens undefined when requests need no token.
 * @returns a function that closes the client.
 */
export async function openFunctions(
  location: TableLocation,
  tokens: TokenSettings | undefined,
): Promise<() => void> {
  setFunctionEnvironment(location, tokens);
  const client = new DynamoDBClient({ endpoint: location.endpoint });
  await ensureTable(client, location.tableName).finally(() => client.destroy());
  const shared = connect();
  shareClient(shared);
  return () => shared.destroy();
}

/** Calls the handler of an operation with an event. @throws Error when no file has the operation. */
export async function invokeWithEvent<C extends Contract>(
  { operation }: C,
  event: APIGatewayProxyEventV2,
): Promise<InvokeResult<C>> {
  const file = routes.find(({ contract }) => contract.operation === operation)?.file;
  if (file === undefined) throw new Error(`functions/routes.ts has no operation ${operation}.`);
  const handler = await loadHandler<LambdaFunction>(file);
  const context = functionContext(event.requestContext.requestId, maxRequestMs);
  const { statusCode = 200, headers = {}, body = '', isBase64Encoded } = await handler(event, context);
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  const byName: Record<string, string> = Object.fromEntries(texts);
  const isJson = /^application\/(?:.*\+)?json/.test(byName['content-type'] ?? '');
  const text = isBase64Encoded ? Buffer.from(body, 'base64').toString() : body;
  const value: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return { statusCode, headers: byName, body: value as ResponseBody<C> };
}
