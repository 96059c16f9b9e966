import { rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import type { SegmentRow } from '#functions/store/lists/engine/compaction/row-block.ts';
import { isText } from '#functions/store/lists/engine/read/row-filter.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b] = [1, 2].map(idOf) as [string, string];

/** The scan begins after the margin of all records that tests commit before it. */
const beganAt = startMs + 2 * marginMs;
const rebuiltAt = beganAt + 1_000;

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

/** Rebuilds the log from entities of the first version. */
function rebuildFrom(rows: Readonly<Record<string, Row>>): Promise<boolean> {
  const scanned = Object.entries(rows).map(([id, values]): [string, SegmentRow] => [
    id,
    { id, version: 1, values },
  ]);
  return rebuild(log.log.open(), { rows: new Map(scanned), beganAt }, rebuiltAt);
}

test('writes the rows of the entities', async () => {
  expect(await rebuildFrom({ [a]: { name: 'a' }, [b]: { name: 'b' } })).toBe(true);
  expect(await log.ids()).toEqual([a, b]);
  expect(log.log.manifest).toMatchObject({ version: 1, watermark: beganAt - marginMs });
});

test.each([
  ['has missed', { [a]: { name: 'a' } }],
  ['has seen', { [b]: { name: 'b' } }],
])('leaves changes to the log that the scan %s', async (_, rows) => {
  log.commit(startMs, { [a]: { name: 'a' } });
  log.commit(beganAt + 500, { [a]: undefined, [b]: { name: 'b' } });
  await rebuildFrom(rows as unknown as Record<string, Row>);
  expect(await log.list()).toMatchObject({ total: 1, rows: [{ id: b }] });
  await log.compact(rebuiltAt + marginMs);
  expect(await log.list()).toMatchObject({ total: 1, rows: [{ id: b }] });
});

test.each([
  ['has missed', { [a]: { name: 'a' } }],
  ['has seen', { [a]: { name: 'a2' } }],
])('counts a row once whose change the scan %s', async (_, rows) => {
  log.commit(startMs, { [a]: { name: 'a' } });
  log.commit(beganAt + 500, { [a]: { name: 'a2' } });
  await rebuildFrom(rows as unknown as Record<string, Row>);
  expect(await log.list({ filters: [isText('name', 'a2')] })).toMatchObject({
    total: 1,
    rows: [{ id: a, version: 2 }],
  });
  expect(await log.list({ filters: [isText('name', 'a')] })).toMatchObject({ total: 0 });
});

test('waits neither for stamps in the future, nor for a watermark in the future', async () => {
  const hourMs = 3_600_000;
  log.commit(startMs, { [a]: { name: 'a' } });
  log.commit(startMs + hourMs, { [b]: { name: 'b' } });
  await log.compact(startMs + 2 * hourMs);
  expect(await rebuildFrom({ [a]: { name: 'a' }, [b]: { name: 'b' } })).toBe(true);
  expect(log.log.manifest).toMatchObject({ watermark: beganAt - marginMs });
  expect(await log.list()).toMatchObject({ total: 2 });
});

test('a record of a restored table whose change the table does not have is not taken for late', async () => {
  log.commit(startMs, { [a]: { name: 'a' } });
  log.commit(startMs + 1, { [a]: undefined });
  await rebuildFrom({ [a]: { name: 'a' } });
  await log.compact(rebuiltAt + marginMs);
  expect(await log.ids()).toEqual([a]);
});
