import * as v from 'valibot';
import { createOrganization } from '../../../../functions/organizations/contract.ts';
import { createProject } from '../../../../functions/projects/contract.ts';
import { createTag } from '../../../../functions/tags/contract.ts';
import { createTask } from '../../../../functions/tasks/contract.ts';
import { createUser } from '../../../../functions/users/contract.ts';
import { BelievableData, type Body, type Ids } from '../../../../lib/seed/believable-data.ts';
import { type Amounts, kinds } from '../../../../lib/seed/source.ts';

const amounts: Amounts = { organization: 4, user: 30, tag: 40, project: 60, task: 1_000 };
const today = new Date('2026-03-04T05:06:07Z');

const ids = Object.fromEntries(
  kinds.map((kind) => [kind, Array.from({ length: amounts[kind] }, (_, position) => `${kind}-${position}`)]),
) as unknown as Ids;

function bodies(seed: number): Record<(typeof kinds)[number], Body[]> {
  const data = new BelievableData(amounts, seed, today);
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Array.from({ length: amounts[kind] }, (_, position) => data.body(kind, position, ids)),
    ]),
  ) as Record<(typeof kinds)[number], Body[]>;
}

const contracts = {
  organization: createOrganization,
  user: createUser,
  tag: createTag,
  project: createProject,
  task: createTask,
};

const data = bodies(1);

const byId = (kind: (typeof kinds)[number], id: unknown): Body =>
  data[kind][Number(String(id).split('-')[1])] ?? {};

/** The share of those for which something holds. */
const share = (of: Body[], holds: (body: Body) => boolean): number => of.filter(holds).length / of.length;

describe('believable data', () => {
  test.each(kinds)('fits the contract of a new %s', (kind) => {
    const { schema, writable } = contracts[kind].body;
    for (const seed of [1, 2, 3]) {
      for (const body of bodies(seed)[kind]) {
        expect(v.parse(schema(), body)).toMatchObject(body);
        expect(writable).toEqual(expect.arrayContaining(Object.keys(body)));
      }
    }
  });

  test('is the same for the same seed, and another for another', () => {
    expect(bodies(1)).toEqual(data);
    expect(bodies(2)).not.toEqual(data);
  });

  test('does not depend on the order in which it is asked for', () => {
    const source = new BelievableData(amounts, 1, today);
    const backwards = data.task.map((_, position) => source.body('task', 999 - position, ids)).reverse();
    expect(backwards).toEqual(data.task);
  });

  test('keeps what belongs together within one organization', () => {
    for (const { projectId, userId, tagIds } of data.task) {
      const owners = [
        projectId && byId('project', projectId)['organizationId'],
        userId && byId('user', userId)['organizationId'],
        ...(tagIds as string[]).map((id) => byId('tag', id)['organizationId']),
      ].filter((owner) => owner !== null);
      expect(new Set(owners).size).toBeLessThanOrEqual(1);
    }
  });

  test('gives every organization users and projects', () => {
    for (const kind of ['user', 'project'] as const) {
      const owners = new Set(data[kind].map(({ organizationId }) => organizationId));
      expect(owners.size).toBe(amounts.organization);
    }
  });

  test('is spread as real data is', () => {
    const { task, project } = data;
    expect(new Set(task.map(({ status }) => status))).toEqual(
      new Set(['todo', 'in-progress', 'in-review', 'blocked', 'done', 'cancelled']),
    );
    expect(new Set(task.map(({ priority }) => priority)).size).toBe(5);
    expect(new Set(project.map(({ status }) => status)).size).toBeGreaterThan(3);
    expect(share(task, ({ description }) => description === '')).toBeCloseTo(0.35, 1);
    expect(share(task, ({ dueDate }) => dueDate === null)).toBeCloseTo(0.4, 1);
    expect(share(task, ({ tagIds }) => (tagIds as string[]).length === 0)).toBeCloseTo(0.25, 1);
    expect(share(task, ({ projectId }) => projectId === 'project-0')).toBeGreaterThan(0.1);
    expect(
      share(task, ({ dueDate, status }) => status === 'done' && (dueDate as string) > '2026-03-05'),
    ).toBe(0);
  });

  test('needs no organizations, projects, users or tags for tasks', () => {
    const alone = new BelievableData({ organization: 0, user: 0, tag: 0, project: 0, task: 20 }, 1, today);
    const none: Ids = { organization: [], user: [], tag: [], project: [], task: [] };
    for (let position = 0; position < 20; position += 1) {
      expect(alone.body('task', position, none)).toMatchObject({ projectId: null, userId: null, tagIds: [] });
    }
  });
});
