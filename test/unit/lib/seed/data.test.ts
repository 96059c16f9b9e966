import * as v from 'valibot';
import { createOrganization } from '#functions/organizations/contract.ts';
import { createProject } from '#functions/projects/contract.ts';
import { createTag } from '#functions/tags/contract.ts';
import { createTask } from '#functions/tasks/contract.ts';
import { createUser } from '#functions/users/contract.ts';
import { knownStatuses } from '#lib/openapi/resources.ts';
import { DataGenerator, type Ids } from '#lib/seed/data.ts';
import { type Amounts, type Kind, kinds } from '#lib/seed/options.ts';

type Body = Readonly<Record<string, unknown>>;

const amounts: Amounts = { organizations: 4, users: 30, tags: 40, projects: 60, tasks: 1_000 };
const today = new Date('2026-03-04T05:06:07Z');

const idsOf = (numbers: Amounts): Ids =>
  Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Array.from({ length: numbers[kind] }, (_, position) => `${kind}-${position}`),
    ]),
  ) as unknown as Ids;

function generate(seed: number, numbers: Amounts = amounts): Record<Kind, Body[]> {
  const data = new DataGenerator(numbers, seed, today);
  const ids = idsOf(numbers);
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Array.from({ length: numbers[kind] }, (_, position) => data[kind](position, ids)),
    ]),
  ) as unknown as Record<Kind, Body[]>;
}

const contracts = {
  organizations: createOrganization,
  users: createUser,
  tags: createTag,
  projects: createProject,
  tasks: createTask,
};

const data = generate(1);

const entityOf = (kind: Kind, id: unknown): Body => data[kind][Number(String(id).split('-')[1])] ?? {};

test.each(kinds)('generated %s match the contract', (kind) => {
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

test('every organization has users, tags and projects', () => {
  for (const kind of ['users', 'tags', 'projects'] as const) {
    const owners = new Set(data[kind].map(({ organizationId }) => organizationId));
    expect(owners.size).toBe(amounts.organizations);
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

test.each(kinds)('statuses of generated %s are those that the documentation names', (kind) => {
  const statuses = data[kind].map(({ status = 'active' }) => status);
  expect(knownStatuses).toEqual(expect.arrayContaining(statuses));
});

test('tasks need no other entities', () => {
  const tasks = generate(1, { organizations: 0, users: 0, tags: 0, projects: 0, tasks: 20 }).tasks;
  for (const task of tasks) expect(task).toMatchObject({ projectId: null, userId: null, tagIds: [] });
});
