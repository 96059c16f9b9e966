/**
 * The door in front of the database, which lets functions do what their roles allow and nothing else. Who calls
 * follows from the credentials, as in the cloud: each function has its own, and signs with them.
 */
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { described, type Policy, type Use, usesOf } from './policy.ts';
import type { Place } from './templates.ts';

/** What a function did with what it may do. */
export interface Usage {
  readonly function: string;
  readonly refused: readonly string[];
  readonly used: readonly string[];
  readonly unused: readonly string[];
}

export interface Door {
  readonly endpoint: string;
  usage(): Usage[];
  stop(): Promise<void>;
}

export interface DoorOptions {
  readonly engine: string;
  readonly place: Place;
  /** What the table's stream is called in policies. */
  readonly streamArn: string;
  /** The functions' policies, by the id of their credentials. */
  readonly policies: ReadonlyMap<string, Policy>;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The id of the credentials that a request is signed with (Signature Version 4). */
const signer = ({ headers }: IncomingMessage): string =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

/** DynamoDB's answer to who may not. */
const denied = ({ action, resource }: Use, caller: string): string =>
  JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    Message: `User: ${caller} is not authorized to perform: ${action} on resource: ${resource}`,
  });

const agent = new Agent({ keepAlive: true });

function forward(
  engine: string,
  { headers: incoming }: IncomingMessage,
  body: Buffer,
  answer: ServerResponse,
): void {
  const { host: _, connection: __, ...headers } = incoming;
  const outgoing = httpRequest(engine, { method: 'POST', headers, agent }, (response) => {
    answer.writeHead(response.statusCode ?? 500, response.headers);
    response.pipe(answer);
  });
  outgoing.on('error', () => answer.destroy());
  outgoing.end(body);
}

/** Opens the door. It refuses those whom it does not know. */
export async function openDoor({ engine, place, streamArn, policies }: DoorOptions): Promise<Door> {
  const tables = `arn:aws:dynamodb:${place.region}:${place.account}:table/`;
  const records = new Map(
    [...policies.keys()].map((name) => [name, { used: new Set<string>(), refused: new Set<string>() }]),
  );

  /** What calls of the stream need: it is the only one there is. */
  const uses = (service: string, operation: string, body: Buffer): Use[] => {
    if (service.startsWith('DynamoDBStreams') && operation !== 'ListStreams') {
      return [{ action: `dynamodb:${operation}`, resource: streamArn }];
    }
    return usesOf(operation, JSON.parse(body.toString('utf8')) as Record<string, unknown>, tables);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const [service = '', operation = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
    const caller = signer(request);
    const record = records.get(caller);
    for (const use of uses(service, operation, body)) {
      const grant = policies.get(caller)?.grantFor(use);
      if (grant) {
        record?.used.add(described(grant));
        continue;
      }
      record?.refused.add(described(use));
      response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' }).end(denied(use, caller));
      return;
    }
    forward(engine, request, body, response);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    usage: () =>
      [...policies].map(([name, policy]) => {
        const { used = new Set<string>(), refused = new Set<string>() } = records.get(name) ?? {};
        const unused = policy
          .grants()
          .map(described)
          .filter((grant) => !used.has(grant));
        return { function: name, used: [...used].sort(), refused: [...refused].sort(), unused };
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
