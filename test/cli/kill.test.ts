import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killLeftovers, type StartedService, start } from './started-service.ts';

/**
 * Kills the process group of the service while sixteen writers write, ten times on one database. Every acknowledged write
 * must survive, and a write of several items must be complete or absent.
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
  /** Archived organizations with their projects, which are archived too. */
  readonly families: { readonly organization: string; readonly projects: string[] }[];
  /** Deleted projects with their tasks, which are deleted too. */
  readonly deletions: { readonly project: string; readonly tasks: string[] }[];
}

const folder = mkdtempSync(join(tmpdir(), 'kill-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(killLeftovers);

async function write(url: string, acknowledged: Acknowledged): Promise<void> {
  const send = async (method: string, path: string, body?: object): Promise<Entity> => {
    const response = await fetch(url + path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
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
    acknowledged.deletions.push({ project, tasks });
    const paths = [`/v1/projects/${project}`, ...tasks.map((id) => `/v1/tasks/${id}`)];
    // From here until the response, each of them may exist or not.
    acknowledged.created.splice(0, Infinity, ...acknowledged.created.filter((path) => !paths.includes(path)));
    await send('DELETE', `/v1/projects/${project}`);
    acknowledged.deleted.push(...paths);
  }
}

async function found(url: string, path: string): Promise<Entity | undefined> {
  const response = await fetch(url + path);
  if (response.status === 404) {
    await response.arrayBuffer();
    return undefined;
  }
  expect(response.status).toBe(200);
  return (await response.json()) as Entity;
}

async function expectWhole(
  { url }: StartedService,
  { created, deleted, families, deletions }: Acknowledged,
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
  for (const { project, tasks } of deletions) {
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
      const response = await fetch(`${url}/v1/${path}?limit=100&page=${page}`);
      const list = (await response.json()) as { data: Entity[]; total: number; totalPages: number };
      for (const { id } of list.data) seen.add(id);
      ({ total, totalPages } = list);
    }
    expect([path, seen.size]).toEqual([path, total]);
  }
}

test('every acknowledged write survives, and no write is incomplete', async () => {
  const environment = { DATABASE_FILE: join(folder, 'database.sqlite') };
  let all = 0;
  let service = await start(environment);
  for (let round = 0; round < rounds; round += 1) {
    const acknowledged: Acknowledged = { created: [], deleted: [], families: [], deletions: [] };
    const { url } = service;
    const writing = Array.from({ length: writers }, () =>
      write(url, acknowledged).catch((error: unknown) => error),
    );
    // After a number of writes instead of a time, which would be too short on a slow machine.
    while (acknowledged.created.length + acknowledged.deleted.length < (1 + round) * (writers / 2))
      await delay(1);
    process.kill(-(service.process.pid ?? 0), 'SIGKILL');
    // A writer ends because of a broken connection, not because of a response.
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
});
