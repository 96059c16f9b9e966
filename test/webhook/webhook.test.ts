import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CloudEvent, eventNames } from '#functions/jobs/cloud-events.ts';
import { killLeftovers, spawnGroup } from '../cli/started-service.ts';
import { distinct, makeEveryChange } from '../support/every-change.ts';
import { startResponder, startServer, type TestServer } from '../support/http-server.ts';
import { startTestService } from '../support/local-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

/**
 * The webhook of the guide about events, and its packages: `npm test -- --only webhook` installs them. They are not types of the project,
 * which is compiled without them.
 */

const root = join(__dirname, '../..');
const example = join(root, 'examples/webhook');

type Address = { readonly address: string; readonly family: number };

const { deliver, handler } = require(join(example, 'webhook.ts')) as {
  deliver(event: object, receiver: object): Promise<void>;
  handler(event: { detail: object }): Promise<void>;
};
const { publicAddress } = require(join(example, 'public-address.ts')) as {
  publicAddress(url: URL, resolve?: (name: string) => Promise<Address[]>): Promise<Address>;
};
const { Webhook } = require(join(example, 'node_modules/standardwebhooks')) as {
  Webhook: new (secret: string) => { verify(body: string, headers: object): unknown };
};
const { HTTP } = require(join(example, 'node_modules/cloudevents')) as {
  HTTP: { toEvent(message: object): (CloudEvent & { validate(): boolean })[] };
};

const secret = `whsec_${Buffer.from('a key of 24 bytes or more').toString('base64')}`;
const event = { id: '019a:1', type: 'task.created', data: { version: 1 } };
const local = { address: '127.0.0.1', family: 4 };

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const servers: TestServer[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await killLeftovers();
});

/** Starts a receiver. @returns its port, and what it has received. */
async function receive(status: number, headers = {}): Promise<{ port: number; received: Received[] }> {
  const received: Received[] = [];
  const server = await startResponder((request, body) => {
    received.push({ headers: request.headers, body });
    return { status, headers };
  });
  servers.push(server);
  return { port: server.port, received };
}

test('the library of a receiver accepts the signature, and no other body', async () => {
  const { port, received } = await receive(204);
  // The name has no address but the one that was checked.
  const url = new URL(`http://hooks.example.test:${port}/tasks`);
  await deliver(event, { url, secret, addressOf: async () => local });
  const [{ headers, body } = { headers: {}, body: '' }] = received;
  expect(headers).toMatchObject({ 'webhook-id': '019a:1', host: `hooks.example.test:${port}` });
  expect(new Webhook(secret).verify(body, headers)).toEqual(event);
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
});

test('a private address is refused before anything is sent', async () => {
  const { port, received } = await receive(204);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]']) {
    process.env['WEBHOOK_URL'] = `http://${host}:${port}/`;
    process.env['WEBHOOK_SECRET'] = secret;
    await expect(handler({ detail: event })).rejects.toThrow('has the address');
  }
  const rebinding = (url: URL) => publicAddress(url, async () => [{ address: '1.1.1.1', family: 4 }, local]);
  const url = new URL(`http://rebinding.example.test:${port}/`);
  await expect(deliver(event, { url, secret, addressOf: rebinding })).rejects.toThrow('127.0.0.1');
  expect(received).toEqual([]);
});

test.each([301, 308])('a redirect is a failure, and is not followed: %s', async (status) => {
  const target = await receive(204);
  const { port } = await receive(status, { location: `http://127.0.0.1:${target.port}/` });
  const url = new URL(`http://hooks.example.test:${port}/`);
  await expect(deliver(event, { url, secret, addressOf: async () => local })).rejects.toThrow(String(status));
  expect(target.received).toEqual([]);
});

test('the official library parses every event of every kind', async () => {
  const batches = await receive(204);
  const service = await startTestService({ eventsAddress: `http://127.0.0.1:${batches.port}` });
  const expected = await makeEveryChange(service.url);
  const events = () => batches.received.flatMap(({ headers, body }) => HTTP.toEvent({ headers, body }));
  await until(() => distinct(events()).length >= expected.length);
  await service.stop();
  expect(distinct(events())).toEqual(distinct(expected));
  expect(events().every((one) => one.validate())).toBe(true);
});

test('the rule of the example can be deployed', async () => {
  const folder = temporaryFolder();
  const context = { bus: 'the-bus', url: 'https://hooks.example.com/', secret: 'webhook-key' };
  const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context), CDK_OUTDIR: folder };
  await promisify(execFile)(process.execPath, ['--import', 'tsx', join(example, 'rule.ts')], {
    cwd: root,
    env,
  });
  const template = readFileSync(join(folder, 'project-management-webhook.template.json'), 'utf8');
  expect(template).toContain('"source": [\n      "project-management"');
  for (const name of Object.values(eventNames)) expect(template).toContain(`"task.${name}"`);
  expect(template).toContain('{{resolve:secretsmanager:webhook-key');
});

test('the commands of the guide deliver an event of a task', async () => {
  const guide = readFileSync(join(root, 'docs/guides/events.md'), 'utf8');
  const [webhook = '', service = '', change = '', ...others] = [
    ...guide.matchAll(/^```sh\n(.*?)^```/gms),
  ].map(([, code = '']) => code);
  expect(others).toEqual([]);
  // Other ports: those of the guide can be in use on this machine.
  const [rulePort, receiverPort, port] = await freePorts();
  const paste = (script: string) => {
    const text = script
      .replace('examples/webhook/local.ts', `examples/webhook/local.ts ${rulePort} ${receiverPort}`)
      .replaceAll(':9999', `:${rulePort}`)
      .replaceAll(':3000', `:${port}`);
    const env = { PORT: String(port), DATABASE_FILE: ':memory:' };
    return spawnGroup('bash', ['-euo', 'pipefail', '-c', text], { cwd: root, env });
  };
  const first = paste(webhook);
  const second = paste(service);
  await first.printed(/Waits for events/);
  await second.printed(/The API listens on/);
  expect(await paste(change).ended()).toBe(0);
  await first.printed(/"type":"task\.created"/);
  expect(first.output()).toMatch(/^task:[\w-]{36}:1: \{"specversion":"1\.0"/m);
});

async function freePorts(): Promise<readonly number[]> {
  const started = await Promise.all([1, 2, 3].map(() => startServer()));
  for (const server of started) await server.stop();
  return started.map(({ port }) => port);
}
