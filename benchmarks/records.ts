/**
 * `npm run bench -- records`: measures the records of the change log: bytes, and the CPU time to encode and decode them. Writes
 * `benchmarks/results/records.md`.
 */
import { randomUUID } from 'node:crypto';
import { decodeRecord, recordWrites } from '../functions/engine/model/change-log.ts';
import { type Change, kindOf } from '../functions/engine/model/changes.ts';
import type { Item } from '../functions/engine/model/writes.ts';
import { sentence, typicalChanges } from '../test/support/typical-changes.ts';
import { usualOrSmallest } from './form.ts';
import { itemBytes } from './item-bytes.ts';
import { median, publishPage, table } from './report.ts';

const records = usualOrSmallest(1_000, 20);
const rounds = usualOrSmallest(25, 2);

/** Returns the median of the microseconds that a function takes for one record. */
function microseconds(run: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const started = performance.now();
    run();
    return ((performance.now() - started) * 1_000) / records;
  });
  return median(times);
}

const nowMs = Date.now();
const tenant = randomUUID();
const actor = randomUUID();

function measure(kind: string, description: string): readonly (string | number)[] {
  const changes = Array.from({ length: records }, () => typicalChanges(nowMs, description)[kind] as Change);
  const encode = (): Item[] =>
    changes.flatMap((change, number) => {
      const positions = new Map([[kindOf(change), number + 1]]);
      return [...recordWrites(tenant, [change], { positions, time: nowMs, actor }).values()].map(
        ({ put }) => put,
      );
    });
  const items = encode();
  const bytes = items.reduce((sum, item) => sum + itemBytes(item), 0) / records;
  const decode = (): void => {
    for (const item of items) decodeRecord(item);
  };
  return [
    description ? `${kind}, with a sentence of description` : kind,
    Math.round(bytes),
    (4_096 / bytes).toFixed(1),
    microseconds(encode).toFixed(1),
    microseconds(decode).toFixed(1),
  ];
}

const kinds = Object.keys(typicalChanges(nowMs, ''));
const rows = ['', sentence].flatMap((description) => kinds.map((kind) => measure(kind, description)));
publishPage(
  'records.md',
  `Records of the change log, of one task each: 45 characters of name, a project, a user, a tag and a due date, changed three days before. The
tenant and the actor are UUIDs, as with Cognito. Bytes are those of the whole item, with keys and names of attributes. The times are medians of ${rounds} rounds of
${records.toLocaleString('en')} records in one process. Encoding includes the row of the entity.

${table(['record of one', 'bytes', 'in a read unit', 'encode, µs', 'decode, µs'], rows)}
`,
);
