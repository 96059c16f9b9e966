/**
 * A proxy in front of the database engine that enforces the roles of the functions. As in the cloud, the credentials
 * identify the caller: each function signs with credentials of its own. It is the event bus as well, and the address of the queue.
 */
import { once } from 'node:events';
import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { PutEventsRequest } from '@aws-sdk/client-eventbridge';
import type { EventsApi } from '../local/live/events-api.ts';
import { publishPath } from '../local/live/messages.ts';
import { publishTo } from '../local/live/publishing.ts';
import { unreachableByPages } from '../local/port.ts';
import { busesOf, putEvents } from './event-bus.ts';
import { formatPermission, type Permission, type Policy, requiredPermissions } from './policy.ts';
import { type JsonResponse, queueOf } from './queue.ts';
import type { Place } from './templates.ts';

export interface PermissionReport {
  readonly function: string;
  /** Permissions that calls needed and the role does not have. */
  readonly refused: readonly string[];
  readonly used: readonly string[];
  readonly unused: readonly string[];
}

/** Where functions announce changes, and the namespace for which they need the permission. */
interface Announcements {
  readonly api: EventsApi;
  readonly namespaceArn: string;
}

/** Responds to a request with a trace header. */
type Respond = (input: object, trace: string) => JsonResponse;

interface IamProxyOptions {
  readonly engine: string;
  readonly place: Place;
  readonly streamArn: string;
  readonly partitionKey: string;
  /** The functions' policies, by the access key id of their credentials. */
  readonly policies: ReadonlyMap<string, Policy>;
  readonly live?: Announcements | undefined;
  readonly send: Respond;
}

/** Returns the access key id that a request is signed with (Signature Version 4). */
const accessKeyIdOf = ({ headers }: IncomingMessage): string =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

const accessDenied = ({ action, resource }: Permission, caller: string): string =>
  JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    Message: `User: ${caller} is not authorized to perform: ${action} on resource: ${resource}`,
  });

const agent = new Agent({ keepAlive: true });

function forward(
  engine: string,
  { headers: incoming }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): void {
  const { host: _, connection: __, ...headers } = incoming;
  const outgoing = httpRequest(engine, { method: 'POST', headers, agent }, (received) => {
    response.writeHead(received.statusCode ?? 500, received.headers);
    received.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  outgoing.end(body);
}

/** The services in the targets of requests to EventBridge and SQS. */
const busService = 'AWSEvents';
const queueService = 'AmazonSQS';

/** Requests to AppSync have a path, and no target. */
const liveService = 'AppSync';

/** Returns the service and the operation of a request. */
const targetOf = ({ url, headers }: IncomingMessage): string[] =>
  url === publishPath ? [liveService, 'EventPublish'] : String(headers['x-amz-target'] ?? '').split('.');

/**
 * Returns what responds to the calls of EventBridge and SQS, by service. There are no rules, so nobody gets the events. The first event is refused
 * for long, so that every run shows that its sender may send to the queue, and that the queue calls it until the bus accepts the event.
 */
function eventServices({ live, send }: IamProxyOptions): Readonly<Record<string, Respond>> {
  let first: string | undefined;
  // With three attempts in a call, more calls than Lambda lets in a chain.
  let attempts = 60;
  const isRefused = (detail: string): boolean => {
    first ??= detail;
    if (detail !== first) return false;
    attempts -= 1;
    if (attempts === 0) console.log('The bus has accepted the first event.');
    return attempts > 0;
  };
  return {
    [busService]: (input: Partial<PutEventsRequest>) => putEvents(input, isRefused),
    [queueService]: send,
    ...(live && { [liveService]: (input: object) => publishTo(live.api, input) }),
  };
}

/** Starts the proxy. It denies every call whose access key id has no policy. */
export async function startIamProxy(options: IamProxyOptions) {
  const { engine, place, streamArn, partitionKey, policies, live } = options;
  const tableArnPrefix = `arn:aws:dynamodb:${place.region}:${place.account}:table/`;
  const busArnPrefix = `arn:aws:events:${place.region}:${place.account}:event-bus/`;
  const queueArnPrefix = `arn:aws:sqs:${place.region}:${place.account}:`;
  const services = eventServices(options);
  const records = new Map(
    [...policies.keys()].map((name) => [name, { used: new Set<string>(), refused: new Set<string>() }]),
  );

  const permissionsOf = (service: string, operation: string, body: Buffer): Permission[] => {
    // The bodies of stream calls do not name the table. There is only one stream.
    if (service.startsWith('DynamoDBStreams') && operation !== 'ListStreams') {
      return [{ action: `dynamodb:${operation}`, resource: streamArn }];
    }
    const input = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    if (service === busService) {
      return busesOf(input).map((bus) => ({ action: `events:${operation}`, resource: busArnPrefix + bus }));
    }
    if (service === liveService)
      return [{ action: `appsync:${operation}`, resource: live?.namespaceArn ?? '' }];
    if (service === queueService)
      return [{ action: `sqs:${operation}`, resource: queueArnPrefix + queueOf(input) }];
    return requiredPermissions(operation, input, { arnPrefix: tableArnPrefix, partitionKey });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      // DynamoDB answers these requests, with which functions open their connection, without credentials.
      response.end('healthy: dynamodb');
      return;
    }
    const body = await buffer(request);
    const [service = '', operation = ''] = targetOf(request);
    const caller = accessKeyIdOf(request);
    const record = records.get(caller);
    for (const required of permissionsOf(service, operation, body)) {
      const permission = policies.get(caller)?.permissionFor(required);
      if (permission) {
        record?.used.add(formatPermission(permission));
        continue;
      }
      // Without the keys: they would make a report of each tenant.
      const { action, resource } = required;
      record?.refused.add(formatPermission({ action, resource }));
      const headers = { 'content-type': 'application/x-amz-json-1.0' };
      response.writeHead(400, headers).end(accessDenied(required, caller));
      return;
    }
    const respond = services[service];
    if (!respond) return forward(engine, request, body, response);
    const trace = String(request.headers['x-amzn-trace-id']);
    const { status, body: result } = respond(JSON.parse(body.toString()) as object, trace);
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(result));
  };

  const server = createServer((request, response) => {
    handle(request, response).catch(() => request.socket.destroy());
  });
  const { host, port } = await unreachableByPages();
  await once(server.listen(port, host), 'listening');
  return {
    endpoint: `http://${host}:${port}`,
    report: (): PermissionReport[] =>
      [...policies].map(([name, policy]) => {
        const { used = new Set<string>(), refused = new Set<string>() } = records.get(name) ?? {};
        const unused = policy.permissions.map(formatPermission).filter((permission) => !used.has(permission));
        return { function: name, used: [...used].sort(), refused: [...refused].sort(), unused };
      }),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
