import type { Mutation } from './mutation.ts';

const store = 'functions/store';
const clock = `${store}/dynamodb/clock.ts`;
const compactLog = `${store}/cascades/compact-log.ts`;
const compareWhenDue = `${store}/cascades/compare-when-due.ts`;
const compareLog = `${store}/cascades/compare-log.ts`;
const dangling = `${store}/cascades/dangling-references.ts`;

const clockTests = 'test/unit/functions/store/dynamodb/clock.test.ts';
const wrongClocks = 'test/faults/wrong-clocks.test.ts';
const jobTests = 'test/unit/functions/store/cascades/compact-log.test.ts';

/** Mutations of the rules of the corrected time, of who finds late records, and of comparisons. */
export const clockMutations: readonly Mutation[] = [
  {
    name: 'clock-not-corrected',
    description: 'the time is that of the machine',
    file: clock,
    search: 'Math.floor(reading.wall - correction)',
    replacement: 'Math.floor(reading.wall - 0 * correction)',
    detectedBy: [clockTests, wrongClocks],
  },
  {
    name: 'second-of-the-date-ignored',
    description: 'a response is taken to be made at the beginning of its second',
    file: clock,
    search: 'from: sent.wall - (date + dateUnitMs)',
    replacement: 'from: sent.wall - date',
    detectedBy: [clockTests],
  },
  {
    name: 'time-that-goes-back',
    description: 'the time of a process goes back when its clock is corrected',
    file: clock,
    search: 'Math.max(this.#last, Math.floor(reading.wall - correction))',
    replacement: 'Math.floor(reading.wall - correction)',
    detectedBy: [clockTests],
  },
  {
    name: 'jump-not-noticed',
    description: 'responses from before a jump or a suspension correct the clock after it',
    file: clock,
    search: ' && Math.abs(offsetOf(reading) - offset) <= maxUnseenMs',
    replacement: ' && Number.isFinite(offset)',
    detectedBy: [clockTests],
  },
  {
    name: 'round-trip-through-a-suspension',
    description: 'a response during whose round trip the machine was suspended corrects the clock',
    file: clock,
    search: 'if (hasJumped || isSlow || Number.isNaN(date)) return;',
    replacement: 'if (isSlow || Number.isNaN(date)) return;',
    detectedBy: [clockTests],
  },
  {
    name: 'slow-round-trip',
    description: 'a response that took so long that it proves too little corrects the clock',
    file: clock,
    search: 'if (hasJumped || isSlow || Number.isNaN(date)) return;',
    replacement: 'if (hasJumped || Number.isNaN(date)) return;',
    detectedBy: [clockTests],
  },
  {
    name: 'responses-trusted-for-ever',
    description: 'a response of an hour ago corrects the clock',
    file: clock,
    search: 'since + maxAgeMs > reading.monotonic',
    replacement: 'since > 0 && maxAgeMs < Number(reading.monotonic > 0) * Number.POSITIVE_INFINITY',
    detectedBy: [clockTests],
  },
  {
    name: 'time-before-a-response',
    description: 'a process takes the clock of its machine for right until DynamoDB responds',
    file: clock,
    search: 'if (valid.length === 0 || contradictionOf(valid) > maxClockErrorMs) return undefined;',
    replacement:
      'if (valid.length === 0) return 0;\n    if (contradictionOf(valid) > maxClockErrorMs) return undefined;',
    detectedBy: [clockTests],
  },
  {
    name: 'contradictions-believed',
    description: 'a process tells a time although responses contradict each other',
    file: clock,
    search: 'if (valid.length === 0 || contradictionOf(valid) > maxClockErrorMs) return undefined;',
    replacement: 'if (valid.length === 0) return undefined;',
    detectedBy: [clockTests],
  },
  {
    name: 'correction-beyond-the-proof',
    description: 'a right clock is corrected to the middle of what the responses permit',
    file: clock,
    search: 'const proven = clamp(0, least, greatest);',
    replacement: 'const proven = (least + greatest) / 2;',
    detectedBy: [clockTests],
  },
  {
    name: 'correction-beyond-the-bound',
    description: 'a correction leaves more undecided than the bound',
    file: clock,
    search: 'return clamp(proven, greatest - maxUndecidedMs, least + maxUndecidedMs);',
    replacement: 'return clamp(proven, least, greatest);',
    detectedBy: [clockTests],
  },
  {
    name: 'earliest-time-too-late',
    description:
      'a process takes records for settled by its own time, not by the earliest that DynamoDB can have',
    file: clock,
    search: 'Math.floor(reading.wall - Math.max(from, to)) - maxUnseenMs',
    replacement: 'Math.floor(reading.wall - Math.min(from, to))',
    detectedBy: [clockTests],
  },
  {
    name: 'ids-of-a-millisecond-in-any-order',
    description: 'ids of one millisecond are not in the order in which they are made',
    file: `${store}/model/ids.ts`,
    search: 'seq: last.seq + 1',
    replacement: 'seq: randomInteger(0, maxFirstSequence)',
    detectedBy: ['test/unit/functions/store/model/ids.test.ts'],
  },
  {
    name: 'late-record-not-reported',
    description: 'nothing looks for records that DynamoDB created later than their stamps allow',
    file: 'functions/jobs/on-log-records.ts',
    search: 'await reportLate(database, added);',
    replacement: 'await reportLate(database, added.slice(0, 0));',
    detectedBy: ['test/unit/functions/jobs/on-log-records.test.ts'],
  },
  {
    name: 'late-writer-silent',
    description:
      'a writer that notices that it was late leaves its record to the stream, which a local service does not have',
    file: `${store}/unit-of-work/commit.ts`,
    search: 'if (log && stampOf(sk) + lateAfterMs < nowMs)',
    replacement: 'if (log && stampOf(sk) - lateAfterMs > nowMs)',
    detectedBy: ['test/unit/functions/store/unit-of-work/commit.test.ts'],
  },
  {
    name: 'late-record-forgotten-early',
    description: 'a late record is forgotten while a step that has not read it may still pass it',
    file: compactLog,
    search: 'late.filter((key) => stampOf(key) > nowMs - marginMs)',
    replacement: 'late.filter((key) => stampOf(key) > nowMs + marginMs)',
    detectedBy: [jobTests],
  },
  {
    name: 'late-records-lost-by-a-request',
    description: 'a worker that looked at a log before forgets the late records that were noted meanwhile',
    file: `${store}/model/reminder.ts`,
    search: 'Math.min(reminder.dueAt - 1, nowMs)',
    replacement: 'Math.min(reminder.dueAt, nowMs)',
    detectedBy: [jobTests],
  },
  {
    name: 'lists-with-a-watermark-ahead',
    description: 'lists are read while a watermark in the future hides records',
    file: `${store}/lists/engine/read/read-state.ts`,
    search: 'if (watermark > nowMs) throw',
    replacement: 'if (watermark > nowMs + watermark) throw',
    detectedBy: [jobTests],
  },
  {
    name: 'no-comparison-at-the-end',
    description: 'a reminder is deleted without a comparison of its log after the last write',
    file: compareWhenDue,
    search: 'at < validUntil(reminder) ?',
    replacement: 'at < validUntil(reminder) - comparisonMs ?',
    detectedBy: [jobTests],
  },
  {
    name: 'rows-never-compared',
    description: 'a log that is always written is never compared with its entities',
    file: compareWhenDue,
    search: 'compared.at + comparisonMs <= nowMs',
    replacement: 'compared.at + comparisonMs <= compared.at',
    detectedBy: [jobTests],
    testNamePattern: 'comparison with the entities',
  },
  {
    name: 'late-records-that-nobody-noted',
    description: 'no look reads the records again that were committed late by a process that ended',
    file: compareWhenDue,
    search: 'const { records: suspects, isComplete } = passed;',
    replacement: 'const { records: suspects, isComplete } = { ...passed, records: [] };',
    detectedBy: [jobTests],
  },
  {
    name: 'records-of-a-stamp-compared-in-part',
    description: 'a look that does not read all records takes those of the last stamp for compared',
    file: `${store}/cascades/late-records.ts`,
    search: '(records.at(-1)?.stamp ?? 0) - 1',
    replacement: 'records.at(-1)?.stamp ?? 0',
    detectedBy: ['test/unit/functions/store/cascades/late-records.test.ts'],
  },
  {
    name: 'records-compared-too-early',
    description: 'a look takes records for compared while further ones can appear beside them',
    file: compareWhenDue,
    search: 'nowMs - maxLatenessMs',
    replacement: 'nowMs',
    detectedBy: [jobTests],
  },
  {
    name: 'sleeping-reminder',
    description:
      'a reminder that waits for the comparison of a quiet log is left there when the log is written again',
    file: `${store}/model/reminder.ts`,
    search: 'dueAt: Math.min(before.dueAt, dueAt), compared }',
    replacement: 'dueAt: before.dueAt, compared }',
    detectedBy: ['test/unit/functions/store/unit-of-work/reminders.test.ts'],
  },
  {
    name: 'left-over-rows-kept',
    description: 'a comparison does not remove the row of an entity that does not exist',
    file: compareLog,
    search: 'if (!stored && !after.has(id) && version !== undefined)',
    replacement: 'if (!stored && !after.has(id) && version !== undefined && version < 0)',
    detectedBy: [jobTests],
  },
  {
    name: 'dangling-references-kept',
    description: 'nothing removes references to an entity that does not exist',
    file: dangling,
    search: 'await this.#beginSweeps(await withoutSwept(this.#session, missing));',
    replacement: 'await withoutSwept(this.#session, missing);',
    detectedBy: [jobTests],
  },
  {
    name: 'dangling-references-of-late-rows-kept',
    description: 'a row that lists lacked keeps its references to what was deleted meanwhile',
    file: `${store}/cascades/late-records.ts`,
    search: 'await references.sweepOfLate(stored);',
    replacement: 'await references.sweepOfLate(stored.slice(0, 0));',
    detectedBy: [jobTests],
  },
  {
    name: 'sweep-before-the-late-row',
    description: 'a row that lists lacked is left to a sweep in progress, which can end before lists have it',
    file: dangling,
    search: 'await this.#beginSweeps([...(await this.#readMissing(children)).values()]);',
    replacement:
      'await this.#beginSweeps(await withoutSwept(this.#session, await this.#readMissing(children)));',
    detectedBy: [jobTests],
  },
  {
    name: 'repairs-without-a-sign',
    description: 'nobody learns that lists were wrong',
    file: `${store}/cascades/repairs.ts`,
    search: 'if (count === 0) return;',
    replacement: 'if (count >= 0) return;',
    detectedBy: [jobTests],
  },
];
