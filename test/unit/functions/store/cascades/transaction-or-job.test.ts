import { buildWithChildren } from '#functions/store/cascades/transaction-or-job.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { beginJob } from '#functions/store/model/job.ts';

const stored = (kind: StoredEntity['kind'], id: string): StoredEntity => ({
  kind,
  version: 1,
  entity: { id, name: id, status: 'active', createdAt: '', updatedAt: '' },
});

const own = { before: stored('organization', 'organization-1') };
const first = { before: stored('project', 'project-1') };
const second = { before: stored('project', 'project-2') };
const job = beginJob(
  { tenant: 'acme' },
  { type: 'archive', id: 'organization-1', asOf: 0, after: '' },
  { id: 'job-1' },
);

test('changes an entity and its children in one transaction, and begins the job only when they do not fit', () => {
  const unit = buildWithChildren([own], { changes: [first, second], next: undefined }, job, 'result');
  expect(unit).toEqual({
    changes: [own, first, second],
    orElse: { changes: [own], writes: [job] },
    result: 'result',
  });
});

test('changes an entity without children, and begins no job', () => {
  const unit = buildWithChildren([own], { changes: [], next: undefined }, job, undefined);
  expect(unit.changes).toEqual([own]);
  expect(unit.writes).toBeUndefined();
});

test('changes only the entity and begins the job when there is another page of children', () => {
  const unit = buildWithChildren([own], { changes: [first], next: 'project-1' }, job, { id: '1' });
  expect(unit).toEqual({
    changes: [own],
    writes: [job],
    orElse: { changes: [own], writes: [job] },
    result: { id: '1' },
  });
});
