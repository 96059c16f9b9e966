import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { encodeManifest, type Manifest } from '#functions/store/lists/engine/format/manifest.ts';
import { type LogMemory, ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { LogWriter } from '#functions/store/lists/engine/storage.ts';
import { firstIdAt } from '#functions/store/model/ids.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { Random } from '#test/simulation/random.ts';
import { LogBuilder, startMs } from '#test/support/log-builder.ts';

/** What compaction costs, in write units: an item costs one for each KB, when it is written and when it is deleted. */

const dayMs = 86_400_000;

let log: LogBuilder;
let memory: LogMemory;
let random: Random;
let units: number;

beforeEach(() => {
  log = new LogBuilder();
  memory = new ProcessMemory().of('acme', 'task');
  random = new Random(1);
  units = 0;
});

/** Bytes of a key, and of the names of attributes. */
const keyBytes = 100;

const unitsOf = (bytes: number): number => Math.ceil((bytes + keyBytes) / 1024);

function countingWriter(): LogWriter {
  const open = log.log.open();
  return {
    ...open,
    putItems: (items) => {
      for (const { length } of items.values()) units += unitsOf(length);
      return open.putItems(items);
    },
    deleteItems: (names) => {
      for (const name of names) units += unitsOf(log.log.items.get(name)?.length ?? 0);
      return open.deleteItems(names);
    },
    replaceManifest: (manifest) => {
      units += unitsOf((encodeManifest(manifest)['state'] as Buffer).length);
      return open.replaceManifest(manifest);
    },
  };
}

async function compactAll(nowMs: number): Promise<void> {
  while ((await compact({ writer: countingWriter(), memory, nowMs }))?.hasMore);
  log.log.records.length = 0;
}

const hex = (digits: number): string =>
  Array.from({ length: digits }, () => random.below(16).toString(16)).join('');

const idAt = (timeMs: number): string => `${firstIdAt(timeMs).slice(0, 14)}7${hex(3)}-8${hex(3)}-${hex(12)}`;

const projectIds = Array.from({ length: 50 }, (_, project) => firstIdAt(startMs - 1e6 * project));

const typicalRow = (timeMs: number): Row => ({
  name: `Call ${random.below(10_000)} about the contract ${hex(6)}`,
  status: random.pick(['planned', 'active', 'completed']),
  priority: random.pick(['none', 'low', 'medium', 'high']),
  projectId: random.pick(projectIds),
  userId: random.pick(projectIds),
  description: `See the notes of the call ${hex(40)}.`,
  dueDate: new Date(timeMs + random.below(100) * dayMs).toISOString().slice(0, 10),
  tagIds: random.pick(projectIds),
  updatedAt: new Date(timeMs).toISOString(),
});

/** Writes some transactions at a rate, in a log of 10,000 rows. Returns the write units for each of them. */
async function priceOf(
  intervalMs: number,
  lookMs: number,
  writes: number,
  isCreate: boolean,
): Promise<number> {
  const rows = new Map<string, Row>();
  for (let number = 0; number < 10_000; number += 1)
    rows.set(idAt(startMs + 10 * number), typicalRow(startMs));
  let now = startMs + 200_000;
  log.commit(now, Object.fromEntries(rows));
  await compactAll(now + 2 * dayMs);
  const ids = [...rows.keys()];
  now += 2 * dayMs;
  units = 0;
  for (let looked = now, write = 0; write < writes; write += 1) {
    now += intervalMs;
    const id = isCreate ? idAt(now) : random.pick(ids);
    const before = rows.get(id);
    const changed = { priority: random.pick(['none', 'low', 'medium', 'high']) };
    const row = before ? { ...before, ...changed, updatedAt: new Date(now).toISOString() } : typicalRow(now);
    rows.set(id, row);
    log.commit(now, { [id]: row });
    for (; looked + lookMs <= now; looked += lookMs) {
      const { records } = log.log;
      // Records that a look does not absorb stay for the next one.
      const pending = [...records];
      await compactAll(looked + lookMs);
      const { watermark } = log.log.manifest as Manifest;
      records.push(...pending.filter(({ stamp }) => stamp > watermark));
    }
  }
  return units / writes;
}

describe.each([
  ['one write a day', dayMs, dayMs / 4, 60, 7, 9],
  ['one write a minute', 60_000, 60_000, 600, 1, 1.5],
  ['one write in two seconds', 2_000, 15_000, 600, 1, 1.5],
])('%s', (_, intervalMs, lookMs, writes, maxChange, maxCreate) => {
  test('costs few write units if it is a change', async () => {
    expect(await priceOf(intervalMs, lookMs, writes, false)).toBeLessThan(maxChange);
  });

  test('costs few write units if it is a create', async () => {
    const price = await priceOf(intervalMs, lookMs, writes, true);
    expect(price).toBeGreaterThan(0);
    expect(price).toBeLessThan(maxCreate);
  });
});

test('a row with 50 tags and long texts of another script costs less than ten write units', async () => {
  const tags = Array.from({ length: 300 }, () => idAt(startMs));
  const text = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(0x4e00 + random.below(3_000))).join('');
  const rowCount = 3_000;
  let now = startMs;
  for (let number = 0; number < rowCount; number += 1) {
    now += 100;
    const tagIds = Array.from({ length: 50 }, () => random.pick(tags)).join(',');
    log.commit(now, { [idAt(now)]: { ...typicalRow(now), name: text(255), description: text(100), tagIds } });
    if (number % 100 === 99) await compactAll(now + marginMs);
  }
  expect(units / rowCount).toBeLessThan(10);
  expect(log.log.manifest?.segments.length).toBeLessThan(12);
});
