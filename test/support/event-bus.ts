import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { type PutEventsRequest, putEvents } from '#lib/cloud-assembly/event-bus.ts';

/** A bus of EventBridge that speaks the protocol of `PutEvents`. Faults are injected before it: `startEngineProxy(bus.endpoint)`. */
export interface TestBus {
  readonly endpoint: string;
  /** The details that were accepted, in their order. */
  readonly events: CloudEvent[];
  stop(): Promise<void>;
}

export async function startTestBus(): Promise<TestBus> {
  const events: CloudEvent[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const received = putEvents(JSON.parse(Buffer.concat(chunks).toString()) as PutEventsRequest);
    events.push(...received.events.map(({ detail }) => detail as CloudEvent));
    response
      .writeHead(received.status, { 'content-type': 'application/x-amz-json-1.1' })
      .end(JSON.stringify(received.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    events,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
