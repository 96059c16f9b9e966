import {
  buildCreate,
  buildDeletion,
  buildRestore,
  buildTextWrite,
  buildUpdate,
  buildWrite,
  type Change,
} from '#functions/store/model/changes.ts';
import { newDeletion } from '#functions/store/model/deletion.ts';
import type { Fields } from '#functions/store/model/entity.ts';
import { writeUnits } from '#functions/store/model/write-units.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

/** The estimate, compared with what the engine reports for the same transaction. */

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

const parent = '01890000-0000-7000-8000-7a2c4d8f0e36';
const fields = (more: object): Fields =>
  ({
    name: 'x',
    status: 'active',
    description: '',
    projectId: parent,
    tagIds: [],
    ...more,
  }) as unknown as Fields;

const create = (more: object): Change => buildCreate('task', fields(more), Date.now());

const update = ({ after }: Change, more: Readonly<Record<string, unknown>>): Change => {
  if (!after || after.deletion) throw new TypeError('The change is a deletion.');
  return buildUpdate(after, more, Date.now());
};

const remove = ({ after }: Change): Change => {
  if (!after || after.deletion) throw new TypeError('The change is a deletion.');
  return buildDeletion(after, newDeletion(after, 'user', Date.now()));
};

const restore = ({ after }: Change): Change => {
  if (!after?.deletion) throw new TypeError('The change is no deletion.');
  return buildRestore(after, {}, Date.now());
};

const removeForGood = ({ after }: Change): Change => {
  if (!after) throw new TypeError('The change is a deletion.');
  return { before: after };
};

/** Applies a change. @returns the estimated and the reported units. */
async function unitsOf(change: Change): Promise<[number, number]> {
  const writes = [buildWrite('@t', change, 1_770_000_000_000), ...buildTextWrite('@t', change)];
  const database = store.database();
  await database.transact(writes);
  const estimated = writes.map(writeUnits).reduce((sum, units) => sum + units, 0);
  return [estimated, database.consumption.writeUnits];
}

const long = '😀'.repeat(250);

test.each<[string, object, Readonly<Record<string, unknown>>]>([
  ['a small entity', {}, { priority: 'low' }],
  ['a status, the key of an index', {}, { status: 'done' }],
  ['the status of an entity of 2 KB', { name: long, tagIds: Array(20).fill(parent) }, { status: 'done' }],
  ['an entity that grows', {}, { name: long, tagIds: Array(20).fill(parent) }],
  ['an entity that shrinks', { name: long, tagIds: Array(20).fill(parent) }, { name: 'x', tagIds: [] }],
  ['a parent that an index has', {}, { projectId: null }],
  ['a long description', {}, { description: '😀'.repeat(10_000) }],
  ['a long description that goes', { description: '😀'.repeat(10_000) }, { description: '' }],
])('estimates the creation, the change, the deletion and the restore of %s', async (_, before, after) => {
  const created = create(before);
  const changed = update(created, after);
  const deleted = remove(changed);
  const restored = restore(deleted);
  for (const change of [created, changed, deleted, restored, removeForGood(restored)]) {
    const [estimated, reported] = await unitsOf(change);
    expect(estimated).toBe(reported);
  }
});
