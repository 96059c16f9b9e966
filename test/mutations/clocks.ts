import { toMutations } from './mutation.ts';

/** Mutations of the rules of the corrected time, of who finds late records, and of comparisons. */
export const clockMutations = toMutations({
  'functions/store/dynamodb/clock.ts': {
    'clock-not-corrected': [
      'the time is that of the machine',
      'Math.floor(reading.wall - correction)',
      'Math.floor(reading.wall - 0 * correction)',
    ],
    'second-of-the-date-ignored': [
      'a response is taken to be made at the beginning of its second',
      'from: sent.wall - (date + dateUnitMs)',
      'from: sent.wall - date',
    ],
    'time-that-goes-back': [
      'the time of a process goes back when its clock is corrected',
      'Math.max(this.#last, Math.floor(reading.wall - correction))',
      'Math.floor(reading.wall - correction)',
    ],
    'jump-not-noticed': [
      'responses from before a jump or a suspension correct the clock after it',
      ' && Math.abs(offsetOf(reading) - offset) <= maxUnseenMs',
      ' && Number.isFinite(offset)',
    ],
    'round-trip-through-a-suspension': [
      'a response during whose round trip the machine was suspended corrects the clock',
      'if (hasJumped || isSlow || Number.isNaN(date)) return;',
      'if (isSlow || Number.isNaN(date)) return;',
    ],
    'slow-round-trip': [
      'a response that took so long that it proves too little corrects the clock',
      'if (hasJumped || isSlow || Number.isNaN(date)) return;',
      'if (hasJumped || Number.isNaN(date)) return;',
    ],
    'responses-trusted-for-ever': [
      'a response of an hour ago corrects the clock',
      'since + maxAgeMs > reading.monotonic',
      'since > 0 && maxAgeMs < Number(reading.monotonic > 0) * Number.POSITIVE_INFINITY',
    ],
    'time-before-a-response': [
      'a process takes the clock of its machine for right until DynamoDB responds',
      'if (valid.length === 0 || contradictionOf(valid) > maxClockErrorMs) return undefined;',
      'if (valid.length === 0) return 0;\n    if (contradictionOf(valid) > maxClockErrorMs) return undefined;',
    ],
    'contradictions-believed': [
      'a process tells a time although responses contradict each other',
      'if (valid.length === 0 || contradictionOf(valid) > maxClockErrorMs) return undefined;',
      'if (valid.length === 0) return undefined;',
    ],
    'correction-beyond-the-proof': [
      'a right clock is corrected to the middle of what the responses permit',
      'const proven = clamp(0, least, greatest);',
      'const proven = (least + greatest) / 2;',
    ],
    'correction-beyond-the-bound': [
      'a correction leaves more undecided than the bound',
      'return clamp(proven, greatest - maxUndecidedMs, least + maxUndecidedMs);',
      'return clamp(proven, least, greatest);',
    ],
    'earliest-time-too-late': [
      'a process takes records for settled by its own time, not by the earliest that DynamoDB can have',
      'Math.floor(reading.wall - Math.max(from, to)) - maxUnseenMs',
      'Math.floor(reading.wall - Math.min(from, to))',
    ],
  },
  'functions/store/model/ids.ts': {
    'ids-of-a-millisecond-in-any-order': [
      'ids of one millisecond are not in the order in which they are made',
      'seq: last.seq + 1',
      'seq: randomInteger(0, maxFirstSequence)',
    ],
  },
  'functions/jobs/on-log-records.ts': {
    'late-record-not-reported': [
      'nothing looks for records that DynamoDB created later than their stamps allow',
      'await reportLate(database, added);',
      'await reportLate(database, added.slice(0, 0));',
    ],
  },
  'functions/store/unit-of-work/commit.ts': {
    'late-writer-silent': [
      'a writer that notices that it was late leaves its record to the stream, which a local service does not have',
      'if (log && stampOf(sk) + lateAfterMs < nowMs)',
      'if (log && stampOf(sk) - lateAfterMs > nowMs)',
    ],
  },
  'functions/store/cascades/compact-log.ts': {
    'late-record-forgotten-early': [
      'a late record is forgotten while a step that has not read it may still pass it',
      'late.filter((key) => stampOf(key) > nowMs - marginMs)',
      'late.filter((key) => stampOf(key) > nowMs + marginMs)',
    ],
  },
  'functions/store/model/reminder.ts': {
    'late-records-lost-by-a-request': [
      'a worker that looked at a log before forgets the late records that were noted meanwhile',
      'Math.min(reminder.dueAt - 1, nowMs)',
      'Math.min(reminder.dueAt, nowMs)',
    ],
    'sleeping-reminder': [
      'a reminder that waits for the comparison of a quiet log is left there when the log is written again',
      'dueAt: Math.min(before.dueAt, dueAt), compared }',
      'dueAt: before.dueAt, compared }',
    ],
  },
  'functions/store/lists/engine/read/read-state.ts': {
    'lists-with-a-watermark-ahead': [
      'lists are read while a watermark in the future hides records',
      'if (watermark > nowMs) throw',
      'if (watermark > nowMs + watermark) throw',
    ],
  },
  'functions/store/cascades/compare-when-due.ts': {
    'no-comparison-at-the-end': [
      'a reminder is deleted without a comparison of its log after the last write',
      'at < validUntil(reminder) ?',
      'at < validUntil(reminder) - comparisonMs ?',
    ],
    'rows-never-compared': [
      'a log that is always written is never compared with its entities',
      'compared.at + comparisonMs <= nowMs',
      'compared.at + comparisonMs <= compared.at',
    ],
    'late-records-that-nobody-noted': [
      'no look reads the records again that were committed late by a process that ended',
      'const { records: suspects, isComplete } = passed;',
      'const { records: suspects, isComplete } = { ...passed, records: [] };',
    ],
    'records-compared-too-early': [
      'a look takes records for compared while further ones can appear beside them',
      'nowMs - maxLatenessMs',
      'nowMs',
    ],
  },
  'functions/store/cascades/late-records.ts': {
    'records-of-a-stamp-compared-in-part': [
      'a look that does not read all records takes those of the last stamp for compared',
      '(records.at(-1)?.stamp ?? 0) - 1',
      'records.at(-1)?.stamp ?? 0',
    ],
    'dangling-references-of-late-rows-kept': [
      'a row that lists lacked keeps its references to what was deleted meanwhile',
      'await references.sweepOfLate(stored);',
      'await references.sweepOfLate(stored.slice(0, 0));',
    ],
  },
  'functions/store/cascades/compare-log.ts': {
    'left-over-rows-kept': [
      'a comparison does not remove the row of an entity that does not exist',
      'if (!stored && !after.has(id) && version !== undefined)',
      'if (!stored && !after.has(id) && version !== undefined && version < 0)',
    ],
  },
  'functions/store/cascades/dangling-references.ts': {
    'dangling-references-kept': [
      'nothing removes references to an entity that does not exist',
      'await this.#beginSweeps(await withoutSwept(this.#session, missing));',
      'await withoutSwept(this.#session, missing);',
    ],
    'sweep-before-the-late-row': [
      'a row that lists lacked is left to a sweep in progress, which can end before lists have it',
      'await this.#beginSweeps([...(await this.#readMissing(children)).values()]);',
      'await this.#beginSweeps(await withoutSwept(this.#session, await this.#readMissing(children)));',
    ],
  },
  'functions/store/cascades/repairs.ts': {
    'repairs-without-a-sign': [
      'nobody learns that lists were wrong',
      'if (count === 0) return;',
      'if (count >= 0) return;',
    ],
  },
});
