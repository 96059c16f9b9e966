/**
 * The webhook on this machine: the rule, which gets the events of `npm start -- --events http://localhost:9999`, and a receiver, which checks the
 * signatures and prints the events.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { deliver, type Event } from './webhook.ts';

const [rulePort = '9999', receiverPort = '9998'] = process.argv.slice(2);
const host = '127.0.0.1';
const secret = `whsec_${randomBytes(24).toString('base64')}`;
const url = new URL(`http://${host}:${receiverPort}/`);

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts a server that responds with a status, or with 400 if the handler throws. */
function serve(port: string, handle: (request: IncomingMessage) => Promise<void>): Server {
  return createServer((request, response) => {
    handle(request).then(
      () => response.writeHead(204).end(),
      (error: Error) => response.writeHead(400).end(error.message),
    );
  }).listen(Number(port), host);
}

serve(receiverPort, async (request) => {
  const body = await textOf(request);
  new Webhook(secret).verify(body, request.headers as Record<string, string>);
  console.log(`${request.headers['webhook-id']}: ${body}`);
});

serve(rulePort, async (request) => {
  // This receiver is on a private address, which the function refuses.
  const addressOf = async () => ({ address: host, family: 4 });
  for (const event of JSON.parse(await textOf(request)) as Event[])
    await deliver(event, { url, secret, addressOf });
}).on('listening', () => console.log(`Waits for events: npm start -- --events http://localhost:${rulePort}`));
