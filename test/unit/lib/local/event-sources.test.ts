import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type Service, startService } from '../../../../lib/local/service.ts';
import { hasStream } from '../../../../lib/local/table.ts';

/** A stream that grew too long for its engine is ended; what it would tell of is done all the same. */

const folder = mkdtempSync(join(tmpdir(), 'event-sources-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** With a stream that is ended when it holds more than one large deletion leaves there. */
const start = (): Promise<Service> =>
  startService({ port: 0, databaseFile: join(folder, 'database.sqlite'), longestStream: 1_000 });

async function send<Body>(service: Service, method: string, path: string, body?: object): Promise<Body> {
  const answer = await fetch(service.url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect([method, path, answer.ok]).toEqual([method, path, true]);
  const text = await answer.text();
  return (text === '' ? undefined : JSON.parse(text)) as Body;
}

async function isStreamed({ endpoint, tableName }: Service): Promise<boolean> {
  const client = new DynamoDBClient({ endpoint });
  const is = await hasStream(client, tableName);
  client.destroy();
  return is;
}

/** Deletes an organization on which more hangs than one transaction can hold, and waits until its users are free of it. */
async function deleteLargeOrganization(service: Service): Promise<void> {
  const { id: organizationId } = await send<{ id: string }>(service, 'POST', '/v1/organizations', {
    name: 'O',
  });
  await Promise.all(
    Array.from({ length: 101 }, (_, number) =>
      send(service, 'POST', '/v1/users', { name: `User ${number}`, organizationId }),
    ),
  );
  const total = async (): Promise<number> =>
    (await send<{ total: number }>(service, 'GET', `/v1/organizations/${organizationId}/users?limit=1`))
      .total;
  await send(service, 'DELETE', `/v1/organizations/${organizationId}`);
  while ((await total()) > 0) await delay(50);
}

test('jobs are done while there is a stream, when it has become too long, and after another start without one', async () => {
  const first = await start();
  await deleteLargeOrganization(first);
  expect(await isStreamed(first)).toBe(true);
  await first.stop();
  const second = await start();
  while (await isStreamed(second)) await send(second, 'POST', '/v1/tags', { name: 'T' });
  await deleteLargeOrganization(second);
  await second.stop();
  const third = await start();
  expect(await isStreamed(third)).toBe(false);
  await deleteLargeOrganization(third);
  await third.stop();
});
