/** What must not depend on one item, one process or one function: positions never begin again, and each log is compacted. */
import { inflateRawSync } from 'node:zlib';
import { openLogReader } from '#functions/engine/columns/dynamodb-storage.ts';
import { emptyManifest, manifestNames } from '#functions/engine/columns/format/manifest.ts';
import { findCycles } from '#functions/engine/entities/cycles.ts';
import {
  logPartition,
  manifestSortKey,
  recordPrefix,
  sequencerKey,
} from '#functions/engine/model/change-log.ts';
import { entryKey } from '#functions/engine/model/registry.ts';
import type { Key } from '#functions/engine/model/writes.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import { setTimeAndChance } from '#functions/runtime/time-and-chance.ts';
import { eraseEntity } from '#lib/erase/erase-entity.ts';
import { eraseTenant } from '#lib/erase/erase-tenant.ts';
import { refused, touches } from '../../support/table/faults.ts';
import { type Process, tableName } from '../process.ts';
import {
  create,
  createProject,
  inWorld,
  isTransaction,
  listed,
  requireClean,
  scenario,
  send,
  succeed,
  takeLog,
  totalOf,
} from '../scenario.ts';
import type { World } from '../world.ts';

const log = { tenant: '@public', kind: 'task' } as const;

const namesIn = (process: Process) => async (path: string) => {
  const { body } = (await process.request('GET', path)) ?? {};
  return (body as { data: { name: string }[] }).data.map(({ name }) => name);
};

scenario(
  'what a tenant had is in no list and no copy after its erasure, and what it writes is',
  async (world) => {
    for (let count = 0; count < 6; count += 1) await create(world, 'tasks', { name: 'erased' });
    const cursors: unknown[] = [];
    const part = await succeed(world, 'GET', '/v1/tasks/changes?limit=2');
    for (let page = part; ; ) {
      cursors.push(page['cursor']);
      if (!page['hasMore']) break;
      page = await succeed(world, 'GET', `/v1/tasks/changes?since=${String(page['cursor'])}`);
    }
    const all = world.processes.map(namesIn);
    for (const names of all) expect(await names('/v1/tasks')).toHaveLength(6);
    await eraseTenant(world.table, tableName, log.tenant, { unitsPerSecond: 1e9, pauseMs: 1 });
    for (const names of all) expect(await names('/v1/tasks')).toEqual([]);
    for (let count = 1; count <= 8; count += 1) {
      await create(world, 'tasks', { name: 'new' });
      for (const names of all) expect(await names('/v1/tasks')).toEqual(Array(count).fill('new'));
    }
    // A process relies on what it knows of the columns for an hour.
    await world.wait(3_600_000);
    for (const cursor of cursors) {
      const read = (since: unknown) => send(world, 'GET', `/v1/tasks/changes?since=${String(since)}`);
      let page = await read(cursor);
      // The walk through the entities ends before the changes are read.
      while (page.body['hasMore']) page = await read(page.body['cursor']);
      expect(page.status).toBe(410);
    }
  },
);

/** Returns the cycles of tasks. */
const cyclesIn = ({ moments }: World) =>
  findCycles(
    new Map(
      [...moments.state.task].flatMap(([id, { entity }]): [string, string][] =>
        typeof entity['parentId'] === 'string' ? [[id, entity['parentId']]] : [],
      ),
    ),
  );

scenario('a log that is not compacted is reported after four days, without a list', async (world) => {
  await create(world, 'tasks');
  world.table.intercept = (call) =>
    call.operation === 'PutItem' && touches(call, ({ sk }) => sk === manifestSortKey)
      ? refused('InternalServerError', 'x', 'server')
      : undefined;
  const reported = async (days: number): Promise<unknown> => {
    takeLog();
    await world.passDays(days);
    return Math.max(...takeLog().map((line) => Number(line['UncompactedLogs'] ?? 0)));
  };
  process.env['LOG_LEVEL'] = 'WARN';
  expect([await reported(3), await reported(1)]).toEqual([0, 1]);
  process.env['LOG_LEVEL'] = 'ERROR';
  world.table.intercept = undefined;
  await world.passDays(1);
});

/** Deletes items, as an operator does by mistake. */
async function lose({ table }: World, isLost: (key: Key) => boolean): Promise<void> {
  for (const { pk, sk } of table.snapshot().filter(isLost))
    await table.deleteItem({ TableName: tableName, Key: { pk, sk } });
}

const isSequencer = ({ pk }: Key): boolean => pk === sequencerKey(log).pk;
const isInLog = ({ pk }: Key): boolean => pk === logPartition(log.tenant, log.kind);
const isRecord = (key: Key): boolean => isInLog(key) && key.sk.startsWith(recordPrefix);
const isEntry = ({ pk, sk }: Key): boolean => pk === entryKey(log).pk && sk === entryKey(log).sk;

describe('a log whose sequencer is lost goes on', () => {
  scenario('above its records', async (world) => {
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      if (count === 2) await lose(world, isSequencer);
      ids.unshift(await create(world, 'tasks'));
    }
    expect(await listed(world, 'tasks')).toEqual(ids);
    await requireClean(world);
  });

  scenario('above its columns, when its records have expired', async (world) => {
    for (let count = 0; count < 60; count += 1) await create(world, 'tasks');
    await world.deliverRecords();
    await lose(world, (key) => isSequencer(key) || isRecord(key));
    const id = await create(world, 'tasks');
    expect((await listed(world, 'tasks?limit=100')).slice(0, 1)).toEqual([id]);
  });

  scenario('above the position that its last visit has noted', async (world) => {
    const ids = [await create(world, 'tasks'), await create(world, 'tasks')];
    await world.passDays(1);
    const records = world.table.snapshot().filter(isRecord);
    await lose(world, (key) => isSequencer(key) || isInLog(key));
    const changed = await succeed(world, 'PATCH', `/v1/tasks/${ids[0]}`, { name: 'changed' });
    expect(changed['name']).toBe('changed');
    for (const Item of records) await world.table.putItem({ TableName: tableName, Item });
  });

  scenario('and nothing is written while it is not known where', async (world) => {
    await create(world, 'tasks');
    await lose(world, isSequencer);
    world.table.intercept = (call) =>
      call.operation === 'Query' && touches(call, isInLog)
        ? refused('InternalServerError', 'x', 'server')
        : undefined;
    expect((await send(world, 'POST', '/v1/tasks', { name: 'a' })).status).toBe(503);
    world.table.intercept = undefined;
    expect(world.table.snapshot().filter(isSequencer)).toEqual([]);
    await create(world, 'tasks');
  });
});

describe('a cycle that moves at the same time have made is broken within a day, and so is its copy,', () => {
  test.each([
    ['while its records are pending', 2, false],
    ['from the columns', 3, true],
  ])('%s', async (_, length, isCompacted) => {
    await inWorld(async (world) => {
      const projectId = await createProject(world, 60);
      const { data } = await succeed(world, 'GET', '/v1/tasks?limit=100');
      const ids = data.slice(0, length).map(({ id }) => id);
      await world.deliverRecords();
      world.table.faults = { latencyMs: [3, 8] };
      const moves = ids.map((id, place) =>
        world.send('PATCH', `/v1/tasks/${id}`, { parentId: ids[(place + 1) % length] }),
      );
      expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(Array(length).fill(200));
      world.table.faults = {};
      world.expectCopyOf('created');
      await succeed(world, 'POST', `/v1/projects/${projectId}/clone`, {});
      if (isCompacted) {
        for (let count = 0; count < 60; count += 1) await create(world, 'tasks');
        await world.deliverRecords();
      }
      expect(cyclesIn(world)).toHaveLength(2);
      await world.passDays(1);
      expect(cyclesIn(world)).toEqual([]);
      await requireClean(world);
    });
  });
});

scenario(
  'a log without an entry in the registry gets one when the stream reports its next record',
  async (world) => {
    await create(world, 'tasks');
    await lose(world, isEntry);
    await world.deliverRecords();
    expect(world.table.snapshot().filter(isEntry)).toHaveLength(1);
  },
);

scenario('lists lose nothing when the stream calls no function for a month', async (world) => {
  for (let count = 0; count < 3; count += 1) await create(world, 'tasks');
  await create(world, 'tags');
  await world.passDays(31);
  expect([await totalOf(world, 'tasks'), await totalOf(world, 'tags')]).toEqual([3, 1]);
  expect(world.table.snapshot().filter(isRecord)).toEqual([]);
});

scenario('a cycle is broken whose second move is in progress during the daily visit', async (world) => {
  const one = await create(world, 'tasks');
  const other = await create(world, 'tasks');
  await world.settle();
  await world.wait(86_400_000);
  let isHeld = false;
  world.table.intercept = (call) => {
    if (isHeld || !isTransaction(call) || !JSON.stringify(call.input).includes('slow')) return undefined;
    isHeld = true;
    return { requestMs: 4_000 };
  };
  const moving = succeed(world, 'PATCH', `/v1/tasks/${one}`, { name: 'slow', parentId: other });
  await world.wait(300);
  await succeed(world, 'PATCH', `/v1/tasks/${other}`, { parentId: one });
  await world.processes[0]?.onSchedule();
  await moving;
  world.table.intercept = undefined;
  expect(cyclesIn(world)).toHaveLength(1);
  await world.settle();
  await world.passDays(2);
  expect(cyclesIn(world)).toEqual([]);
});

/** Returns whether a text is in the columns of tasks. */
async function isInColumns(world: World, text: string): Promise<boolean> {
  const database = new Database(world.table, tableName, new Deadline(60_000));
  const reader = openLogReader(database, log.tenant, log.kind);
  const names = manifestNames((await reader.readManifest()) ?? emptyManifest);
  const items = await reader.readItems(names, true);
  // Columns are deflated behind a few bytes.
  const texts = [...items.values()].flatMap((bytes) =>
    [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((start) => {
      try {
        return [inflateRawSync(bytes.subarray(start)).toString('latin1')];
      } catch {
        return [];
      }
    }),
  );
  return texts.some((one) => one.includes(text));
}

scenario(
  'an erasure that begins before the job of the deletion leaves no value once it is repeated',
  async (world) => {
    const projectId = await createProject(world);
    for (let batch = 0; batch < 50; batch += 1) {
      const operations = Array.from({ length: 25 }, (_, place) => ({
        operation: 'create',
        body:
          place % 10 === 3
            ? { name: `secret ${batch} ${place}`, projectId }
            : { name: `other ${batch} ${place}` },
      }));
      await succeed(world, 'POST', '/v1/tasks/batch', { operations });
    }
    await world.settle();
    await world.passDays(4);
    expect(await isInColumns(world, 'secret')).toBe(true);
    await succeed(world, 'DELETE', `/v1/projects/${projectId}`);
    setTimeAndChance(world.time);
    const erase = () =>
      eraseEntity(world.table, tableName, { tenant: '@public', kind: 'project', id: projectId });
    expect(await erase()).toEqual({ count: 1, isComplete: false });
    await world.settle(8);
    expect(await erase()).toEqual({ count: 0, isComplete: true });
    expect(await isInColumns(world, 'secret')).toBe(false);
  },
);
