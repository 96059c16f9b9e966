import {
  buildCreate,
  buildTextWrite,
  buildUpdate,
  buildWrite,
  mergeChangeSets,
} from '#functions/store/model/changes.ts';
import type { StoredEntity } from '#functions/store/model/entity.ts';
import { Digest, digestText } from '#functions/store/model/long-text.ts';

const id = '01890000-0000-7000-8000-000000000001';

const stored = (version: number, more: Record<string, unknown> = {}): StoredEntity => ({
  kind: 'organization',
  version,
  entity: {
    id,
    name: 'Acme',
    status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
    ...more,
  },
});

beforeEach(() => {
  jest.useFakeTimers({ now: Date.parse('2026-02-03T04:05:06.789Z') });
});

afterEach(() => {
  jest.useRealTimers();
});

describe('buildCreate', () => {
  test('returns version 1 of the entity with a new id, created and updated now', () => {
    const { after, ...before } = buildCreate(
      'project',
      { name: 'Build', status: 'open', dueDate: null },
      Date.now(),
    );
    expect(before).toEqual({});
    expect(after).toEqual({
      kind: 'project',
      version: 1,
      entity: {
        id: expect.stringMatching(/^019c21ac-ec65-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
        name: 'Build',
        status: 'open',
        dueDate: null,
        createdAt: '2026-02-03T04:05:06.789Z',
        updatedAt: '2026-02-03T04:05:06.789Z',
      },
    });
  });

  test('does not let fields set the id', () => {
    const { entity } = buildCreate('tag', { id: 'mine', name: 'Red', status: 'active' }, Date.now()).after;
    expect(entity.id).not.toBe('mine');
  });

  test('does not let fields set the times', () => {
    const times = { createdAt: '1999-01-01T00:00:00.000Z', updatedAt: '1999-01-01T00:00:00.000Z' };
    const { entity } = buildCreate('tag', { name: 'Red', status: 'active', ...times }, Date.now()).after;
    expect(entity.createdAt).toBe('2026-02-03T04:05:06.789Z');
    expect(entity.updatedAt).toBe('2026-02-03T04:05:06.789Z');
  });
});

describe('buildUpdate', () => {
  test('returns the next version with the given fields, updated now, and keeps the rest', () => {
    expect(buildUpdate(stored(7, { description: 'Old' }), { name: 'Acme Ltd' }, Date.now())).toEqual({
      before: stored(7, { description: 'Old' }),
      after: stored(8, { description: 'Old', name: 'Acme Ltd', updatedAt: '2026-02-03T04:05:06.789Z' }),
    });
  });

  test('keeps the time of the last update when the clock of its writer was ahead', () => {
    const before = stored(1, { updatedAt: '2026-02-03T04:05:07.000Z' });
    expect(buildUpdate(before, {}, Date.now()).after).toEqual(
      stored(2, { updatedAt: '2026-02-03T04:05:07.000Z' }),
    );
  });

  test('does not let fields set the id and the time of the creation', () => {
    const { after } = buildUpdate(
      stored(1),
      { id: 'mine', createdAt: '1999-01-01T00:00:00.000Z' },
      Date.now(),
    );
    expect(after.entity).toMatchObject({ id: stored(1).entity.id, createdAt: stored(1).entity.createdAt });
  });

  test('does not let fields set the time of the update', () => {
    const { after } = buildUpdate(stored(1), { updatedAt: '1999-01-01T00:00:00.000Z' }, Date.now());
    expect(after.entity.updatedAt).toBe('2026-02-03T04:05:06.789Z');
  });

  test('leaves the entity that was read as it is', () => {
    const before = stored(1);
    buildUpdate(before, { name: 'Acme Ltd' }, Date.now());
    expect(before).toEqual(stored(1));
  });
});

describe('buildWrite', () => {
  const item = {
    pk: `tenant#organization#${id}`,
    sk: 'entity',
    ofKind: 'tenant#organization',
    byStatus: `active#${id}`,
    kind: 'organization',
    id,
    name: 'Acme',
    status: 'active',
    createdAt: '2026-01-01T00:00:00.000Z',
    updatedAt: '2026-01-02T00:00:00.000Z',
  };

  test('puts a created entity where there is no item', () => {
    expect(buildWrite('tenant', { after: stored(1) }, 1_770_000_000_000)).toEqual({
      put: { ...item, version: 1, stamp: 1_770_000_000_000 },
      condition: { expression: 'attribute_not_exists(pk)' },
    });
  });

  test('puts an updated entity where the version is the one that was read', () => {
    expect(buildWrite('tenant', { before: stored(4), after: stored(5) }, 1_770_000_000_000)).toEqual({
      put: { ...item, version: 5, stamp: 1_770_000_000_000 },
      replaced: { ...item, version: 4, stamp: 1_770_000_000_000 },
      condition: {
        expression: '#version = :version',
        names: { '#version': 'version' },
        values: { ':version': 4 },
      },
    });
  });

  test('removes a deleted entity where the version is the one that was read', () => {
    expect(buildWrite('tenant', { before: stored(4) }, 1_770_000_000_000)).toEqual({
      remove: { pk: `tenant#organization#${id}`, sk: 'entity' },
      replaced: { ...item, version: 4, stamp: 1_770_000_000_000 },
      condition: {
        expression: '#version = :version',
        names: { '#version': 'version' },
        values: { ':version': 4 },
      },
    });
  });
});

describe('buildTextWrite', () => {
  const key = { pk: `tenant#organization#${id}`, sk: 'description' };
  const [text, other] = ['x'.repeat(401), 'y'.repeat(401)];
  const digest = new Digest(digestText(text), 401);
  const long = stored(2, { description: text });
  const withoutText = stored(2, { description: digest });
  const short = stored(2, { description: 'x'.repeat(400) });
  const put = (description: string, replacedBytes: number) => [
    { put: { ...key, text: description }, replacedBytes },
  ];
  const remove = [{ remove: key, replacedBytes: 401 }];

  test.each([
    ['puts the text of a created entity', { after: long }, put(text, 0)],
    [
      'puts a text that replaces another one',
      { before: stored(1, { description: other }), after: long },
      put(text, 401),
    ],
    [
      'puts a text that replaces one that was not read',
      { before: withoutText, after: stored(3, { description: other }) },
      put(other, 401),
    ],
    ['puts a text that replaces a short one', { before: short, after: long }, put(text, 0)],
    ['removes a text that becomes short', { before: long, after: short }, remove],
    ['removes the text of a deleted entity', { before: long }, remove],
    ['removes the text, which was not read, of a deleted entity', { before: withoutText }, remove],
    ['writes nothing when the text stays', { before: long, after: stored(3, { description: text }) }, []],
    [
      'writes nothing when the text, which was not read, stays',
      { before: withoutText, after: stored(3, { description: digest }) },
      [],
    ],
    ['writes nothing for a created entity with a short text', { after: short }, []],
    [
      'writes nothing for a changed short text',
      { before: short, after: stored(3, { description: 'z' }) },
      [],
    ],
    ['writes nothing for a deleted entity with a short text', { before: short }, []],
    ['writes nothing for an entity without a description', { before: stored(1), after: stored(2) }, []],
  ])('%s', (_, change, writes) => {
    expect(buildTextWrite('tenant', change)).toEqual(writes);
  });

  test('throws TypeError for a changed text that was not read', () => {
    expect(() => buildTextWrite('tenant', { after: withoutText })).toThrow(
      new TypeError('A long text was not read.'),
    );
  });
});

describe('mergeChangeSets', () => {
  test('returns all changes and all writes, in order', () => {
    const condition = { expression: 'attribute_not_exists(pk)' };
    const first = { put: { pk: '1', sk: 'job' }, condition };
    const second = { put: { pk: '2', sk: 'job' }, condition };
    const created = { after: stored(1) };
    const updated = { before: stored(1), after: stored(2) };
    const deleted = { before: stored(2) };
    expect(
      mergeChangeSets([
        { changes: [created, updated], writes: [first] },
        { changes: [deleted] },
        { changes: [], writes: [second] },
      ]),
    ).toEqual({ changes: [created, updated, deleted], writes: [first, second] });
  });

  test('returns an empty change set for none', () => {
    expect(mergeChangeSets([])).toEqual({ changes: [], writes: [] });
  });
});
