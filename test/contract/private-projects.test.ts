/**
 * What another user sees of a project without members. `npx pm-api verify --other-token` tries it on a deployment, with a token that does not see all; a service
 * without tokens shows everything to everyone. `test/security/private-projects.test.ts` tests all rules.
 */
import { create, type Entity, pathTo, readList } from './resources.ts';
import { request } from './service.ts';

const otherToken = process.env['OTHER_TOKEN'];
const headers: Record<string, string> = otherToken ? { authorization: `Bearer ${otherToken}` } : {};

let project: Entity;
let task: Entity;

beforeAll(async () => {
  project = await create('project', { visibility: 'members', memberIds: [] });
  task = await create('task', { projectId: project.id });
});

test('who sees all reads and lists a private project and its tasks', async () => {
  for (const [kind, { id }] of [['project', project] as const, ['task', task] as const]) {
    expect((await request('GET', pathTo(kind, id))).status).toBe(200);
    expect((await readList(`/v1/${kind}s?id=${id}`)).total).toBe(1);
  }
});

test('another user does not, unless the service has no tokens', async () => {
  const [status, total] = otherToken ? [404, 0] : [200, 1];
  for (const [kind, { id }] of [['project', project] as const, ['task', task] as const]) {
    expect((await request('GET', pathTo(kind, id), { headers })).status).toBe(status);
    expect((await request('GET', `${pathTo(kind, id)}/changes`, { headers })).status).toBe(status);
    const list = await request('GET', `/v1/${kind}s?id=${id}`, { headers });
    expect(list.body).toMatchObject({ total });
    const body = { status: 'planned' };
    expect((await request('PATCH', pathTo(kind, id), { headers, body })).status).toBe(status);
  }
});
