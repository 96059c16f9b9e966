import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { readEntity } from '#functions/store/entities/read-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { newId } from '#functions/store/model/ids.ts';
import { entityKey } from '#functions/store/model/keys.ts';
import { encodeSubject, subjectKey, userOfSubject } from '#functions/store/model/subject.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { reportLines } from '#lib/audit/report.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The audit finds and repairs subjects whose items do not match the users. */

let store: TestStore;

beforeEach(async () => {
  store = await startTestStore();
});

afterEach(() => store.stop());

const audit = (repair = false) => auditTable(store.client, store.tableName, { repair, pauseMs: 50 });
const clean = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };

const make = async (subject: string | null): Promise<string> =>
  (await createEntity(store.session('a'), 'user', { name: 'x', status: 'active', subject })).entity.id;

const subjectOf = async (id: string): Promise<unknown> =>
  (await readEntity(store.session('a'), 'user', id)).entity['subject'];

/** Returns the id of the user that the item of a subject names. */
async function namedBy(subject: string): Promise<string | undefined> {
  const item = await store.database().get(subjectKey('a', subject));
  return item && userOfSubject(item);
}

const put = (Item: Item) => store.client.send(new PutCommand({ TableName: store.tableName, Item }));

/** Gives a user a subject without the item of the subject, as in a table that holds a part of a transaction. */
async function putSubjectOnly(id: string, subject: string): Promise<void> {
  const item = (await store.database().get(entityKey('a', 'user', id))) as Item;
  await put({ ...item, subject });
}

/** Expects one wrong subject, repairs it, and expects none. */
async function expectRepair(subject: string, problem: string, users: readonly string[]): Promise<void> {
  const difference = {
    item: subjectKey('a', subject).pk,
    problem,
    users: expect.arrayContaining([...users]),
  };
  expect(await audit()).toMatchObject({ subjects: [difference], repaired: 0 });
  await audit(true);
  expect(await audit()).toMatchObject(clean);
}

test('finds nothing where subjects are given, changed and removed', async () => {
  const [changed, removed] = [await make('one'), await make('two')];
  await make('three');
  await make(null);
  await updateEntity(store.session('a'), { kind: 'user', id: changed }, { subject: 'four' });
  await updateEntity(store.session('a'), { kind: 'user', id: removed }, { subject: null });
  expect(await audit()).toMatchObject(clean);
});

test('finds a missing item, and puts it', async () => {
  const id = await make('one');
  await store.database().deleteItem(subjectKey('a', 'one'));
  await expectRepair('one', 'missing', [id]);
  expect(await namedBy('one')).toBe(id);
});

test('finds and removes an item whose user has another subject', async () => {
  const id = await make('one');
  await put(encodeSubject('a', 'two', id));
  await expectRepair('two', 'unused', [id]);
  expect([await namedBy('one'), await namedBy('two')]).toEqual([id, undefined]);
});

test('finds and removes an item without a user', async () => {
  const { id } = newId(Date.now());
  await put(encodeSubject('a', 'one', id));
  await expectRepair('one', 'unused', [id]);
  expect(await namedBy('one')).toBeUndefined();
});

test('finds two users with one subject, and leaves it to the one that the item names', async () => {
  const [other, owner] = [await make(null), await make('one')];
  await putSubjectOnly(other, 'one');
  await expectRepair('one', 'shared', [other, owner]);
  expect([await subjectOf(other), await subjectOf(owner), await namedBy('one')]).toEqual([
    null,
    'one',
    owner,
  ]);
});

test('finds a user whose subject the item of another user has, and gives it the item', async () => {
  const [former, owner] = [await make(null), await make(null)];
  await put(encodeSubject('a', 'one', former));
  await putSubjectOnly(owner, 'one');
  await expectRepair('one', 'shared', [former, owner]);
  expect([await subjectOf(owner), await namedBy('one')]).toEqual(['one', owner]);
});

test('reports each subject in one line', async () => {
  const id = await make('one');
  await store.database().deleteItem(subjectKey('a', 'one'));
  const { pk } = subjectKey('a', 'one');
  expect(reportLines(await audit())).toEqual([
    `Subject: ${pk} is missing, although a user has the subject. Users: ${id}.`,
    expect.stringMatching(/, 1 wrong subjects, /),
  ]);
});
