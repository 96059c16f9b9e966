import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';

/** Receives batches of events, as `npm start -- --events` posts them. */
export interface EventReceiver {
  readonly url: string;
  /** All events that were accepted, in their order. */
  readonly events: CloudEvent[];
  /** The content types of all requests. */
  readonly mediaTypes: Set<string>;
  /** The status of the next responses. */
  status: number;
  /** Number of requests. */
  requests: number;
  stop(): Promise<void>;
}

/** @param port 0 selects any free port. */
export async function startEventReceiver(port = 0): Promise<EventReceiver> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.requests += 1;
    receiver.mediaTypes.add(String(request.headers['content-type']));
    const events = JSON.parse(Buffer.concat(chunks).toString()) as CloudEvent[];
    if (receiver.status < 300) receiver.events.push(...events);
    response.writeHead(receiver.status).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events: [],
    mediaTypes: new Set(),
    status: 204,
    requests: 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
}
