import { createEntity } from '#functions/store/entities/create-entity.ts';
import { updateEntity } from '#functions/store/entities/update-entity.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';
import { newId } from '#functions/store/model/ids.ts';
import { decodeEntity } from '#functions/store/model/item-codec.ts';
import { entityKey, textKey } from '#functions/store/model/keys.ts';
import type { Item } from '#functions/store/model/writes.ts';
import type { Session } from '#functions/store/unit-of-work/session.ts';
import { findEntity, readTexts } from '#functions/store/unit-of-work/whole-entities.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

beforeEach(() => {
  session = store.session('acme');
});

afterAll(() => store.stop());

const textOf = (character: string): string => character.repeat(500);

/** Creates a tag. @returns its id. */
const make = async (description: string): Promise<string> =>
  (await createEntity(store.session('acme'), 'tag', { name: 'x', status: 'active', description })).entity.id;

const change = (id: string, fields: object) =>
  updateEntity(store.session('acme'), { kind: 'tag', id }, { ...fields });

/** Returns an entity as its item has it. */
const readItem = async (id: string): Promise<StoredEntity> =>
  decodeEntity((await store.database().get(entityKey('acme', 'tag', id))) as Item);

/** Returns the items of an entity: its text, if it is long, and itself. */
const readItems = async (id: string): Promise<Item[]> => {
  const { pk } = entityKey('acme', 'tag', id);
  const { items } = await store.database().query({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  });
  return items;
};

describe('findEntity', () => {
  test.each([
    ['short', 'x'],
    ['long', textOf('x')],
  ])('reads an entity with a %s text in one call of one read unit', async (_, description) => {
    const id = await make(description);
    expect((await findEntity(session, 'tag', id))?.entity.description).toBe(description);
    expect(session.database.consumption).toMatchObject({ calls: 1, readUnits: 1 });
  });

  test('returns undefined when there is none', async () => {
    expect(await findEntity(session, 'tag', newId(Date.now()).id)).toBeUndefined();
  });

  test('reads again when the text changed between the reads of the two items', async () => {
    const id = await make(textOf('x'));
    const [before] = await readItems(id);
    await change(id, { description: textOf('y') });
    const [, after] = await readItems(id);
    const query = jest.spyOn(session.database, 'query');
    const items = [before, after] as Item[];
    query.mockResolvedValueOnce({ items, next: undefined });
    expect((await findEntity(session, 'tag', id))?.entity.description).toBe(textOf('y'));
    expect(query).toHaveBeenCalledTimes(2);
  });

  test('throws StoreUnavailable when the text is missing', async () => {
    const id = await make(textOf('x'));
    await store.database().deleteItem(textKey('acme', 'tag', id));
    await expect(findEntity(session, 'tag', id)).rejects.toThrow(StoreUnavailable);
  });
});

describe('readTexts', () => {
  test('reads the long texts of entities in one batch, in the order of the entities', async () => {
    const texts = [textOf('1'), 'short', textOf('2'), textOf('3')];
    const stored: StoredEntity[] = [];
    for (const text of texts) stored.push(await readItem(await make(text)));
    const whole = await readTexts(session, stored);
    expect(whole.map(({ entity }) => entity.description)).toEqual(texts);
    expect(session.database.consumption).toMatchObject({ calls: 1, readUnits: 1.5 });
  });

  test('makes no call when no text is long', async () => {
    const stored = await readItem(await make('short'));
    expect(await readTexts(session, [stored])).toEqual([stored]);
    expect(session.database.consumption.calls).toBe(0);
  });

  test('reads an entity again whose text has changed, become short or been deleted', async () => {
    const [changed, shortened, deleted] = [
      await make(textOf('1')),
      await make(textOf('2')),
      await make(textOf('3')),
    ];
    const stored = [await readItem(changed), await readItem(shortened), await readItem(deleted)];
    await change(changed, { description: textOf('4'), status: 'done' });
    await change(shortened, { description: 'short' });
    await store.database().deleteItem(textKey('acme', 'tag', deleted));
    await store.database().deleteItem(entityKey('acme', 'tag', deleted));
    const whole = await readTexts(session, stored);
    expect(whole.map(({ version, entity }) => [entity.id, version, entity.description])).toEqual([
      [changed, 2, textOf('4')],
      [shortened, 2, 'short'],
    ]);
    expect(session.database.consumption.calls).toBe(2);
  });

  test('reads consistently what a replica does not have yet', async () => {
    const id = await make(textOf('1'));
    jest.spyOn(session.database, 'getMany').mockResolvedValueOnce([]);
    const whole = await readTexts(session, [await readItem(id)]);
    expect(whole.map(({ entity }) => entity.description)).toEqual([textOf('1')]);
  });

  test('throws StoreUnavailable when a text is missing', async () => {
    const id = await make(textOf('1'));
    await store.database().deleteItem(textKey('acme', 'tag', id));
    await expect(readTexts(session, [await readItem(id)])).rejects.toThrow(StoreUnavailable);
  });
});
