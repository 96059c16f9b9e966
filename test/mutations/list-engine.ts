import type { Mutation } from './mutation.ts';

const model = 'functions/shared/store/model';
const engine = 'functions/shared/store/lists/engine';
const tests = `test/unit/${engine}`;
const simulation = 'test/simulation/list-engine.test.ts';

/** Histories whose lists must be right all the time. */
const allowed = 'every list of the histories 1 to 25 is right';

/** Histories with late commits, whose lists must be right at the end. */
const late = 'the lists at the end of the histories 1 to 25 are right';

/** Mutations of the rules of the list engine. docs/list-engine.md gives the reasons of the rules. */
export const listEngineMutations: readonly Mutation[] = [
  {
    name: 'stamps-that-do-not-grow',
    description: "the stamp of a change can be before that of the entity's last change",
    file: `${model}/change-log.ts`,
    search: 'changes.reduce((stamp, { before }) => Math.max(stamp, (before?.stamp ?? 0) + 1), nowMs)',
    replacement: 'changes.reduce((stamp) => stamp, nowMs)',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'margin-without-clock-skew',
    description: 'compaction takes records for settled that can still appear below the watermark',
    file: `${model}/log-timing.ts`,
    search: 'maxCommitMs + 2 * maxClockSkewMs',
    replacement: 'maxCommitMs + 0 * maxClockSkewMs',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'no-healing',
    description: 'compaction does not absorb records that appeared below the watermark',
    file: `${engine}/compaction/compact.ts`,
    search: 'nowMs >= healedAt + healingIntervalMs',
    replacement: 'nowMs < healedAt - healingIntervalMs',
    detectedBy: [simulation],
    testNamePattern: late,
  },
  {
    name: 'healing-of-whole-records',
    description:
      'healing absorbs an old change of an entity again, without the later ones that were absorbed',
    file: `${engine}/compaction/locate.ts`,
    search: 'entries: record.entries.filter(({ id }) => late.has(id))',
    replacement: 'entries: record.entries.some(({ id }) => late.has(id)) ? record.entries : []',
    detectedBy: [`${tests}/compaction/compact.test.ts`],
  },
  {
    name: 'watermark-that-moves-back',
    description: 'a compaction whose clock is behind moves the watermark back',
    file: `${engine}/compaction/compact.ts`,
    search: 'Math.max(watermark, reached)',
    replacement: 'Math.min(upTo, reached)',
    detectedBy: [`${tests}/compaction/compact.test.ts`],
  },
  {
    name: 'merge-by-arrival',
    description: 'of several changes of an entity, the last one that was read decides its row',
    file: `${engine}/row-change.ts`,
    search: 'version > merged.to',
    replacement: 'version > 0',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'row-before-by-arrival',
    description:
      'of several changes of an entity, the last one that was read decides what its row was before',
    file: `${engine}/row-change.ts`,
    search: 'version <= merged.from',
    replacement: 'version > 0',
    detectedBy: [`${tests}/row-change.test.ts`],
  },
  {
    name: 'gap-in-the-log',
    description: 'a list does not notice that an earlier record is missing',
    file: `${engine}/read-state.ts`,
    search: 'if (previousStamp > watermark) throw',
    replacement: 'if (previousStamp > watermark + previousStamp) throw',
    detectedBy: [`${tests}/read-state.test.ts`],
  },
  {
    name: 'records-of-the-known-watermark',
    description:
      'a list counts records again that compaction has absorbed since the process knows the watermark',
    file: `${engine}/read-state.ts`,
    search: '.filter(({ stamp }) => stamp > watermark)',
    replacement: '.filter(({ stamp }) => stamp > 0)',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'records-below-the-guess',
    description: 'a process that does not know the watermark misses records below the usual one',
    file: `${engine}/read-state.ts`,
    search: 'watermark < above ? await reader.readRecords(watermark, above) : []',
    replacement: 'watermark > above ? await reader.readRecords(watermark, above) : []',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'log-read-upwards',
    description: 'a list reads earlier records before later ones, and the manifest last',
    file: `${engine}/table-log.ts`,
    search: 'last: manifestSortKey,\n        isAscending: false,',
    replacement: 'last: manifestSortKey,\n        isAscending: true,',
    detectedBy: [`${tests}/storage.test.ts`],
  },
  {
    name: 'log-not-read-consistently',
    description: 'a list can miss records that were committed before it',
    file: `${engine}/table-log.ts`,
    search: 'ConsistentRead: true,',
    replacement: 'ConsistentRead: false,',
    detectedBy: [`${tests}/table-log.test.ts`],
  },
  {
    name: 'manifest-without-condition',
    description: 'of two compactions that take the same step, both write their manifest',
    file: `${engine}/table-log.ts`,
    search: '          condition,\n        );',
    replacement: '          condition && undefined,\n        );',
    detectedBy: [`${tests}/storage.test.ts`],
  },
  {
    name: 'changed-row-in-both-places',
    description: 'a changed row stays at its old place',
    file: `${engine}/list-rows.ts`,
    search: 'add(change, change.before, -1);',
    replacement: '',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'run-over-a-newer-column',
    description: 'the values of a run replace those of a column that was written after it',
    file: `${engine}/run.ts`,
    search: "sequenceOf(snapshot) > sequenceOf(columns[field] ?? '0')",
    replacement: "sequenceOf(snapshot) >= sequenceOf(columns[field] ?? '0') * 0",
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'names-used-again',
    description: 'two compactions that take the same step write the same items',
    file: `${engine}/manifest.ts`,
    search: "randomBytes(3).toString('hex')",
    replacement: "randomBytes(0).toString('hex')",
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'step-recorded-after-its-items',
    description: 'nothing deletes the items of a compaction that crashed',
    file: `${engine}/compaction/compact.ts`,
    search:
      '  await recordStep(writer, next, step.snapshotId, { beganAt: nowMs, names });\n  await writer.putItems(step.items);\n',
    replacement:
      '  await writer.putItems(step.items);\n  await recordStep(writer, next, step.snapshotId, { beganAt: nowMs, names });\n',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'lost-race-ignored',
    description: 'a compaction whose manifest was not written goes on as if it were',
    file: `${engine}/compaction/compact.ts`,
    search: 'if (!(await writer.replaceManifest(next))) return undefined;',
    replacement: 'await writer.replaceManifest(next);',
    detectedBy: [`${tests}/compaction/compact.test.ts`],
  },
  {
    name: 'items-deleted-at-once',
    description: 'compaction deletes items that lists still read',
    file: `${engine}/compaction/steps.ts`,
    search: 'if (beganAt + garbageMs > nowMs) return;',
    replacement: 'if (beganAt - garbageMs > nowMs) return;',
    detectedBy: [`${tests}/compaction/steps.test.ts`],
  },
  {
    name: 'live-items-deleted',
    description: 'compaction deletes items of old steps that the manifest refers to',
    file: `${engine}/compaction/steps.ts`,
    search: 'names.filter((one) => !isLive.has(one))',
    replacement: "names.filter((one) => isLive.has(one) || one !== '/')",
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'missing-item-is-empty',
    description: 'a list takes an item that was deleted for empty',
    file: `${engine}/snapshot.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text of the file.
    search: 'throw new StaleRead(`the item ${name} is gone`);',
    replacement: 'this.#items.set(name, buildColumn([]));',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
  {
    name: 'missing-item-not-read-again',
    description: 'a list starts again when a replica does not have an item yet',
    file: `${engine}/snapshot.ts`,
    search: 'if (missing.size > 0) this.#keep(missing, await this.#reader.readItems([...missing], true));',
    replacement: '',
    detectedBy: [`${tests}/snapshot.test.ts`],
  },
  {
    name: 'recent-row-from-a-replica',
    description: 'the entities of recently changed rows are not read consistently',
    file: `${engine}/list-rows.ts`,
    search: 'return { id, version: recent.to, isRecent: true };',
    replacement: 'return { id, version: recent.to, isRecent: false };',
    detectedBy: [`${tests}/list-rows.test.ts`],
  },
  {
    name: 'small-log-compacted',
    description: 'compaction writes columns for a few records',
    file: `${engine}/compaction/compact.ts`,
    search: 'records.length >= (version === 0 ? minFirstRecords : minRecords)',
    replacement: 'records.length >= Math.min(version, minFirstRecords, minRecords)',
    detectedBy: [`${tests}/compaction/compact.test.ts`],
  },
  {
    name: 'records-after-a-full-read',
    description: 'the watermark passes records that a step has not read',
    file: `${engine}/compaction/compact.ts`,
    search: 'reached: last.stamp - 1',
    replacement: 'reached: last.stamp',
    detectedBy: [`${tests}/compaction/compact.test.ts`],
  },
  {
    name: 'new-field-lost',
    description: 'a segment that is written again loses the values of a field that is newer than the segment',
    file: `${engine}/compaction/compact.ts`,
    search: 'Object.keys({ ...columns, ...patched })',
    replacement: 'Object.keys({ ...patched, ...columns }).filter((field) => field in columns)',
    detectedBy: [simulation],
    testNamePattern: allowed,
  },
];
