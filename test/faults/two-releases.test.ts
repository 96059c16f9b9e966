import { randomUUID } from 'node:crypto';
import { runSchedule, startReleases } from '../support/releases.ts';

/** What one release begins, and the other one continues: jobs, idempotency keys, cursors, subjects and reminders. */

interface Body {
  readonly id: string;
  readonly total: number;
  readonly next: string | null;
  readonly cursor: string;
  readonly data: readonly { readonly id: string; readonly name: string }[];
}

let releases: Awaited<ReturnType<typeof startReleases>>;

beforeAll(async () => {
  // The tests run the schedule of the release that continues.
  releases = await startReleases({ hasSchedule: false });
});

afterAll(() => releases.stop());

const directions = [
  ['the last release', 'this release', 0, 1],
  ['this release', 'the last release', 1, 0],
] as const;

describe.each(directions)('what %s begins, %s continues:', (_, __, first, second) => {
  const from = () => releases.running[first];
  const to = () => releases.running[second];

  const created = async (path: string, body: object): Promise<string> => {
    const { status, body: entity } = await from().send<Body>('POST', path, body);
    expect(status).toBe(201);
    return entity.id;
  };

  test('the deletion of more than fits one transaction', async () => {
    const organizationId = await created('/v1/organizations', { name: 'o' });
    const projectId = await created('/v1/projects', { name: 'p', organizationId });
    for (let batch = 0; batch < 5; batch += 1) {
      const operations = Array.from({ length: 25 }, () => ({
        operation: 'create',
        body: { name: 't', projectId },
      }));
      expect((await from().send('POST', '/v1/tasks/batch', { operations })).status).toBe(200);
    }
    const total = async () =>
      (await from().send<Body>('GET', `/v1/tasks?projectId=${projectId}&limit=1`)).body.total;
    expect(await total()).toBe(125);
    expect((await from().send('DELETE', `/v1/projects/${projectId}`)).status).toBe(204);
    expect(await total()).toBe(125);
    await runSchedule(to().release);
    expect(await total()).toBe(0);
  });

  test('a request that is sent again with its idempotency key', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = ({ send: request }: ReturnType<typeof from>) =>
      request<Body>('POST', '/v1/tags', { name: 'a' }, headers);
    const [one, other] = [await send(from()), await send(to())];
    expect(other).toMatchObject({ status: 201, body: one.body });
    expect(other.headers.get('idempotency-replayed')).toBe('true');
  });

  test('a list and a feed, by their cursors', async () => {
    const name = randomUUID();
    for (let number = 0; number < 3; number += 1) await created('/v1/tags', { name });
    const list = `/v1/tags?name=${name}&sortBy=name&limit=2&after=`;
    const page = (await from().send<Body>('GET', list)).body;
    const rest = (await to().send<Body>('GET', `${list}${page.next}`)).body;
    expect(new Set([...page.data, ...rest.data].map(({ id }) => id)).size).toBe(3);
    const feed = `/v1/tags/changes?name=${name}`;
    const begun = (await from().send<Body>('GET', feed)).body;
    const id = await created('/v1/tags', { name });
    const changes = await to().send<Body>('GET', `${feed}&since=${begun.cursor}`);
    expect(changes.status).toBe(200);
    expect(JSON.stringify(changes.body)).toContain(id);
  });

  test('the subject of a user, which belongs to one user', async () => {
    const subject = randomUUID();
    const id = await created('/v1/users', { name: 'Ada', subject });
    const second = await to().send('POST', '/v1/users', { name: 'Bob', subject });
    expect(second.status).toBe(409);
    expect((await to().send('DELETE', `/v1/users/${id}`)).status).toBe(204);
    await created('/v1/users', { name: 'Bob', subject });
  });

  test('a long description', async () => {
    const description = 'x'.repeat(5_000);
    const id = await created('/v1/tags', { name: 'a', description });
    expect((await to().send('GET', `/v1/tags/${id}`)).body).toMatchObject({ description });
    expect((await to().send('PATCH', `/v1/tags/${id}`, { description: `${description}y` })).status).toBe(200);
    expect((await from().send('GET', `/v1/tags/${id}`)).body).toMatchObject({
      description: `${description}y`,
    });
  });
});
