import { toMutations } from './mutation.ts';

/** Mutations of the rules of the change log as a shared log. docs/list-engine.md gives the reasons. */
export const sharedLogMutations = toMutations({
  'functions/engine/model/change-log.ts': {
    'record-without-condition': [
      'a record takes the place of the filler that its readers rely on',
      'put: toItem(key, { actor, entries }, time), condition: notExists }',
      "put: toItem(key, { actor, entries }, time), condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' } }",
    ],
    'filler-without-condition': [
      'a filler takes the place of a record',
      'put: toItem(key, { entries: [] }, time),\n  condition: notExists,',
      "put: toItem(key, { entries: [] }, time),\n  condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' },",
    ],
    'position-above-the-last-entity-only': [
      'the change of an entity of a batch has a smaller position than its change before',
      'Math.max(previous.get(kind) ?? 0, change.before?.logPosition ?? 0)',
      'Math.max(0, change.before?.logPosition ?? 0)',
    ],
  },
  'functions/engine/log/positions.ts': {
    'position-below-the-previous-one': [
      "a change has a position below that of its entity's previous change",
      'if (position > previous) return',
      'if (position > 0 * previous) return',
    ],
    'lost-position-kept': [
      'a writer tries a position again that another one has filled',
      'lose(kind: Kind): void {\n    this.#held.delete(kind);',
      'lose(kind: Kind): void {\n    this.#held.get(kind);',
    ],
    'records-of-others-taken-for-fillers': [
      'nobody learns that a sequencer is behind its log',
      'if (this.#lost >= maxLost) throw',
      'if (this.#lost < 0) throw',
    ],
    'refused-request-leaves-its-hole': [
      'a request that changes nothing leaves the position that it has taken without a record',
      'async ([kind, taken]) => this.#fill(kind, await taken)',
      'async ([, taken]) => void (await taken)',
    ],
    'sequencer-behind-an-entity': [
      'a write takes one position after the other from a sequencer that is behind its log',
      'if (isTakenNow) throw new SequencerBehind',
      'if (isTakenNow && position < 0) throw new SequencerBehind',
    ],
  },
  'functions/engine/write/commit.ts': {
    'doubt-ignored': [
      'a change set whose response was lost is planned again, although it was applied',
      'if (!first || !mayBeApplied) throw error;',
      'if (!first || mayBeApplied) throw error;',
    ],
    'doubt-taken-as-applied': [
      'a request succeeds whose changes were not applied',
      'await database.putItem(filler.put, filler.condition);\n    return false;',
      'await database.putItem(filler.put, filler.condition);\n    return true;',
    ],
    'doubt-taken-as-not-applied': [
      'a request fails, or repeats its changes, although they were applied',
      'await database.transact(writes, { token });\n    return true;',
      'await database.transact(writes, { token });\n    return false;',
    ],
    'filler-taken-for-the-record': [
      'a request succeeds whose position somebody else has filled',
      'throw error;\n    return false;',
      'throw error;\n    return true;',
    ],
  },
  'functions/engine/table/database.ts': {
    'no-time-for-the-doubt': [
      'a request that waits for DynamoDB has no time left to find out what became of its changes',
      'isDecidable ? this.deadline.before(doubtReserveMs) : this.deadline',
      'isDecidable ? this.deadline.before(0 * doubtReserveMs) : this.deadline',
    ],
    'wrong-clock-writes': [
      'a process whose clock is wrong by hours writes',
      'if (Math.abs(clockErrorMs) > maxClockErrorMs) throw',
      'if (Math.abs(0 * clockErrorMs) > maxClockErrorMs) throw',
    ],
    'clock-behind-writes': [
      'a process whose clock is behind by hours writes',
      'if (Math.abs(clockErrorMs) > maxClockErrorMs) throw',
      'if (clockErrorMs > maxClockErrorMs) throw',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'list-remembers-past-a-hole': [
      'a process remembers records behind a hole, and never sees the one that appears in it',
      'const end = completeUpTo(progress);',
      'const end = progress.position;',
    ],
    'gap-filled-between-two-pages': [
      'a list that reads several pages behind a hole shows the state of no moment',
      'if (filled.length === 0) return',
      'if (filled.length >= 0) return',
    ],
    'no-list-behind-a-page': [
      'a list reads no more than a page behind a hole',
      'const maxPagesBehindGap = 4;',
      'const maxPagesBehindGap = 1;',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'list-in-two-pages': [
      'a list reads the newest records in several pages, which show the state of no moment',
      'const { items, next } = await database.query(rangeQuery(tenant, kind, range));',
      'const [items, next]: [Item[], undefined] = [[], undefined];\n      for await (const page of database.pages(rangeQuery(tenant, kind, range))) items.push(...page.items);',
    ],
    'list-of-one-page': [
      'a list has only the records of its first page',
      'isComplete: next === undefined',
      'isComplete: next === undefined || items.length > 0',
    ],
  },
  'functions/engine/columns/compact/read-input.ts': {
    'watermark-over-holes': [
      'compaction absorbs records behind a hole, and never the one that appears in it',
      'const records = filled.filter(({ position }) => position <= end);',
      'const records = filled.filter(({ position }) => position <= end + position);',
    ],
    'holes-never-filled': [
      'the position of a process that has ended stops compaction for ever',
      'missingBetween(above, last,',
      'missingBetween(above, 0 * last,',
    ],
    'fillers-never-absorbed': [
      'compaction reads the fillers of many holes again and again',
      'Math.max(1, entries.length)',
      'entries.length',
    ],
  },
  'functions/engine/columns/compact/dynamodb-compaction-storage.ts': {
    'record-taken-for-the-own-filler': [
      'compaction does not absorb a record that has appeared in a hole which it was about to fill',
      'return reader.recordsAt(positions);',
      'return positions.map((position) => ({ position, time: now(), entries: [] }));',
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-without-filling': [
      'the columns of a rebuild lack the change whose record appears in a hole after the scan',
      'await writer.fill(missingBetween(watermark, last + 1, positions, Number.POSITIVE_INFINITY));',
      'void missingBetween;',
    ],
  },
  'functions/engine/care/compact-log.ts': {
    'hole-waits-half-a-day': [
      'nobody fills a hole of a quiet log for half a day',
      'if (!look.isComplete) await lookAgain(session, kind);',
      'if (!look.isComplete) await remindBy(session, kind, now() + 43_200_000);',
    ],
    'entry-lost-for-good': [
      'the stream does not add a log to the registry that it lacks',
      'await registerLog(session, kind);',
      'void registerLog;',
    ],
  },
  'functions/engine/log/sequencer.ts': {
    'lost-sequencer-below-its-log': [
      'a sequencer that is lost begins again at 1',
      '(await readFloor(database, log)) + 1',
      '0 * (await readFloor(database, log)) + 1',
    ],
    'lost-sequencer-below-its-entry': [
      'a sequencer that is lost begins again at 1 when the records of its log and its manifest are gone',
      'Math.max(floor, ',
      'Math.max(0 * floor, ',
    ],
    'sequencer-made-by-any-update': [
      'the update of a sequencer makes it, below what its log has',
      '{ mustExist: true }',
      '{ mustExist: false }',
    ],
  },
  'functions/engine/care/visit-logs.ts': {
    'logs-never-visited': [
      'records of a quiet log expire before they are in the columns of lists, when the stream calls no function',
      'if (ageMs > maxWaitMs) await remindBy({ tenant, database }, kind, now());',
      'if (ageMs > 0 * maxWaitMs + 1e12) await remindBy({ tenant, database }, kind, now());',
    ],
    'positions-not-noted': [
      'the registry does not have the positions that logs have reached',
      'await database.raiseCount(entryKey(log), count);',
      'await database.raiseCount(entryKey(log), 0 * count);',
    ],
    'uncompacted-logs-unreported': [
      'nobody learns that compaction stands still',
      'if (ageMs <= maxPendingMs) return false;',
      'if (ageMs <= maxPendingMs + 1e12) return false;',
    ],
    'cycles-left': [
      'tasks in a cycle are below no root until an operator repairs them',
      'count > position && (await breakCycles({ tenant, database }, kind))',
      'count > position && (await breakCycles({ tenant, database }, kind.slice(0, 0)))',
    ],
    'visits-begin-again': [
      'each run of the schedule visits the same logs',
      'if (turn && turn.partition < registryPartitions) return turn;',
      'if (turn && turn.partition < 0 * registryPartitions) return turn;',
    ],
  },
  'functions/engine/columns/read/read-parents.ts': {
    'cycles-of-pending-changes-only': [
      'the daily visit finds no cycle that the columns have',
      'add(id, valueAt(column, place.row));',
      'add(id, valueAt(column, place.row)?.slice(0, 0));',
    ],
  },
  'lib/erase/erase-tenant.ts': {
    'erased-tenant-begins-again': [
      'an erasure removes sequencers and manifests, so processes show what they remember, and new writes are hidden',
      'if (log) logs.set(log.kind, log);',
      'if (log && log.kind === tableName) logs.set(log.kind, log);',
    ],
    'cursors-outlive-an-erasure': [
      'a cursor that has seen all that an erased tenant had stays valid',
      'const watermark = await takePosition(database, log);',
      'const watermark = countOf(await database.get(sequencerKey(log)));',
    ],
  },
  'functions/engine/care/reminders.ts': {
    'due-reminder-kept': [
      'a reminder suffices that is due already: the worker that has just looked deletes it',
      'before && before.dueAt > now() && before.dueAt <= dueAt',
      'before && before.dueAt <= dueAt',
    ],
    'later-reminder-kept': [
      'a reminder in half a day suffices for a log that must be looked at in seconds',
      'before && before.dueAt > now() && before.dueAt <= dueAt',
      'before && before.dueAt > now()',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'child-as-of-now': [
      'a clone or an archive takes children that came after it began',
      'for (let later = logPosition; later > position; )',
      'for (let later = logPosition; later > position + later; )',
    ],
  },
  'functions/jobs/cloud-events.ts': {
    'events-without-sequence': [
      'the sequences of events do not have the order of the changes',
      "String(position).padStart(sequenceDigits, '0')",
      "String(0 * position).padStart(sequenceDigits, '0')",
    ],
    'sequences-of-any-length': [
      'as texts, the sequences of events do not have their order',
      "String(position).padStart(sequenceDigits, '0')",
      "String(position).padStart(0 * sequenceDigits, '0')",
    ],
  },
  'lib/local/event-delivery.ts': {
    'holes-of-events-forgotten': [
      'the local service does not look again at a log with a hole',
      'if (error !== undefined || this.#placeOf(partition).holes.length > 0)',
      'if (error !== undefined)',
    ],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-from-after-the-scan': [
      'the columns of a rebuild lack what was created between the scan and its position',
      'position: positions.get(partition) ?? 0,',
      'position: Math.max(positions.get(partition) ?? 0, await fillAllHoles(openLog(open(), log.tenant, log.kind))),',
    ],
  },
  'lib/command-line/named-logs.ts': {
    'rebuild-of-all-kinds': [
      'a rebuild of one log rebuilds those of all kinds',
      'kind === undefined || one.kind === kind',
      'kind !== one.kind || one.kind === kind',
    ],
  },
  'functions/engine/entities/cycles.ts': {
    'cycle-opened-at-its-oldest-task': [
      'a repair of a cycle removes the parent of the oldest task',
      '(one.entity.id < other.entity.id ? 1 : -1)',
      '(one.entity.id < other.entity.id ? -1 : 1)',
    ],
  },
  'lib/audit/sequencers.ts': {
    'sequencers-not-compared': [
      'the audit does not find a sequencer that is behind its log',
      'if (count < log.position)',
      'if (count < 0 * log.position)',
    ],
    'entries-not-compared': [
      'the audit does not find a log that the registry lacks',
      'if (countAt(entryKey(log)) === undefined)',
      'if (countAt(sequencerKey(log)) === undefined)',
    ],
  },
  'lib/audit/snapshot.ts': {
    'sequencer-behind-the-columns': [
      'the audit does not find a sequencer that is behind the columns of its log, whose records have expired',
      'return decodeManifest(manifest).watermark;',
      'return 0 * decodeManifest(manifest).watermark;',
    ],
  },
});
