import { deleteGarbage, recordStep } from '#functions/store/lists/engine/compaction/delete-garbage.ts';
import type { ItemName } from '#functions/store/lists/engine/format/manifest.ts';
import { garbageMs } from '#functions/store/model/log-timing.ts';
import { MemoryLog } from '#test/simulation/memory-log.ts';
import { startMs } from '#test/support/log-builder.ts';
import { makeManifest } from '#test/support/segments.ts';

let log: MemoryLog;

beforeEach(() => {
  log = new MemoryLog();
});

/** Records a step and writes items. */
async function step(version: number, beganAt: number, ...names: ItemName[]): Promise<void> {
  await recordStep(log.open(), version, `${version.toString(36)}-aaaaaa`, { beganAt, names });
  await log.open().putItems(new Map(names.map((name) => [name, Buffer.from(name)])));
}

const itemNames = (): string[] => [...log.items.keys()].toSorted();

describe('recordStep', () => {
  test('writes an item whose name sorts by the version of the manifest', async () => {
    await step(10, startMs);
    await step(9, startMs);
    expect(itemNames()).toEqual(['steps/000000000009#9-aaaaaa', 'steps/000000000010#a-aaaaaa']);
  });
});

describe('deleteGarbage', () => {
  test('deletes items of old steps that the manifest does not refer to, and then their steps', async () => {
    await step(1, startMs, '1-aaaaaa.0/fence', 'patch:1-aaaaaa/all');
    await deleteGarbage(
      log.open(),
      makeManifest({ patches: [{ step: '1-aaaaaa', values: 1, bytes: 30 }] }),
      startMs + garbageMs,
    );
    expect(itemNames()).toEqual(['patch:1-aaaaaa/all']);
  });

  test('keeps items of steps that began less than an hour ago', async () => {
    await step(1, startMs, '1-aaaaaa.0/fence');
    await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs - 1);
    expect(itemNames()).toEqual(['1-aaaaaa.0/fence', 'steps/000000000001#1-aaaaaa']);
  });

  test('cleans up after the oldest four steps', async () => {
    for (const version of [1, 2, 3, 4, 5, 6]) await step(version, startMs, `${version}-aaaaaa.0/fence`);
    await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
    expect(itemNames().filter((name) => name.endsWith('fence'))).toEqual([
      '5-aaaaaa.0/fence',
      '6-aaaaaa.0/fence',
    ]);
  });

  test('stops at the first step that is not old enough', async () => {
    await step(1, startMs, '1-aaaaaa.0/fence');
    await step(2, startMs + 10, '2-aaaaaa.0/fence');
    await step(3, startMs, '3-aaaaaa.0/fence');
    await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
    expect(itemNames().filter((name) => name.endsWith('fence'))).toEqual([
      '2-aaaaaa.0/fence',
      '3-aaaaaa.0/fence',
    ]);
  });

  test('that crashes leaves the step for the next one', async () => {
    await step(1, startMs, '1-aaaaaa.0/fence', '1-aaaaaa.0/ids0');
    let writes = 0;
    const beforeWrite = (): void => {
      writes += 1;
      if (writes > 1) throw new Error('crash');
    };
    await expect(
      deleteGarbage(log.open({ beforeWrite }), makeManifest(), startMs + garbageMs),
    ).rejects.toThrow('crash');
    expect(itemNames()).toEqual(['1-aaaaaa.0/ids0', 'steps/000000000001#1-aaaaaa']);
    await deleteGarbage(log.open(), makeManifest(), startMs + garbageMs);
    expect(itemNames()).toEqual([]);
  });
});
