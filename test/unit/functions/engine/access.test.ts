/** Who sees what, with the schema of another application: folders that members see, papers in them, and notes on papers, which are seen through two others. */
import { randomUUID } from 'node:crypto';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { readEntity } from '#functions/engine/entities/read-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import type { ChangesCursor } from '#functions/engine/feed/cursor.ts';
import { decodeCursor, encodeCursor } from '#functions/engine/feed/cursor.ts';
import { type ChangesPage, listChanges } from '#functions/engine/feed/list-changes.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { buildCreate, buildDeletion, buildUpdate } from '#functions/engine/model/changes.ts';
import { EntityNotFound, IdTaken, SightChanged } from '#functions/engine/model/errors.ts';
import { configure, type Schema } from '#functions/engine/model/schema.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { Sight } from '#functions/engine/table/sight.ts';
import { applyInBatches } from '#functions/engine/write/commit.ts';
import { now } from '#functions/runtime/time-and-chance.ts';
import { compactAll } from '#test/support/compaction.ts';
import { isValue, listQuery, sortedBy } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

const schema: Schema = {
  relations: [
    { child: 'folder', field: 'readerIds', parent: 'person', onDelete: 'setNull', isArray: true },
    { child: 'paper', field: 'folderId', parent: 'folder', onDelete: 'cascade' },
    { child: 'note', field: 'paperId', parent: 'paper', onDelete: 'cascade', isRequired: true },
  ],
  longText: 'remark',
  searchedFields: ['title'],
  uniqueFields: { person: 'login' },
  access: {
    folder: { members: 'readerIds', when: { lock: 'closed' } },
    paper: { through: 'folderId' },
    note: { through: 'paperId' },
  },
  checks: {},
  numbered: [],
  dictionary: { fields: ['title'], values: ['closed'] },
};

const store = startTestStore();
let tenant: string;
let person: string;

beforeAll(() => {
  configure(schema, {
    historyDays: () => undefined,
    jobChangesPerSecond: () => undefined,
    reservesClosing: () => false,
    columnBytes: () => undefined,
    logWarning: () => undefined,
  });
});

const all = (): Session => store.session(tenant);

/** Returns the session of somebody who is the person, if the login is that of the person. */
function as(login: string | undefined): Session {
  const { database, ...session } = all();
  const sight = new Sight(tenant, login, database);
  return { ...session, sight, database: database.restricted((items) => sight.filter(items)) };
}

const make = async (kind: string, fields: object): Promise<string> =>
  (await createEntity(all(), kind, { status: 'new', ...fields })).entity.id;

const folder = (lock: string, readerIds: readonly string[] = []): Promise<string> =>
  make('folder', { title: 'x', lock, readerIds });

beforeEach(async () => {
  tenant = randomUUID();
  person = await make('person', { login: 'ada' });
});

const idsOf = async (session: Session, kind: string, more = {}): Promise<string[]> => {
  const page = await listEntities(session, kind, listQuery({ limit: 100, ...more }));
  expect(page.total).toBe(page.entities.length);
  return page.entities.map(({ id }) => id);
};

test.each([['records'], ['columns']])(
  'what is seen through two others is in lists, with rows in %s',
  async (where) => {
    const [open, closed, hidden] = [
      await folder('none'),
      await folder('closed', [person]),
      await folder('closed'),
    ];
    const papers = [];
    for (const folderId of [open, closed, hidden, null])
      papers.push(await make('paper', { title: 'x', folderId }));
    const notes = [];
    for (const paperId of papers) notes.push(await make('note', { title: 'x', paperId }));
    if (where === 'columns')
      for (const kind of ['folder', 'paper', 'note'])
        await compactAll(store.database(), tenant, kind, { ...defaultSizes, minSegmentRows: 1 });
    const [first, second, third, fourth] = notes as [string, string, string, string];
    for (const sort of [sortedBy('id'), sortedBy('title')]) {
      expect(await idsOf(all(), 'note', { sort })).toEqual([first, second, third, fourth]);
      expect(await idsOf(as('ada'), 'note', { sort })).toEqual([first, second, fourth]);
      expect(await idsOf(as('bob'), 'note', { sort })).toEqual([first, fourth]);
      expect(await idsOf(as(undefined), 'note', { sort })).toEqual([first, fourth]);
    }
    expect(await idsOf(as('ada'), 'folder')).toEqual([open, closed]);
    expect(await idsOf(as('ada'), 'note', { filters: [isValue('paperId', papers[2] as string)] })).toEqual(
      [],
    );
    await expect(readEntity(as('bob'), 'note', second)).rejects.toThrow(EntityNotFound);
    expect((await readEntity(as('ada'), 'note', second)).entity.id).toBe(second);
  },
);

describe('a feed of what is seen through two others', () => {
  const follow = async (login: string, cursor?: ChangesCursor): Promise<ChangesPage> => {
    for (let page = await listChanges(as(login), 'note', listQuery(), cursor); ; ) {
      if (!page.hasMore) return page;
      page = await listChanges(as(login), 'note', listQuery(), page.cursor);
    }
  };

  test('ends when one of them moves, or is closed, for those who see others then', async () => {
    const [open, closed] = [await folder('none'), await folder('closed')];
    const paper = await make('paper', { title: 'x', folderId: open });
    await make('note', { title: 'x', paperId: paper });
    const { cursor } = await follow('ada');
    await updateEntity(all(), { kind: 'paper', id: paper }, { title: 'y' });
    expect(await follow('ada', cursor)).toMatchObject({ entities: [], removed: [] });
    await updateEntity(all(), { kind: 'paper', id: paper }, { folderId: closed });
    await expect(follow('ada', cursor)).rejects.toThrow(SightChanged);
    const { cursor: again } = await follow('ada');
    await updateEntity(all(), { kind: 'folder', id: closed }, { readerIds: [person] });
    await expect(follow('ada', again)).rejects.toThrow(SightChanged);
    expect((await follow('bob')).entities).toEqual([]);
    const { cursor: last } = await follow('ada');
    await deleteEntity(all(), 'folder', closed);
    expect((await follow('ada', last)).removed).toHaveLength(1);
  });

  test('gives an empty page while those have more changes than a request reads', async () => {
    const { cursor } = await follow('ada');
    const papers = Array.from({ length: 2_100 }, () => ({
      changes: [buildCreate('paper', { title: 'x', status: 'new', folderId: null }, now())],
    }));
    await applyInBatches(all(), papers, 90);
    const note = await make('note', { title: 'x', paperId: papers[0]?.changes[0]?.after.entity.id });
    const first = await listChanges(as('ada'), 'note', listQuery(), cursor);
    expect(first).toMatchObject({ entities: [], removed: [], hasMore: true });
    expect((await follow('ada', first.cursor)).entities.map(({ id }) => id)).toEqual([note]);
  });

  test('has about a hundred changes on a page of a caller who does not see all, each of which is read', async () => {
    const paperId = await make('paper', { title: 'x', folderId: null });
    const { cursor } = await follow('ada');
    const notes = Array.from({ length: 400 }, () => ({
      changes: [buildCreate('note', { title: 'x', status: 'new', paperId }, now())],
    }));
    await applyInBatches(all(), notes, 20);
    const query = listQuery({ limit: 1_000, withTexts: false });
    const ofAda = as('ada');
    const page = await listChanges(ofAda, 'note', query, cursor);
    expect(page).toMatchObject({ hasMore: true });
    expect(page.entities.length).toBeLessThan(200);
    expect(ofAda.database.consumption.readUnits).toBeLessThanOrEqual(280);
  });

  test('begins again when nothing is left of what could tell who sees it', async () => {
    const open = await folder('none');
    const paper = await make('paper', { title: 'x', folderId: open });
    const { cursor } = await listChanges(as('ada'), 'paper', listQuery(), undefined);
    const { entity, ...stored } = await readEntity(all(), 'paper', paper);
    const lost = buildUpdate(
      { ...stored, entity: { ...entity, folderId: randomUUID() } },
      { title: 'y' },
      now(),
    );
    await applyInBatches(all(), [{ changes: [lost] }], 1);
    await expect(listChanges(as('ada'), 'paper', listQuery(), cursor)).rejects.toThrow(SightChanged);
  });
});

test('the id of what was erased is taken, whoever saw it', async () => {
  const paper = await make('paper', { title: 'x', folderId: await folder('closed', [person]) });
  const stored = await readEntity(all(), 'paper', paper);
  const deletion = { deletedAt: now(), root: { kind: 'paper', id: paper }, isErased: true } as const;
  await applyInBatches(all(), [{ changes: [buildDeletion(stored, deletion)] }], 1);
  const again = createEntity(as('ada'), 'paper', { status: 'new', title: 'y', folderId: null }, paper);
  await expect(again).rejects.toThrow(IdTaken);
});

test('the cursor of a viewer is decoded as it was encoded, with up to three logs, and no other number of them', () => {
  const hash = Buffer.alloc(8);
  const progress = { position: 9, holes: [3, 5] };
  for (const guards of [[], [progress], [progress, progress, progress]]) {
    for (const lastId of [undefined, '01890000-0000-7000-8000-000000000001']) {
      const cursor = { table: 7, progress, viewer: { number: 5, guards }, ...(lastId && { lastId }) };
      expect(decodeCursor(hash, encodeCursor(hash, cursor))).toEqual(cursor);
    }
  }
  const four = { table: 7, progress, viewer: { number: 5, guards: Array(4).fill(progress) } };
  expect(() => decodeCursor(hash, encodeCursor(hash, four))).toThrow('is damaged');
});
