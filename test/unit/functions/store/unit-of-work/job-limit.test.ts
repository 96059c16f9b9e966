import { randomUUID } from 'node:crypto';
import { deleteEntity } from '#functions/store/cascades/delete-entity.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { TooManyJobs } from '#functions/store/model/errors.ts';
import { beginJob } from '#functions/store/model/job.ts';
import type { Write } from '#functions/store/model/writes.ts';
import { applyChangeSet } from '#functions/store/unit-of-work/commit.ts';
import { maxJobs, requireJobCapacity } from '#functions/store/unit-of-work/job-limit.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { deleteTag } from '#functions/tags/contract.ts';
import { invoke, problemOf, useEmptyTable } from '#test/support/invoke.ts';
import type { TestStore } from '#test/support/local-store.ts';

const table = useEmptyTable();
let store: TestStore;
let session: Session;

beforeEach(() => {
  store = table.store();
  // The tenant of a token begins with it.
  session = store.session(`@${randomUUID()}`);
});

afterEach(() => {
  jest.restoreAllMocks();
});

const dueLater = '3000-01-01T00:00:00.000Z';

const newJob = (tenant: string): Write =>
  beginJob(
    { tenant },
    { type: 'archive', id: randomUUID(), asOf: 0, after: '' },
    { id: randomUUID(), dueAt: dueLater },
  );

async function beginJobs(tenant: string, number: number): Promise<void> {
  for (let begun = 0; begun < number; begun += 100) {
    const writes = Array.from({ length: Math.min(100, number - begun) }, () => newJob(tenant));
    await store.database().transact(writes);
  }
}

const begins = (number: number): Promise<void> =>
  requireJobCapacity(
    session,
    Array.from({ length: number }, () => newJob(session.tenant)),
  );

test('a request that begins no job counts none', async () => {
  await requireJobCapacity(session, [{ put: { pk: 'a', sk: 'entity', version: 1 } }]);
  await requireJobCapacity(session);
  expect(session.database.consumption.calls).toBe(0);
});

test('a tenant begins jobs up to the limit, whatever others have', async () => {
  await beginJobs(session.tenant, maxJobs - 10);
  await beginJobs(`${session.tenant}0`, 100);
  await begins(10);
  await expect(begins(11)).rejects.toThrow(
    'About 1000 deletions, archives and clones of this tenant are not finished yet, the maximum.',
  );
});

test('a process counts the jobs of a tenant once in five seconds, with those that it begins', async () => {
  const nowMs = Date.now();
  jest.spyOn(Date, 'now').mockReturnValue(nowMs);
  await begins(1);
  await begins(300);
  expect(session.database.consumption.calls).toBe(1);
  await begins(300);
  expect(session.database.consumption.calls).toBe(1);
  // Near the limit, it counts them each time: none of these jobs was written.
  await begins(1);
  expect(session.database.consumption.calls).toBe(2);
  jest.spyOn(Date, 'now').mockReturnValue(nowMs + 5_000);
  await begins(1);
  expect(session.database.consumption.calls).toBe(3);
});

test('a deletion beyond the limit changes nothing and is 429, and jobs begin further ones', async () => {
  const { entity } = await createEntity(session, 'tag', { name: 'x', status: 'active' });
  await beginJobs(session.tenant, maxJobs);
  await expect(deleteEntity(session, 'tag', entity.id)).rejects.toBeInstanceOf(TooManyJobs);
  const response = await invoke(deleteTag, { tenant: session.tenant.slice(1), id: entity.id });
  expect(response).toMatchObject({ statusCode: 429, headers: { 'retry-after': '10' } });
  expect(problemOf(response)).toMatchObject({
    type: '/docs/problems#too-many-requests',
    detail: expect.stringMatching(
      /^About 1000 deletions, .* Send the request again after the seconds in Retry-After\.$/,
    ),
  });
  await applyChangeSet(session, { changes: [], writes: [newJob(session.tenant)] });
  expect(
    await session.database.get({ pk: `${session.tenant}#tag#${entity.id}`, sk: 'entity' }),
  ).toBeDefined();
});
