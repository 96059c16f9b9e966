/** Where functions publish events on this machine: what AppSync accepts by HTTP, and how it responds. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import * as v from 'valibot';
import { unreachableByPages } from '../port.ts';
import type { EventsApi } from './events-api.ts';
import { publishPath } from './messages.ts';

const request = v.object({
  channel: v.string(),
  /** As many as AppSync accepts. */
  events: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(5)),
});

/** Publishes what a request says. Returns the response. */
export function publishTo(api: EventsApi, body: unknown): { readonly status: number; readonly body: object } {
  const { success, output } = v.safeParse(request, body);
  if (!success) return { status: 400, body: { errors: [{ errorType: 'BadRequestException' }] } };
  api.publish(output.channel, output.events);
  const successful = output.events.map((_, index) => ({ identifier: randomUUID(), index }));
  return { status: 200, body: { failed: [], successful } };
}

/** Starts a server that publishes for the functions of this process. Web pages cannot reach it. */
export async function startPublishing(api: EventsApi) {
  const server = createServer((incoming, response) => {
    json(incoming).then(
      (sent) => {
        const { status, body } = publishTo(api, sent);
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      },
      () => response.destroy(),
    );
  });
  const { host, port } = await unreachableByPages();
  await once(server.listen(port, host), 'listening');
  return {
    endpoint: `http://${host}:${port}${publishPath}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
