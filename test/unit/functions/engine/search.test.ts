/** The words of long texts where they are kept: in records, with waiting rows, in columns, in patches. */
import { randomUUID } from 'node:crypto';
import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { rebuild } from '#functions/engine/columns/compact/rebuild.ts';
import { toValues } from '#functions/engine/columns/compact/row-block.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { deleteEntity } from '#functions/engine/deletions/delete-entity.ts';
import { restoreEntity } from '#functions/engine/deletions/restore.ts';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import { readSequencer } from '#functions/engine/feed/read-log.ts';
import { listEntities } from '#functions/engine/lists/list-entities.ts';
import { toRow } from '#functions/engine/model/row.ts';
import { withOtherWords } from '#functions/engine/model/words.ts';
import type { Session } from '#functions/engine/table/session.ts';
import { compactAll } from '#test/support/compaction.ts';
import { listQuery } from '#test/support/list-queries.ts';
import { startTestStore } from '#test/support/local-store.ts';

/** A text of which rows show neither the last word, nor does the item of its entity have it. */
const endingWith = (word: string): string => `${'filler '.repeat(80)}${word}`;

const store = startTestStore();
let session: Session;

beforeEach(() => {
  session = store.session(randomUUID());
});

const create = (kind: string, fields: object = {}) =>
  createEntity(session, kind, { name: 'a', status: 'open', description: endingWith('rhubarb'), ...fields });

const update = (id: string, fields: object) =>
  updateEntity(session, { kind: 'task', id }, fields as Readonly<Record<string, unknown>>);

/** @param minSegmentRows rows that become a segment; fewer wait. */
const compact = (minSegmentRows: number) =>
  compactAll(store.database(), session.tenant, 'task', { ...defaultSizes, minSegmentRows });

/** Returns how many tasks each of some words finds. */
const totals = (...words: string[]) =>
  Promise.all(
    words.map(async (word) => {
      const search = { field: '$words', operator: 'search', values: [word] } as const;
      return (await listEntities(session, 'task', listQuery({ filters: [search] }))).total;
    }),
  );

test.each([
  ['wait', 240],
  ['are in columns', 1],
])('rows that %s have the words of their texts, also after a change of another field', async (_, rows) => {
  const { entity } = await create('task');
  expect(await totals('rhubarb', 'hub')).toEqual([1, 0]);
  await compact(rows);
  expect(await totals('rhubarb', 'hub')).toEqual([1, 0]);
  await update(entity.id, { status: 'done' });
  expect(await totals('rhubarb', 'hub')).toEqual([1, 0]);
  await compact(rows);
  expect(await totals('rhubarb', 'hub')).toEqual([1, 0]);
});

test('the words of a changed text replace the others, in the log and in a patch', async () => {
  const { entity } = await create('task');
  for (let number = 0; number < 20; number += 1) await create('task', { description: '' });
  await compact(1);
  await update(entity.id, { description: endingWith('plum') });
  expect(await totals('rhubarb', 'plum', 'filler')).toEqual([0, 1, 1]);
  await compact(1);
  expect(await totals('rhubarb', 'plum', 'filler')).toEqual([0, 1, 1]);
});

test.each([['plum'], [endingWith('plum')]])(
  'the words of a text that was replaced while it was pending are gone',
  async (description) => {
    const { entity } = await create('task');
    await update(entity.id, { description });
    expect(await totals('rhubarb', 'plum')).toEqual([0, 1]);
    await compact(1);
    expect(await totals('rhubarb', 'plum')).toEqual([0, 1]);
  },
);

test('what a project takes along comes back with its words, when no column has its row any more', async () => {
  const { entity: organization } = await create('organization');
  const { entity: project } = await create('project', { organizationId: organization.id });
  await create('task', { projectId: project.id });
  await compact(1);
  await deleteEntity(session, 'project', project.id);
  await compact(1);
  expect(await totals('rhubarb')).toEqual([0]);
  await restoreEntity(session, 'project', project.id);
  expect(await totals('rhubarb')).toEqual([1]);
});

test('a record has words only if it changes a text', async () => {
  const { entity } = await create('task');
  await update(entity.id, { status: 'done' });
  const log = openLog(store.database(), session.tenant, 'task');
  const words = (await log.oldestRecords(0)).flatMap(({ entries }) =>
    entries.map(({ after }) => after?.['$words']),
  );
  expect(words).toEqual(['rhubarb', undefined]);
});

test.each([
  ['another field', { status: 'done' }, {}, [1, 0]],
  ['a long text', { description: endingWith('plum') }, {}, [0, 1]],
  ['a name', { name: 'plum' }, {}, [1, 1]],
  [
    'a long text and its change back',
    { description: endingWith('plum') },
    { description: endingWith('rhubarb') },
    [1, 0],
  ],
])(
  'a rebuild to a position before a change of %s, which it sees, keeps searches right',
  async (_, seen, later, expected) => {
    const { entity } = await create('task');
    const database = store.database();
    const position = await readSequencer(session, 'task');
    const changed = await update(entity.id, seen);
    await rebuild({
      open: () => openLog(database, session.tenant, 'task'),
      ids: new Set([entity.id]),
      position,
      readRows: async () => {
        const values = toValues(withOtherWords(toRow(changed.entity), changed.entity));
        await update(entity.id, later);
        return new Map([[entity.id, { id: entity.id, version: changed.version, values }]]);
      },
    });
    expect(await totals('rhubarb', 'plum')).toEqual(expected);
    await compact(1);
    expect(await totals('rhubarb', 'plum')).toEqual(expected);
  },
);
