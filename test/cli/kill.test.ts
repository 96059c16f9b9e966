import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killLeftovers, type StartedService, start } from './started-service.ts';

/**
 * The whole process group is killed while sixteen writers write, ten times over one database. What was
 * acknowledged is there; what spans several items happened whole or not at all.
 */

const writers = 16;
const rounds = 10;

interface Entity {
  readonly id: string;
  readonly status: string;
}

interface Acknowledged {
  readonly created: string[];
  readonly deleted: string[];
  /** Organizations with their projects: to archive one archives the others. */
  readonly families: { readonly organization: string; readonly projects: string[] }[];
  /** Projects with their tasks: to delete one deletes the others. */
  readonly heaps: { readonly project: string; readonly tasks: string[] }[];
}

const folder = mkdtempSync(join(tmpdir(), 'kill-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

/** One round's writer: goes on until the service is killed under it. */
async function write(url: string, acknowledged: Acknowledged): Promise<void> {
  const send = async (method: string, path: string, body?: object): Promise<Entity> => {
    const answer = await fetch(url + path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text ? JSON.parse(text) : {}) as Entity;
  };
  const create = async (path: string, body: object): Promise<string> => {
    const { id } = await send('POST', path, { name: 'written', ...body });
    acknowledged.created.push(`${path}/${id}`);
    return id;
  };
  for (;;) {
    const organizationId = await create('/v1/organizations', {});
    const projects = [
      await create('/v1/projects', { organizationId }),
      await create('/v1/projects', { organizationId }),
    ];
    acknowledged.families.push({ organization: organizationId, projects });
    await send('POST', `/v1/organizations/${organizationId}/archive`);
    const project = await create('/v1/projects', { organizationId });
    const tasks = [
      await create('/v1/tasks', { projectId: project }),
      await create('/v1/tasks', { projectId: project }),
    ];
    acknowledged.heaps.push({ project, tasks });
    const paths = [`/v1/projects/${project}`, ...tasks.map((id) => `/v1/tasks/${id}`)];
    // From here on each may be there or not, until the answer says that they are gone.
    acknowledged.created.splice(0, Infinity, ...acknowledged.created.filter((path) => !paths.includes(path)));
    await send('DELETE', `/v1/projects/${project}`);
    acknowledged.deleted.push(...paths);
  }
}

async function found(url: string, path: string): Promise<Entity | undefined> {
  const answer = await fetch(url + path);
  if (answer.status === 404) {
    await answer.arrayBuffer();
    return undefined;
  }
  expect(answer.status).toBe(200);
  return (await answer.json()) as Entity;
}

async function expectWhole(
  { url }: StartedService,
  { created, deleted, families, heaps }: Acknowledged,
): Promise<void> {
  for (const path of created) expect([path, await found(url, path)]).toEqual([path, expect.anything()]);
  for (const path of deleted) expect([path, await found(url, path)]).toEqual([path, undefined]);
  for (const { organization, projects } of families) {
    const [parent, ...children] = await Promise.all(
      [`/v1/organizations/${organization}`, ...projects.map((id) => `/v1/projects/${id}`)].map((path) =>
        found(url, path),
      ),
    );
    for (const child of children) expect(child?.status).toBe(parent?.status);
  }
  for (const { project, tasks } of heaps) {
    const parent = await found(url, `/v1/projects/${project}`);
    for (const task of tasks) expect(Boolean(await found(url, `/v1/tasks/${task}`))).toBe(Boolean(parent));
  }
}

async function expectTrueTotals({ url }: StartedService): Promise<void> {
  for (const path of ['organizations', 'projects', 'tasks']) {
    const seen = new Set<string>();
    let total = 0;
    let totalPages = 1;
    for (let page = 1; page <= totalPages; page += 1) {
      const answer = await fetch(`${url}/v1/${path}?limit=100&page=${page}`);
      const list = (await answer.json()) as { data: Entity[]; total: number; totalPages: number };
      for (const { id } of list.data) seen.add(id);
      ({ total, totalPages } = list);
    }
    expect([path, seen.size]).toEqual([path, total]);
  }
}

test('every acknowledged write survives, and none is half there', async () => {
  const environment = { DATABASE_FILE: join(folder, 'database.sqlite') };
  let all = 0;
  let service = await start(environment);
  for (let round = 0; round < rounds; round += 1) {
    const acknowledged: Acknowledged = { created: [], deleted: [], families: [], heaps: [] };
    const { url } = service;
    const writing = Array.from({ length: writers }, () =>
      write(url, acknowledged).catch((error: unknown) => error),
    );
    // In the middle of things, sooner or later: not after a time, which is nothing on a slow machine.
    while (acknowledged.created.length + acknowledged.deleted.length < (1 + round) * (writers / 2))
      await delay(1);
    process.kill(-(service.process.pid ?? 0), 'SIGKILL');
    // A writer ends because the connection does, not because of an answer.
    for (const error of await Promise.all(writing)) expect(String(error)).toContain('fetch failed');
    await service.ended();
    service = await start(environment);
    await expectWhole(service, acknowledged);
    all += acknowledged.created.length + acknowledged.deleted.length;
  }
  await expectTrueTotals(service);
  service.process.kill('SIGINT');
  await service.ended();
  expect(all).toBeGreaterThan(rounds * writers);
}, 180_000);
