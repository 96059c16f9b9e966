/** Positions without records: who takes them, who fills them, and that nobody waits for them, or passes what appears in them. */
import type { DynamoDBRecord } from 'aws-lambda';
import { decodeManifest } from '#functions/engine/columns/format/manifest.ts';
import { decodeCursor, encodeCursor } from '#functions/engine/feed/cursor.ts';
import { queryHashBytes } from '#functions/engine/lists/cursor-codec.ts';
import { maxHoles, upTo } from '#functions/engine/log/progress.ts';
import { takePosition as takeFrom } from '#functions/engine/log/sequencer.ts';
import {
  fillerWrite,
  type LogIdentity,
  logPartition,
  manifestSortKey,
  positionOf,
  recordKey,
  recordPrefix,
  sequencerKey,
} from '#functions/engine/model/change-log.ts';
import { encodeReminder, reminderKey } from '#functions/engine/model/reminder.ts';
import { itemBytes } from '#functions/engine/model/write-units.ts';
import type { Key } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { auditTable } from '#lib/audit/audit-table.ts';
import { lostRequest, lostResponse, nth, touches, untilDecided } from '../../support/table/faults.ts';
import { type Process, tableName } from '../process.ts';
import {
  create,
  isInLog,
  isTransaction,
  listed,
  scenario,
  send,
  succeed,
  takeLog,
  totalOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

const log = { tenant: '@public', kind: 'tag' } as const;

const database = ({ table }: World): Database => new Database(table, tableName, new Deadline(60_000));

/** Takes a position, as a process does that ends before it has written. */
const takePosition = (world: World, taken: LogIdentity = log): Promise<number> =>
  takeFrom(database(world), taken);

const itemsOfLog = ({ table }: World) =>
  table.snapshot().filter(({ pk }) => pk === logPartition('@public', 'tag'));

/** Returns the positions that have records, or fillers. */
const positions = (world: World): number[] =>
  itemsOfLog(world)
    .filter(({ sk }) => sk.startsWith(recordPrefix))
    .map(({ sk }) => positionOf(sk));

/** Returns the position up to which the columns have the log. */
function watermark(world: World): number {
  const manifest = itemsOfLog(world).find(({ sk }) => sk === manifestSortKey);
  return manifest ? decodeManifest(manifest).watermark : 0;
}

const processesOf = ({ processes }: World): [Process, Process] => processes as [Process, Process];

const isKey =
  ({ pk, sk }: Key) =>
  (other: Key): boolean =>
    other.pk === pk && other.sk === sk;

describe('a position', () => {
  scenario('of a refused request gets a filler', async (world) => {
    await create(world, 'tags');
    const gone = '019b2f4f-53d8-7f6b-b1e9-7a2c4d8f0e36';
    const tag = { name: 'a', subject: null };
    expect((await send(world, 'POST', '/v1/tasks', { name: 'a', tagIds: [gone] })).status).toBe(400);
    expect((await send(world, 'PATCH', `/v1/tags/${gone}`, tag)).status).toBeGreaterThanOrEqual(400);
    const tasks = { ...log, kind: 'task' } as const;
    const taken = await takePosition(world, tasks);
    const filled = world.table.snapshot().filter(({ pk }) => pk === logPartition('@public', 'task'));
    expect(filled.map(({ sk }) => positionOf(sk))).toEqual(
      Array.from({ length: taken - 1 }, (_, place) => place + 1),
    );
    // What changes nothing for certain takes none.
    expect([positions(world), await takePosition(world)]).toEqual([[1], 2]);
  });

  scenario('that is filled while its writer waits is replaced by another one', async (world) => {
    await create(world, 'tags');
    world.table.intercept = nth(1, 'TransactWriteItems', { requestMs: 500 });
    const slow = create(world, 'tags');
    await world.wait(250);
    const { put, condition } = fillerWrite(recordKey(log, 2), world.time.now());
    await database(world).putItem(put, condition);
    const id = await slow;
    expect([positions(world), (await listed(world, 'tags')).includes(id)]).toEqual([[1, 2, 3], true]);
  });

  scenario(
    'with the record of another transaction again and again is a 503, until the audit raises the sequencer',
    async (world) => {
      let last = '';
      for (let count = 0; count < 6; count += 1) last = await create(world, 'tags');
      await world.table.putItem({ TableName: tableName, Item: { ...sequencerKey(log), count: 1 } });
      const requireRefused = async (method: string, path: string): Promise<void> => {
        expect((await send(world, method, path, { name: 'a' })).status).toBe(503);
        expect(takeLog()).toContainEqual(
          expect.objectContaining({ error: expect.objectContaining({ name: 'SequencerBehind' }) }),
        );
      };
      // Its position is below that of the tag.
      await requireRefused('PATCH', `/v1/tags/${last}`);
      await requireRefused('POST', '/v1/tags');
      await auditTable(world.table, tableName, { pauseMs: 0, repair: true });
      await create(world, 'tags');
      expect(Math.max(...positions(world))).toBe(7);
    },
  );
});

describe('when no response to a transaction arrives,', () => {
  scenario('the record tells that it was applied', async (world) => {
    const id = await create(world, 'tags');
    world.table.intercept = untilDecided(lostResponse(0));
    expect((await send(world, 'PATCH', `/v1/tags/${id}`, { name: 'b' })).status).toBe(200);
    world.table.intercept = undefined;
    expect(world.moments.versions.get(id)).toHaveLength(2);
  });

  scenario('the filler tells that it never will be', async (world) => {
    const id = await create(world, 'tags');
    world.table.intercept = untilDecided(lostRequest(0));
    const { status, body } = await send(world, 'PATCH', `/v1/tags/${id}`, { name: 'b' });
    world.table.intercept = undefined;
    expect([status, body['detail']]).toEqual([503, expect.stringContaining('The request was not applied.')]);
    expect([world.moments.versions.get(id)?.length, positions(world)]).toEqual([1, [1, 2]]);
  });
});

describe('the hole of a process that has ended', () => {
  scenario('is filled within a minute, although the log is quiet and has a reminder', async (world) => {
    const dueAt = world.time.now() + 3_600_000;
    await database(world).putItem(encodeReminder({ ...log, dueAt }));
    await create(world, 'tags');
    const hole = await takePosition(world);
    await create(world, 'tags');
    await world.deliverRecords();
    await world.wait(60_000);
    await processesOf(world)[0].onSchedule();
    expect(positions(world)).toEqual([1, hole, 3]);
  });

  scenario('is left alone by the schedule until it is old, in few calls', async (world) => {
    await create(world, 'tags');
    await takePosition(world);
    const [one, other] = processesOf(world);
    // The time of the record behind the hole is four minutes ahead.
    for (const process of [one, other]) process.clockErrorMs = 240_000;
    await create(world, 'tags');
    for (const process of [one, other]) process.clockErrorMs = 0;
    await world.deliverRecords();
    await world.wait(60_000);
    world.table.faults = { latencyMs: 5 };
    let calls = 0;
    world.table.intercept = (call) => {
      calls += Number(touches(call, isInLog('tag')));
      return undefined;
    };
    await one.onSchedule();
    expect(positions(world)).toEqual([1, 3]);
    // One look.
    expect(calls).toBeLessThan(10);
    await world.wait(240_000);
    await one.onSchedule();
    expect(positions(world)).toEqual([1, 2, 3]);
  });

  scenario('hides no task from lists, also with more than a page of records behind it', async (world) => {
    const tasks = { ...log, kind: 'task' } as const;
    await database(world).count(sequencerKey(tasks));
    // Letters that deflate cannot shorten: a record has the words of its descriptions.
    const description = (): string =>
      Array.from({ length: 1_100 }, () => world.random.below(36 ** 8).toString(36)).join(' ');
    const operations = () =>
      Array.from({ length: 14 }, () => ({
        operation: 'create',
        body: { name: 'x', description: description() },
      }));
    const bytes = () =>
      world.table
        .snapshot()
        .filter(({ pk, sk }) => pk === logPartition('@public', 'task') && sk.startsWith(recordPrefix))
        .reduce((sum, item) => sum + itemBytes(item), 0);
    let created = 0;
    for (; bytes() < 1.1 * 2 ** 20; created += 14)
      await succeed(world, 'POST', '/v1/tasks/batch', { operations: operations() });
    expect(await totalOf(world, 'tasks')).toBe(created);
  });

  scenario('is filled also with more others than readers go past', async (world) => {
    await database(world).putItem(encodeReminder({ ...log, dueAt: world.time.now() }));
    await create(world, 'tags');
    for (let hole = 0; hole <= maxHoles; hole += 1) await takePosition(world);
    const id = await create(world, 'tags');
    await world.wait(60_000);
    await processesOf(world)[0].onSchedule();
    expect(positions(world)).toHaveLength(maxHoles + 3);
    expect(await listed(world, 'tags')).toContain(id);
  });

  scenario(
    'is passed by a copy, which gets the record that appears in it, far from the end',
    async (world) => {
      const { cursor } = await succeed(world, 'GET', '/v1/tags/changes');
      world.table.intercept = nth(1, 'TransactWriteItems', { requestMs: 1_000 });
      const slow = create(world, 'tags', { name: 'slow' });
      for (let count = 0; count < 40; count += 1) await create(world, 'tags');
      const before = await succeed(world, 'GET', `/v1/tags/changes?limit=100&since=${String(cursor)}`);
      expect(before.data).toHaveLength(40);
      const id = await slow;
      const after = await succeed(
        world,
        'GET',
        `/v1/tags/changes?limit=100&since=${String(before['cursor'])}`,
      );
      expect(after.data.map((tag) => tag.id)).toEqual([id]);
    },
  );
});

scenario('a copy never gets a change of an entity without the one before it', async (world) => {
  const { cursor } = await succeed(world, 'GET', '/v1/tags/changes');
  const isOfLog = (call: Parameters<typeof touches>[0]): boolean =>
    call.operation === 'Query' && touches(call, ({ pk }) => pk === logPartition('@public', 'tag'));
  let queries = 0;
  world.table.intercept = (call) => {
    if (isTransaction(call)) return world.time.now() < slowUntil ? { requestMs: 1_000 } : undefined;
    queries += isOfLog(call) ? 1 : 0;
    // The second query of the page comes after both changes.
    return isOfLog(call) && queries === 2 ? { requestMs: 3_000 } : undefined;
  };
  const slowUntil = world.time.now() + 2;
  const slow = create(world, 'tags', { name: 'first' });
  await world.wait(5);
  for (let count = 0; count < 12; count += 1) await create(world, 'tags');
  queries = 0;
  const page = send(world, 'GET', `/v1/tags/changes?limit=100&since=${String(cursor)}`);
  const id = await slow;
  await succeed(world, 'PATCH', `/v1/tags/${id}`, { name: 'second' });
  const { body } = await page;
  world.table.intercept = undefined;
  const shown = [body, await succeed(world, 'GET', `/v1/tags/changes?since=${String(body['cursor'])}`)];
  const names = shown.flatMap(({ data }) => data.filter((tag) => tag.id === id).map((tag) => tag['name']));
  expect([queries > 1, names]).toEqual([true, ['second']]);
});

scenario('a cursor expires when records are gone that it has not seen, and no other does', async (world) => {
  const cursors: unknown[] = [];
  for (let count = 0; count < 3; count += 1) {
    cursors.push((await succeed(world, 'GET', '/v1/tags/changes'))['cursor']);
    if (count < 2) await create(world, 'tags');
  }
  await world.deliverRecords();
  expect(watermark(world)).toBe(2);
  await world.wait(2 * 3_600_000);
  const records = itemsOfLog(world).filter(({ sk }) => sk.startsWith(recordPrefix));
  for (const { pk, sk } of records) await world.table.deleteItem({ TableName: tableName, Key: { pk, sk } });
  const statuses: number[] = [];
  for (const cursor of cursors)
    statuses.push((await send(world, 'GET', `/v1/tags/changes?since=${String(cursor)}`)).status);
  expect(statuses).toEqual([410, 410, 200]);
  for (const Item of records) await world.table.putItem({ TableName: tableName, Item });
});

scenario('a cursor that is ahead of its log expires', async (world) => {
  await create(world, 'tags');
  const { cursor } = await succeed(world, 'GET', '/v1/tags/changes');
  const bytes = Buffer.from(String(cursor), 'base64url');
  const hash = bytes.subarray(1, 1 + queryHashBytes);
  const { table, progress } = decodeCursor(hash, String(cursor));
  const at = (position: number) =>
    send(world, 'GET', `/v1/tags/changes?since=${encodeCursor(hash, { table, progress: upTo(position) })}`);
  expect(progress).toEqual(upTo(1));
  expect([(await at(1)).status, (await at(2)).status, (await at(1_000)).status]).toEqual([200, 410, 410]);
});

scenario('a cursor expires when the record before a change is gone', async (world) => {
  const { cursor } = await succeed(world, 'GET', '/v1/tags/changes');
  const id = await create(world, 'tags');
  await succeed(world, 'PATCH', `/v1/tags/${id}`, { name: 'b' });
  const Key = recordKey(log, 1);
  const item = itemsOfLog(world).find(isKey(Key));
  await world.table.deleteItem({ TableName: tableName, Key });
  expect((await send(world, 'GET', `/v1/tags/changes?since=${String(cursor)}`)).status).toBe(410);
  await world.table.putItem({ TableName: tableName, Item: item ?? Key });
});

scenario('a hole that comes while the schedule deletes a due reminder is filled too', async (world) => {
  const [one, other] = processesOf(world);
  const isReminder = isKey(reminderKey(log));
  const leaveHole = async (): Promise<DynamoDBRecord[]> => {
    await takePosition(world);
    await create(world, 'tags');
    return world.table.takeRecords();
  };
  await one.onLogRecords(await leaveHole());
  await world.wait(10_000);
  // The worker has looked at the log, and is about to delete the reminder.
  world.table.intercept = (call) =>
    call.operation === 'DeleteItem' && touches(call, isReminder) ? { requestMs: 1_500 } : undefined;
  const looking = one.onSchedule();
  await world.wait(1_000);
  expect(watermark(world)).toBe(2);
  await other.onLogRecords(await leaveHole());
  await looking;
  world.table.intercept = undefined;
  expect([positions(world), watermark(world)]).toEqual([[1, 2, 4], 2]);
  await world.wait(60_000);
  await one.onSchedule();
  expect([positions(world), watermark(world)]).toEqual([[1, 2, 3, 4], 4]);
  expect(world.table.snapshot().some(isReminder)).toBe(false);
});
