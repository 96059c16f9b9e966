import * as v from 'valibot';
import { createClient } from '#client/index.ts';
import { createOrganization } from '#functions/organizations/contract.ts';
import { createProject } from '#functions/projects/contract.ts';
import { createTag } from '#functions/tags/contract.ts';
import { createTask } from '#functions/tasks/contract.ts';
import { createUser } from '#functions/users/contract.ts';
import { type CollectionName, collections } from '#lib/command-line/collections.ts';
import { type Amounts, DataGenerator, type Ids } from '#lib/seed/data.ts';
import { seed } from '#lib/seed/seed.ts';
import { provideFetchedService } from '#test/support/in-process-fetch.ts';

describe('data', () => {
  type Body = Readonly<Record<string, unknown>>;

  const amounts: Amounts = { organizations: 4, users: 30, tags: 40, projects: 60, tasks: 300 };
  const today = new Date('2026-03-04T05:06:07Z');

  const idsOf = (numbers: Amounts): Ids =>
    Object.fromEntries(
      collections.map((kind) => [
        kind,
        Array.from({ length: numbers[kind] }, (_, position) => `${kind}-${position}`),
      ]),
    ) as unknown as Ids;

  function generate(seed: number, numbers: Amounts = amounts): Record<CollectionName, Body[]> {
    const data = new DataGenerator(numbers, seed, today);
    const ids = idsOf(numbers);
    return Object.fromEntries(
      collections.map((kind) => [
        kind,
        Array.from({ length: numbers[kind] }, (_, position) => data[kind](position, ids)),
      ]),
    ) as unknown as Record<CollectionName, Body[]>;
  }

  const contracts = {
    organizations: createOrganization,
    users: createUser,
    tags: createTag,
    projects: createProject,
    tasks: createTask,
  };

  const data = generate(1);

  const entityOf = (kind: CollectionName, id: unknown): Body =>
    data[kind][Number(String(id).split('-')[1])] ?? {};

  test.each(collections)('generated %s match the contract', (kind) => {
    const { schema, writable } = contracts[kind].body;
    for (const body of data[kind]) {
      expect(v.parse(schema(), body)).toMatchObject(body);
      expect(writable).toEqual(expect.arrayContaining(Object.keys(body)));
    }
  });

  test('the same seed generates the same data, and another seed other data', () => {
    expect(generate(1)).toEqual(data);
    expect(generate(2)).not.toEqual(data);
  });

  test('project, user and tags of a task belong to one organization', () => {
    for (const { projectId, userId, tagIds } of data.tasks) {
      const owners = [
        entityOf('projects', projectId)['organizationId'],
        userId && entityOf('users', userId)['organizationId'],
        ...(tagIds as string[]).map((id) => entityOf('tags', id)['organizationId']),
      ].filter((owner) => owner !== null);
      expect(new Set(owners).size).toBe(1);
    }
  });

  test('statuses, priorities and due dates vary and fit together', () => {
    expect(new Set(data.tasks.map(({ status }) => status))).toEqual(
      new Set(['planned', 'active', 'completed', 'archived']),
    );
    expect(new Set(data.tasks.map(({ priority }) => priority)).size).toBe(5);
    expect(new Set(data.projects.map(({ status }) => status))).toEqual(
      new Set(['active', 'planned', 'completed']),
    );
    for (const { projectId, status, dueDate } of data.tasks) {
      if (entityOf('projects', projectId)['status'] !== 'completed') continue;
      expect(['completed', 'archived']).toContain(status);
      if (dueDate !== null) expect(String(dueDate) < '2026-03-04').toBe(true);
    }
  });
});

describe('seed', () => {
  const service = provideFetchedService();
  beforeAll(() => {
    jest.spyOn(globalThis, 'fetch').mockImplementation(service.fetch);
  });
  afterAll(() => jest.restoreAllMocks());

  const list = async (path: string) =>
    (await (await service.fetch(`${service.url}/v1/${path}`)).json()) as { readonly total: number };

  const quiet = { begin: () => {}, step: () => {} };

  const totals = async () =>
    Object.fromEntries(
      await Promise.all(collections.map(async (kind) => [kind, (await list(kind)).total] as const)),
    );

  test('creates the given number of entities of each kind, and deletes everything first when asked to', async () => {
    const { url } = service;
    const amounts = { organizations: 2, users: 4, tags: 3, projects: 4, tasks: 50 };
    let steps = 0;
    const step = (amount = 1) => {
      steps += amount;
    };
    await seed({ amounts, seed: 1, url, concurrency: 8 }, { ...quiet, step });
    expect([await totals(), steps]).toEqual([amounts, 63]);
    const { tasks } = createClient({ url });
    const ids = (await tasks.list({ limit: 50 })).data.map(({ id }) => id);
    // The deletion of each of the two batches also deletes a task of the other one.
    await tasks.update(ids[49] ?? '', { parentId: ids[0] });
    await tasks.update(ids[1] ?? '', { parentId: ids[48] });
    const few = { organizations: 1, users: 1, tags: 1, projects: 1, tasks: 30 };
    await seed({ amounts: few, seed: 2, url, concurrency: 3, reset: true }, quiet);
    expect(await totals()).toEqual(few);
    const failing = seed({ amounts, seed: 1, url: `${url}/v2`, concurrency: 1, reset: true }, quiet);
    await expect(failing).rejects.toThrow(/^The deletion failed: 404 /);
  });
});
