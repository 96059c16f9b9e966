/** Serves a table of this process to functions in others, as DynamoDB does: the engine would take more than an hour for 10^6 tasks. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DynamoDb } from '../functions/engine/table/operations.ts';
import type { TableError } from '../test/support/table/errors.ts';
import { documentInput, documentOutput } from './dynamodb-json.ts';

type Operations = Readonly<Record<string, (input: never) => Promise<object>>>;

async function respond(table: DynamoDb, request: IncomingMessage): Promise<[status: number, body: object]> {
  const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
  const name = operation.charAt(0).toLowerCase() + operation.slice(1);
  try {
    const input = documentInput(await json(request)) as never;
    const output = await (table as unknown as Operations)[name]?.(input);
    return [200, documentOutput(output ?? {})];
  } catch (error) {
    const { name: type, message, $fault, ...details } = error as TableError;
    return [$fault === 'client' ? 400 : 500, { __type: type, message, ...details }];
  }
}

/** Starts a server on a free port. */
export async function serveTable(table: DynamoDb): Promise<{ endpoint: string; stop: () => void }> {
  const server = createServer((request, response) => {
    void respond(table, request).then(([status, body]) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
