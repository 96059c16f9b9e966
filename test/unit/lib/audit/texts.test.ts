import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { readEntity } from '#functions/store/entities/read-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import { newId } from '#functions/store/model/ids.ts';
import { entityKey, textKey } from '#functions/store/model/keys.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { reportLines } from '#lib/audit/report.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;

beforeEach(async () => {
  store = await startTestStore();
});

afterEach(() => store.stop());

const audit = (repair = false) => auditTable(store.client, store.tableName, { repair, pauseMs: 50 });
const clean = { orphans: [], malformed: [], texts: [], subjects: [], logs: [] };
const long = 'x'.repeat(500);

const make = async (description: string): Promise<string> =>
  (await createEntity(store.session('a'), 'tag', { name: 'x', status: 'active', description })).entity.id;

const putText = (id: string, text: string) =>
  store.client.send(
    new PutCommand({ TableName: store.tableName, Item: { ...textKey('a', 'tag', id), text } }),
  );

const textExists = async (id: string): Promise<boolean> =>
  (await store.database().get(textKey('a', 'tag', id))) !== undefined;

const descriptionOf = async (id: string): Promise<string | undefined> =>
  (await readEntity(store.session('a'), 'tag', id)).entity.description;

/** Expects one difference, repairs it, and expects none. */
async function expectRepair(id: string, problem: string): Promise<void> {
  const { pk: entity } = entityKey('a', 'tag', id);
  expect(await audit()).toMatchObject({ ...clean, texts: [{ entity, problem }], repaired: 0 });
  expect(await audit(true)).toMatchObject({ texts: [{ entity, problem }], repaired: 1 });
  expect(await audit()).toMatchObject(clean);
}

test('finds nothing where long texts are written, replaced and removed', async () => {
  const [replaced, removed] = [await make(long), await make(long)];
  await updateEntity(store.session('a'), { kind: 'tag', id: replaced }, { description: `${long}y` });
  await updateEntity(store.session('a'), { kind: 'tag', id: removed }, { description: 'short' });
  expect(await audit()).toMatchObject(clean);
});

test('finds a missing text, and repairs it with the beginning, which the entity still shows', async () => {
  const id = await make(long);
  await store.database().deleteItem(textKey('a', 'tag', id));
  await expectRepair(id, 'missing');
  expect(await descriptionOf(id)).toBe(long.slice(0, 100));
});

test('finds a text that is not the one of its entity, and gives it to the entity', async () => {
  const id = await make(long);
  const other = 'y'.repeat(600);
  await putText(id, other);
  await expectRepair(id, 'different');
  expect(await descriptionOf(id)).toBe(other);
});

test('finds and deletes a text of an entity whose own is short', async () => {
  const id = await make('short');
  await putText(id, long);
  await expectRepair(id, 'unused');
  expect(await textExists(id)).toBe(false);
  expect(await descriptionOf(id)).toBe('short');
});

test('finds and deletes a text without an entity', async () => {
  const { id } = newId(Date.now());
  await putText(id, long);
  await expectRepair(id, 'unused');
  expect(await textExists(id)).toBe(false);
});

test('reports each text in one line', async () => {
  const id = await make(long);
  await store.database().deleteItem(textKey('a', 'tag', id));
  expect(reportLines(await audit())).toEqual([
    `Text: the description of a#tag#${id} is missing.`,
    expect.stringMatching(/, 1 wrong texts, /),
  ]);
});
