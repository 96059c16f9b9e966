import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Service } from '../../lib/local/service.ts';
import { audience, type Issuer, startIssuer } from '../support/issuer.ts';
import { startTestService } from '../support/local-service.ts';
import { wait } from '../support/until.ts';

/** `events.connect` of Amplify follows a channel of the local service, as one of AppSync Events. */

let issuer: Issuer;
let service: Service;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startTestService({ authentication: { issuer: issuer.url, audience: [audience] } });
});

afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

test('the library of AWS follows a channel', async () => {
  const token = await issuer.token({ scope: 'tasks:read tasks:write' });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const live = (await (await fetch(`${service.url}/v1/live`, { headers })).json()) as {
    readonly channels: Readonly<Record<string, string>>;
  };
  const args = [join(__dirname, 'program.mjs'), service.url, live.channels['tasks'] ?? '', token];
  const program = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(program, 'exit');
  const lines: string[] = [];
  let isWriting = true;
  const write = async (): Promise<void> => {
    // The program does not know when its subscription is accepted.
    while (isWriting) {
      await fetch(`${service.url}/v1/tasks`, { method: 'POST', headers, body: '{"name":"a"}' });
      await wait(500);
    }
  };
  let writing: Promise<void> | undefined;
  for await (const line of createInterface(program.stdout)) {
    lines.push(line);
    writing ??= write();
  }
  isWriting = false;
  await writing;
  expect([lines[0], (await ended)[0]]).toEqual(['connected', 0]);
  expect(JSON.parse(lines[1] ?? '')).toEqual({ position: expect.any(Number) as unknown });
}, 60_000);
