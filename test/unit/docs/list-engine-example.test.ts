import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { compact } from '#functions/store/lists/engine/compaction/compact.ts';
import { type Column, columnValues } from '#functions/store/lists/engine/format/column.ts';
import { decodeItem } from '#functions/store/lists/engine/format/decode-item.ts';
import { countIds, idAt } from '#functions/store/lists/engine/format/ids.ts';
import {
  type ItemName,
  isPatchName,
  isSmallSegmentName,
} from '#functions/store/lists/engine/format/manifest.ts';
import type { PatchValues } from '#functions/store/lists/engine/format/patch.ts';
import type { SmallSegment } from '#functions/store/lists/engine/format/small-segment.ts';
import { ProcessMemory } from '#functions/store/lists/engine/process-memory.ts';
import type { LogReader } from '#functions/store/lists/engine/storage.ts';
import { planQuery } from '#functions/store/lists/query-plan.ts';
import { toRowQuery } from '#functions/store/lists/to-row-query.ts';
import { isValue, listQuery, sortedBy } from '../../support/list-queries.ts';
import { idOf, LogBuilder, startMs } from '../../support/log-builder.ts';
import { readRows } from '../../support/read-rows.ts';

/** The example of docs/list-engine.md: its blocks show what the engine stores and reads. */

const page = readFileSync(join(__dirname, '../../../docs/list-engine.md'), 'utf8');
const [, example = ''] = /^## A worked example\n(.*?)^## /ms.exec(page) ?? [];
const blocks = [...example.matchAll(/^```json\n(.*?)^```/gms)].map(
  ([, text = '']) => JSON.parse(text) as unknown,
);
const [records, manifest, items, change, reads, result, patch] = blocks;

/** The page names the tasks by letters. */
const letters = ['A', 'B', 'C', 'D', 'E'] as const;
const idOfLetter = Object.fromEntries(letters.map((letter, number) => [letter, idOf(number * 1_000)]));

/** Returns a value as the page shows it: ids as letters, times in seconds, names of steps without their random part, and no bytes, which depend on zlib. */
function toShown(value: unknown): unknown {
  let text = JSON.stringify(value, (name, own) => (name === 'bytes' ? undefined : own));
  for (const [letter, id] of Object.entries(idOfLetter)) text = text.replaceAll(id, letter);
  return JSON.parse(
    text
      .replaceAll(/(\d+)-[0-9a-f]{6}/g, '$1')
      .replaceAll(/\b17\d{11}\b/g, (time) => String((Number(time) - startMs) / 1_000)),
  );
}

function shownColumn(column: Column): unknown {
  const { dictionary, ordinals } = column;
  const all = Array.from({ length: dictionary.size }, (_, ordinal) => dictionary.at(ordinal));
  expect(columnValues(column)).toEqual([...ordinals].map((ordinal) => all[ordinal]));
  return { dictionary: all, ordinals: [...ordinals] };
}

/** Returns what an item holds. */
function contentOf(name: ItemName, encoded: Uint8Array): unknown {
  if (name.startsWith('steps/')) return JSON.parse(inflateRawSync(encoded).toString());
  const { value } = decodeItem(name, encoded);
  if (isPatchName(name)) {
    const entries = [...(value as PatchValues)].map(([segment, fields]) => [
      segment,
      Object.fromEntries([...fields].map(([field, columnPatch]) => [field, Object.fromEntries(columnPatch)])),
    ]);
    return Object.fromEntries(entries);
  }
  expect(isSmallSegmentName(name)).toBe(true);
  const { ids, columns } = value as SmallSegment;
  return {
    ids: Array.from({ length: countIds(ids) }, (_, position) => idAt(ids, position)),
    ...Object.fromEntries([...columns].map(([field, column]) => [field, shownColumn(column)])),
  };
}

const contentsOf = (stored: ReadonlyMap<ItemName, Uint8Array>): Record<string, unknown> =>
  Object.fromEntries([...stored].map(([name, encoded]) => [name, contentOf(name, encoded)]));

/** Takes one step of compaction, some seconds after the first task was created. */
async function compactAt({ log }: LogBuilder, seconds: number): Promise<void> {
  await compact({
    writer: log.open(),
    memory: new ProcessMemory().of('acme', 'task'),
    nowMs: startMs + seconds * 1_000,
    isForced: true,
  });
}

const { A, B, C, D, E } = idOfLetter as Record<(typeof letters)[number], string>;

/** Returns the log before the first step. */
function newLog(): LogBuilder {
  const builder = new LogBuilder();
  const at = (seconds: number): number => startMs + seconds * 1_000;
  builder.commit(at(1), {
    [A]: { name: 'Plan', status: 'active' },
    [B]: { name: 'Draft', status: 'planned' },
  });
  builder.commit(at(2), { [C]: { name: 'Build', status: 'active' } });
  builder.commit(at(3), { [D]: { name: 'Test', status: 'planned' } });
  builder.commit(at(4), { [E]: { name: 'Ship', status: 'active' } });
  builder.commit(at(5), { [B]: { name: 'Draft', status: 'active' } });
  return builder;
}

const changeC = (builder: LogBuilder): void =>
  builder.commit(startMs + 104_000, { [C]: { name: 'Build', status: 'completed' } });

const shownRecords = ({ log }: LogBuilder): unknown =>
  toShown(log.records.map(({ stamp, entries }) => ({ stamp, entries })));

test('the page has the blocks of the example', () => {
  expect(blocks).toHaveLength(7);
});

describe('the example of the page', () => {
  let builder: LogBuilder;

  beforeEach(async () => {
    builder = newLog();
    await compactAt(builder, 100);
  });

  test('shows the records before the first step', () => {
    expect(records).toEqual(shownRecords(newLog()));
  });

  test('shows the manifest and the items after it', () => {
    expect(manifest).toEqual(toShown(builder.log.manifest));
    expect(items).toEqual(toShown(contentsOf(builder.log.items)));
    // The records stay.
    expect(shownRecords(builder)).toEqual(records);
  });

  test('shows what a list reads, and its rows', async () => {
    changeC(builder);
    expect([change]).toEqual((shownRecords(builder) as unknown[]).slice(-1));
    const calls: unknown[] = [];
    const log = builder.log.open();
    const reader: LogReader = {
      ...log,
      readHead: async (above) => {
        const head = await log.readHead(above);
        calls.push({ above, manifest: head.manifest?.version, records: head.records.length });
        return head;
      },
      readRecords: () => Promise.reject(new Error('One query is enough.')),
      readItems: (names, isConsistent) => {
        calls.push({ items: names });
        return log.readItems(names, isConsistent);
      },
    };
    const query = listQuery({
      filters: [isValue('status', 'active')],
      sort: sortedBy('name', 'asc'),
      limit: 2,
    });
    expect(planQuery('acme', 'task', query)).toEqual({ by: 'engine', pageIndex: undefined });
    const memory = new ProcessMemory().of('acme', 'task');
    const source = { reader, memory, nowMs: startMs + 105_000 };
    const { rows, total } = await readRows(source, toRowQuery('task', query));
    expect(reads).toEqual(toShown(calls));
    expect(result).toEqual(toShown({ rows, total }));
    // A second list finds the items in memory.
    calls.length = 0;
    await readRows(source, toRowQuery('task', query));
    expect(toShown(calls)).toEqual([{ above: 100, manifest: 1, records: 1 }]);
  });

  test('shows the patch that the next step writes', async () => {
    const before = new Set(builder.log.items.keys());
    changeC(builder);
    await compactAt(builder, 120);
    const written = [...builder.log.items].filter(
      ([name]) => !before.has(name) && !name.startsWith('steps/'),
    );
    expect(patch).toEqual(toShown(contentsOf(new Map(written))));
  });
});
