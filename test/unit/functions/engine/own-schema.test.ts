/** The engine with the schema of another application, invoices and their lines: what it does follows from the schema, and nothing of tasks is in it. */
import { randomUUID } from 'node:crypto';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { restoreEntity } from '#functions/engine/deletions/restore.ts';
import { continueJob } from '#functions/engine/due-work/continue-job.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { readEntity } from '#functions/engine/entities/read-entity.ts';
import { findByUniqueValue } from '#functions/engine/entities/unique-values.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { listChanges } from '#functions/engine/feed/list-changes.ts';
import { listHistory } from '#functions/engine/feed/list-history.ts';
import { listDeleted } from '#functions/engine/lists/list-deleted.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import {
  ContradictingField,
  EntityNotFound,
  ReferenceNotFound,
  ValueTaken,
} from '#functions/engine/model/errors.ts';
import { decodeJob, dueJobsOf } from '#functions/engine/model/job.ts';
import { configure, type Schema } from '#functions/engine/model/schema.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

const schema: Schema = {
  relations: [
    {
      child: 'line',
      field: 'invoiceId',
      parent: 'invoice',
      onDelete: 'cascade',
      isRequired: true,
    },
    { child: 'attachment', field: 'invoiceId', parent: 'invoice', onDelete: 'cascade' },
    { child: 'line', field: 'costCenterId', parent: 'costCenter', onDelete: 'setNull' },
    { child: 'line', field: 'priceId', parent: 'price', onDelete: 'setNull', isRequired: true },
  ],
  longText: 'remark',
  searchedFields: ['number', 'remark'],
  uniqueFields: { invoice: 'number', attachment: 'path' },
  access: {},
  numbered: ['line'],
  checks: {
    line: ({ unit, quantity }) =>
      unit === 'piece' && !Number.isInteger(quantity)
        ? { field: 'quantity', message: 'Pieces cannot be divided.' }
        : undefined,
  },
  dictionary: { fields: ['status', 'quantity', 'unit'], values: ['draft', 'sent', 'paid', 'piece', 'hour'] },
};

const store = startTestStore();
let tenant: string;

beforeAll(() => {
  configure(schema, {
    historyDays: () => undefined,
    jobChangesPerSecond: () => undefined,
    reservesClosing: () => false,
    columnBytes: () => undefined,
    logWarning: () => undefined,
  });
});

beforeEach(() => {
  tenant = randomUUID();
});

afterEach(() => {
  jest.restoreAllMocks();
});

const session = (): Session => store.session(tenant);

const remark = 'Deliver to the back door. '.repeat(40);

/** Creates an invoice with lines. Returns its id and theirs. */
async function makeInvoice(number: string, quantities: readonly number[]) {
  const invoice = await createEntity(session(), 'invoice', { status: 'draft', number, remark });
  const lines = [];
  for (const quantity of quantities) {
    const fields = { status: 'draft', invoiceId: invoice.entity.id, costCenterId: null };
    lines.push(
      await createEntity(session(), 'line', { ...fields, unit: 'piece', quantity, isLarge: quantity > 2 }),
    );
  }
  return { id: invoice.entity.id, lines: lines.map(({ entity }) => entity.id) };
}

const linesOf = (id: string, more = {}) =>
  listEntities(session(), 'line', listQuery({ filters: [isValue('invoiceId', id)], ...more }));

/** Takes all steps of all jobs, also those of the second pass. */
async function finishJobs(): Promise<void> {
  const later = Date.now() + 120_000;
  const { items } = await store.database().query(dueJobsOf(tenant, later));
  jest.spyOn(Date, 'now').mockReturnValue(later);
  for (const item of items)
    await continueJob(store.database(), { id: decodeJob(item).id, tenant }, { owner: 'test' });
}

const sumBy = [{ field: 'quantity', decimals: 1 }];

test.each([['in records'], ['in columns']])(
  'lists have exact totals, counts and sums, with rows %s',
  async (where) => {
    const { id, lines } = await makeInvoice('1', [1e10, 1, 2]);
    await makeInvoice('2', [9]);
    const sizes = { ...defaultSizes, minSegmentRows: 1 };
    if (where === 'in columns') {
      for (const kind of ['invoice', 'line']) await compactAll(store.database(), tenant, kind, sizes);
    }
    const page = await linesOf(id, {
      sort: sortedBy('quantity', 'desc'),
      limit: 2,
      countBy: ['isLarge'],
      sumBy,
    });
    expect(page.entities.map((line) => line['quantity'])).toEqual([1e10, 2]);
    expect(page).toMatchObject({
      total: 3,
      sums: { quantity: 10_000_000_003 },
      counts: {
        isLarge: [
          { value: false, count: 2, sums: { quantity: 3 } },
          { value: true, count: 1, sums: { quantity: 1e10 } },
        ],
      },
    });
    expect((await linesOf(id)).entities.map((line) => line.id)).toEqual(lines);
    const search = { field: '$words', operator: 'search', values: ['1', 'doo'] } as const;
    const found = await listEntities(session(), 'invoice', listQuery({ filters: [search] }));
    expect([found.total, found.entities[0]?.id]).toEqual([1, id]);
  },
);

test('a write is checked by the schema', async () => {
  const { id, lines } = await makeInvoice('1', [1]);
  const fields = { status: 'draft', costCenterId: null, unit: 'piece', quantity: 1 };
  const create = (kind: string, more: object) => createEntity(session(), kind, { ...fields, ...more });
  await expect(create('line', { invoiceId: randomUUID() })).rejects.toThrow(ReferenceNotFound);
  await expect(create('line', { invoiceId: id, quantity: 1.5 })).rejects.toThrow(
    new ContradictingField('quantity', 'Pieces cannot be divided.'),
  );
  await expect(create('invoice', { number: '1' })).rejects.toThrow(new ValueTaken('invoice', 'number'));
  const target = { kind: 'line', id: lines[0] as string };
  const doubled = await updateEntity(session(), target, { quantity: 2 });
  expect([doubled.version, doubled.entity['quantity']]).toEqual([2, 2]);
});

test('an entity is found by its unique value, with its long text', async () => {
  const { id } = await makeInvoice('2026-1', []);
  expect((await findByUniqueValue(session(), 'invoice', '2026-1'))?.entity).toMatchObject({ id, remark });
});

test('the feed and the history have all changes', async () => {
  const { id, lines } = await makeInvoice('1', [1]);
  const first = await listChanges(session(), 'line', listQuery(), undefined);
  await updateEntity(session(), { kind: 'line', id: lines[0] as string }, { unit: 'hour' });
  const second = await listChanges(session(), 'line', listQuery(), first.cursor);
  expect(first.entities.map((line) => line['unit'])).toEqual(['piece']);
  expect(second.entities.map((line) => line['unit'])).toEqual(['hour']);
  const { entries } = await listHistory(session(), { kind: 'line', id: lines[0] as string }, { limit: 10 });
  expect(entries.map(({ entry }) => [entry.version, entry.after?.['unit']])).toEqual([
    [2, 'hour'],
    [1, 'piece'],
  ]);
  const ofInvoices = await listChanges(session(), 'invoice', listQuery(), undefined);
  expect(ofInvoices.entities).toMatchObject([{ id, remark }]);
});

test.each([[3], [150]])(
  'a deletion takes %i lines with it, and a restore brings them back',
  async (count) => {
    const { id } = await makeInvoice(
      '1',
      Array.from({ length: count }, (_, position) => position),
    );
    await deleteEntity(session(), 'invoice', id);
    await finishJobs();
    expect((await linesOf(id)).total).toBe(0);
    const query = listQuery({ filters: [isValue('deletedWith', id)] });
    expect((await listDeleted(session(), 'line', query)).total).toBe(count);
    expect(await findByUniqueValue(session(), 'invoice', '1')).toBeUndefined();
    await restoreEntity(session(), 'invoice', id, undefined);
    await finishJobs();
    expect((await linesOf(id)).total).toBe(count);
    expect((await readEntity(session(), 'invoice', id)).entity).toMatchObject({ number: '1', remark });
  },
);

test.each([[3], [150]])(
  'of %i attachments that a restore brings back, those whose paths were given away have none',
  async (count) => {
    const { id } = await makeInvoice('1', []);
    const attach = async (path: number, invoiceId: string | null) =>
      (await createEntity(session(), 'attachment', { status: 'draft', path: `${path}`, invoiceId })).entity
        .id;
    const ids: string[] = [];
    for (let path = 0; path < count; path += 1) ids.push(await attach(path, id));
    await deleteEntity(session(), 'invoice', id);
    await finishJobs();
    const others = [await attach(0, null), await attach(count - 1, null)];
    await restoreEntity(session(), 'invoice', id, undefined);
    await finishJobs();
    const read = async (own: string) => (await readEntity(session(), 'attachment', own)).entity['path'];
    expect(await Promise.all(ids.map(read))).toEqual([
      null,
      ...Array.from({ length: count - 2 }, (_, path) => `${path + 1}`),
      null,
    ]);
    expect(await Promise.all(others.map(read))).toEqual(['0', `${count - 1}`]);
  },
);

test('what cannot come back with a deletion becomes one of its own', async () => {
  const { entity: price } = await createEntity(session(), 'price', { status: 'open' });
  const { id, lines } = await makeInvoice('1', [1, 2]);
  const line = lines[0] as string;
  await updateEntity(session(), { kind: 'line', id: line }, { priceId: price.id });
  await deleteEntity(session(), 'invoice', id);
  await deleteEntity(session(), 'price', price.id);
  await restoreEntity(session(), 'invoice', id);
  await finishJobs();
  const deleted = await listDeleted(session(), 'line', listQuery());
  expect(deleted.entities).toMatchObject([{ id: line }]);
  expect(deleted.entities[0]).not.toHaveProperty('deletedWith');
  await restoreEntity(session(), 'price', price.id);
  await restoreEntity(session(), 'line', line);
  expect((await linesOf(id)).total).toBe(2);
});

test('a deletion removes a reference that may be absent', async () => {
  const { entity: center } = await createEntity(session(), 'costCenter', { status: 'open' });
  const { lines } = await makeInvoice('1', [1]);
  const target = { kind: 'line', id: lines[0] as string };
  await updateEntity(session(), target, { costCenterId: center.id });
  await deleteEntity(session(), 'costCenter', center.id);
  expect((await readEntity(session(), 'line', target.id)).entity['costCenterId']).toBeNull();
  await expect(readEntity(session(), 'costCenter', center.id)).rejects.toThrow(EntityNotFound);
});
