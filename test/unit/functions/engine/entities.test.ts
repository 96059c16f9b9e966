import { randomUUID } from 'node:crypto';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { updateEntity } from '#functions/engine/entities/update-entity.ts';
import {
  decodeHistoryCursor,
  encodeHistoryCursor,
  type HistoryPage,
  type HistoryPlace,
  listHistory,
  maxHistoryCursorLength,
} from '#functions/engine/feed/list-history.ts';
import { maxPosition, recordKey } from '#functions/engine/model/change-log.ts';
import { buildCreate, buildUpdate } from '#functions/engine/model/changes.ts';
import type { WholeEntity } from '#functions/engine/model/entity.ts';
import { InvalidCursor } from '#functions/engine/model/errors.ts';
import type { Item } from '#functions/engine/model/writes.ts';
import { findEntity } from '#functions/engine/table/stored-entities.ts';
import { applyChangeSet } from '#functions/engine/write/commit.ts';
import { startTestStore } from '#test/support/local-store.ts';

describe('history-cursor', () => {
  const name = { kind: 'task', id: '01890000-0000-7000-8000-000000000001' } as const;

  test.each([
    ['another kind', encodeHistoryCursor({ ...name, kind: 'user' }, 5)],
    ['another entity', encodeHistoryCursor({ ...name, id: name.id.replace('1', '2') }, 5)],
  ])('a cursor of %s is refused as such', (_, cursor) => {
    expect(() => decodeHistoryCursor(name, cursor)).toThrow(
      new InvalidCursor('is the cursor of another history'),
    );
  });

  test('the cursor of the greatest position is not too long, and a longer text is refused', () => {
    const cursor = encodeHistoryCursor(name, maxPosition);
    expect(decodeHistoryCursor(name, cursor)).toBe(maxPosition);
    const longer = cursor.padEnd(maxHistoryCursorLength + 1, 'A');
    expect(() => decodeHistoryCursor(name, longer)).toThrow(InvalidCursor);
  });
});

describe('list-history', () => {
  const store = startTestStore();

  const kind = 'tag';

  const fieldsOf = (name: string, description = '') => ({ name, status: 'active', description });

  /** One entity of a new tenant. */
  async function newEntity(name = 'a') {
    const tenant = randomUUID();
    const session = () => store.session(tenant);
    const { entity } = await createEntity(session(), kind, fieldsOf(name));
    const { id } = entity;
    const rename = async (to: string, actor?: string): Promise<WholeEntity> =>
      updateEntity({ ...session(), actor }, { kind, id }, { name: to });
    const history = async (
      place: Partial<HistoryPlace> = {},
    ): Promise<HistoryPage & { readonly units: number }> => {
      const own = session();
      const page = await listHistory(own, { kind, id }, { limit: 20, ...place });
      return { ...page, units: own.database.consumption.readUnits };
    };
    return { tenant, id, session, rename, history };
  }

  const namesOf = ({ entries }: HistoryPage) => entries.map(({ entry }) => entry.after?.['name']);

  test('a history has the actors, and costs one read unit and half a unit for each change', async () => {
    const { rename, history } = await newEntity();
    for (const name of ['b', 'c', 'd']) await rename(name, `actor of ${name}`);
    const page = await history();
    expect(namesOf(page)).toEqual(['d', 'c', 'b', 'a']);
    const actors = ['d', 'c', 'b'].map((name) => `actor of ${name}`);
    expect(page.entries.map(({ actor }) => actor)).toEqual([...actors, undefined]);
    expect([page.next, page.isComplete, page.units]).toEqual([undefined, true, 1 + 4 / 2]);
  });

  test('a history ends where a record was deleted, and where its life is over', async () => {
    const { tenant, rename, history } = await newEntity();
    for (const name of ['b', 'c', 'd']) await rename(name);
    const keyAt = (position: number) => recordKey({ tenant, kind }, position);
    await store.database().deleteItem(keyAt(2));
    const cut = await history();
    expect([namesOf(cut), cut.next, cut.isComplete]).toEqual([['d', 'c'], undefined, false]);
    const third = (await store.database().get(keyAt(3))) as Item;
    await store.database().putItem({ ...third, expiresAt: Math.floor(Date.now() / 1_000) - 1 });
    const shorter = await history();
    expect([namesOf(shorter), shorter.isComplete]).toEqual([['d'], false]);
    const page = await history({ limit: 1 });
    expect([page.next, page.isComplete]).toEqual([3, true]);
    expect(await history({ after: page.next })).toMatchObject({ entries: [], isComplete: false });
  });

  test('a page ends where the records of large batches have cost enough, and the next one goes on', async () => {
    const { tenant, id, session, history } = await newEntity();
    const long = (length: number) =>
      Array.from({ length }, () => String.fromCodePoint(0x4e00 + Math.floor(Math.random() * 20_000))).join(
        '',
      );
    const others = Array.from({ length: 24 }, () => buildCreate(kind, fieldsOf('x'), Date.now()));
    await applyChangeSet(session(), { changes: others });
    const all = async (): Promise<WholeEntity[]> =>
      Promise.all(
        [id, ...others.map(({ after }) => after.entity.id)].map(
          async (one) => (await findEntity(store.session(tenant), kind, one)) as WholeEntity,
        ),
      );
    const batches = 20;
    for (let batch = 0; batch < batches; batch += 1) {
      const changes = (await all()).map((before) => buildUpdate(before, { name: long(255) }, Date.now()));
      await applyChangeSet(session(), { changes });
    }
    const first = await history();
    expect(first.next).toBeDefined();
    expect(first.entries.length).toBeLessThan(batches);
    // The record that exceeds the units is the last one.
    expect(first.units).toBeLessThanOrEqual(50);
    const versions: number[] = first.entries.map(({ entry }) => entry.version);
    for (let page = first; page.next !== undefined; ) {
      page = await history({ after: page.next });
      versions.push(...page.entries.map(({ entry }) => entry.version));
    }
    expect(versions).toEqual(Array.from({ length: batches + 1 }, (_, place) => batches + 1 - place));
  });
});
