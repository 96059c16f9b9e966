import type { PutEventsRequest } from '@aws-sdk/client-eventbridge';
import type { CloudEvent } from '#functions/jobs/cloud-events.ts';
import { putEvents } from '#lib/cloud-assembly/event-bus.ts';
import { startResponder, type TestServer } from './http-server.ts';

/** A bus of EventBridge that speaks the protocol of `PutEvents`. */
export interface TestBus extends TestServer {
  /** The details that were accepted, in their order. */
  readonly events: CloudEvent[];
}

export async function startTestBus(): Promise<TestBus> {
  const events: CloudEvent[] = [];
  const server = await startResponder((_, text) => {
    const { status, body, events: accepted } = putEvents(JSON.parse(text) as PutEventsRequest);
    events.push(...accepted.map(({ detail }) => detail as CloudEvent));
    return { status, body };
  });
  return { ...server, events };
}
