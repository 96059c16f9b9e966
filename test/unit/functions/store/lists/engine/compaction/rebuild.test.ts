import { rebuild } from '#functions/store/lists/engine/compaction/rebuild.ts';
import type { SegmentRow } from '#functions/store/lists/engine/compaction/row-block.ts';
import { healingIntervalMs, marginMs } from '#functions/store/model/log-timing.ts';
import type { Row } from '#functions/store/model/row.ts';
import { idOf, LogBuilder, startMs } from '#test/support/log-builder.ts';

const [a, b] = [1, 2].map(idOf) as [string, string];

/** The scan begins after the margin of all records that tests commit before it, and takes a second. */
const beganAt = startMs + 2 * marginMs;
const endedAt = beganAt + 1_000;
const rebuiltAt = endedAt + marginMs;

let log: LogBuilder;

beforeEach(() => {
  log = new LogBuilder();
});

/** Rebuilds the log from entities of the first version. */
function rebuildFrom(rows: Readonly<Record<string, Row>>, nowMs = rebuiltAt): Promise<boolean> {
  const scanned = Object.entries(rows).map(([id, values]): [string, SegmentRow] => [
    id,
    { id, version: 1, values },
  ]);
  return rebuild(log.log.open(), { rows: new Map(scanned), beganAt, endedAt }, nowMs);
}

/** Takes a step that looks for late records, and absorbs nothing else. */
const heal = () => log.compact(rebuiltAt + healingIntervalMs);

test('writes the rows of the entities', async () => {
  expect(await rebuildFrom({ [a]: { name: 'a' }, [b]: { name: 'b' } })).toBe(true);
  expect(await log.ids()).toEqual([a, b]);
  expect(log.log.manifest).toMatchObject({ version: 1, watermark: endedAt });
});

test('is refused when the scan ended less than the margin ago', async () => {
  await expect(rebuildFrom({}, rebuiltAt - 1)).rejects.toThrow(RangeError);
});

test('takes changes that the scan may have missed from the log', async () => {
  log.commit(startMs, { [a]: { name: 'a' } });
  log.commit(beganAt + 500, { [a]: undefined, [b]: { name: 'b' } });
  await rebuildFrom({ [a]: { name: 'a' } });
  expect(await log.ids()).toEqual([b]);
});

describe('after it, a record from before the scan', () => {
  test('is not taken for late when the table has the entity that it deletes', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    log.commit(startMs + 1, { [a]: undefined });
    await rebuildFrom({ [a]: { name: 'a' } });
    await heal();
    expect(await log.ids()).toEqual([a]);
  });

  test('is not taken for late when the table does not have the entity that it creates', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await rebuildFrom({});
    await heal();
    expect(await log.ids()).toEqual([]);
  });

  test('is not taken for late by steps after the next one either', async () => {
    log.commit(startMs, { [a]: { name: 'a' } });
    await rebuildFrom({});
    log.commit(rebuiltAt, { [b]: { name: 'b' } });
    for (let step = 1; step <= 3; step += 1) await log.compact(rebuiltAt + step * healingIntervalMs);
    expect(await log.ids()).toEqual([b]);
  });
});

test('a record that becomes visible after it, with a stamp within the scan, is late', async () => {
  await rebuildFrom({});
  log.log.records.push(log.build(beganAt + 500, { [a]: { name: 'a' } }));
  await heal();
  expect(await log.ids()).toEqual([a]);
});
