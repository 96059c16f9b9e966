import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from '#client/index.ts';
import { CommandFailure } from '#lib/cli/command-line.ts';
import { requireService } from '#lib/cli/require-service.ts';

const problem = (type: string, status: number, detail: string): string =>
  JSON.stringify({ type: `/docs#${type}`, title: 'Title', status, detail });

test.each([
  ['is healthy', 200, 'application/json', '{"status":"ok"}', undefined],
  [
    'is unavailable',
    503,
    'application/problem+json',
    problem('unavailable', 503, 'Later.'),
    'is not healthy',
  ],
  ['has no such path', 404, 'text/html', '<h1>Not\nfound</h1>', 'is not a project-management service'],
  ['sends a web page', 200, 'text/html', '<h1>Hello</h1>', 'is not a project-management service'],
])('checks a service that %s', async (_, status, type, body, message) => {
  const server = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': type }).end(body),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failure = await requireService(createClient({ url, tries: 1 }), url).catch((error: unknown) => error);
  if (message === undefined) {
    expect(failure).toBeUndefined();
  } else {
    expect(failure).toBeInstanceOf(CommandFailure);
    expect((failure as Error).message).toMatch(new RegExp(`^[^\\n]*${message}[^\\n]*$`));
  }
  server.closeAllConnections();
  server.close();
});
