import { randomUUID } from 'node:crypto';
import {
  encodeShards,
  maxShards,
  shardsKey,
} from '../../../../../../functions/shared/store/model/change-log.ts';
import { buildCreate, type Change } from '../../../../../../functions/shared/store/model/changes.ts';
import type { Kind } from '../../../../../../functions/shared/store/model/relations.ts';
import type { Session } from '../../../../../../functions/shared/store/unit-of-work/session.ts';
import {
  chooseShards,
  forgetShards,
} from '../../../../../../functions/shared/store/unit-of-work/writable-shards.ts';
import { startTestStore, type TestStore } from '../../../../../support/local-store.ts';

const hourMs = 3_600_000;

/** The stamp of the records, and the end of the shards. */
const stamp = 1_770_000_000_000;
const until = stamp + 1;

let store: TestStore;
let session: Session;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

beforeEach(() => {
  session = store.session(randomUUID());
});

afterEach(() => {
  jest.restoreAllMocks();
});

const changeOf = (kind: Kind): Change => buildCreate(kind, { name: 'x', status: 'active' });

const open = (kind: Kind): Promise<void> =>
  store
    .database()
    .putItem({ ...shardsKey(session.tenant, kind), ...encodeShards({ count: maxShards, until }) });

/** Returns the shards that 200 records of tags are written to, each once. */
async function chosen(atStamp = stamp): Promise<number[]> {
  const shardOf = await chooseShards(session, [changeOf('tag')]);
  return [...new Set(Array.from({ length: 200 }, () => shardOf('tag', atStamp)))].sort();
}

test('a log has one shard until more are opened', async () => {
  expect(await chosen()).toEqual([0]);
});

test('records are spread over all shards of their own log', async () => {
  await open('tag');
  const shardOf = await chooseShards(session, [changeOf('tag'), changeOf('project')]);
  const shardsOf = (kind: Kind): number[] =>
    [...new Set(Array.from({ length: 200 }, () => shardOf(kind, stamp)))].sort();
  expect([shardsOf('tag'), shardsOf('project')]).toEqual([[0, 1, 2, 3], [0]]);
});

test('records above the end of the shards are in the first one', async () => {
  await open('tag');
  expect(await chosen(until)).toEqual([0]);
  expect(await chosen(until - 1)).toEqual([0, 1, 2, 3]);
});

test('a process reads the shards once an hour', async () => {
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  expect(await chosen()).toEqual([0]);
  await open('tag');
  clock.mockReturnValue(Date.now() + hourMs - 1);
  expect(await chosen()).toEqual([0]);
  clock.mockReturnValue(Date.now() + 1);
  expect(await chosen()).toEqual([0, 1, 2, 3]);
});

test('a process that has forgotten the shards reads them again', async () => {
  expect(await chosen()).toEqual([0]);
  await open('tag');
  forgetShards(session, ['project']);
  expect(await chosen()).toEqual([0]);
  forgetShards(session, ['tag']);
  expect(await chosen()).toEqual([0, 1, 2, 3]);
});
