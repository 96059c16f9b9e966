import { toMutations } from './mutation.ts';

/** Mutations of the rules of the change log as a shared log. docs/list-engine.md gives the reasons. */
export const sharedLogMutations = toMutations({
  'functions/engine/log/progress.ts': {
    'hole-above-the-position': ['hole < (left[place + 1] ?? last)', 'hole < (left[place + 1] ?? Infinity)'],
  },
  'functions/engine/model/change-log.ts': {
    'record-without-condition': [
      'put: toItem(key, contents, time), condition: notExists }',
      "put: toItem(key, contents, time), condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' } }",
    ],
    'filler-without-condition': [
      'put: toItem(key, { entries: [] }, time),\n  condition: notExists,',
      "put: toItem(key, { entries: [] }, time),\n  condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' },",
    ],
    'position-above-the-last-entity-only': [
      'Math.max(...positionsOf(own))',
      'Math.max(...positionsOf(own.slice(-1)))',
    ],
  },
  'functions/engine/log/positions.ts': {
    'position-below-the-previous-one': [
      'if (position > previous) return',
      'if (position > 0 * previous) return',
    ],
    'lost-position-kept': [
      'lose(kind: Kind): void {\n    this.#held.delete(kind);',
      'lose(kind: Kind): void {\n    this.#held.get(kind);',
    ],
    'records-of-others-taken-for-fillers': ['if (this.#lost >= maxLost) throw', 'if (this.#lost < 0) throw'],
    'refused-request-leaves-its-hole': [
      'async ([kind, taken]) => this.#fill(kind, await taken)',
      'async ([, taken]) => void (await taken)',
    ],
    'sequencer-behind-an-entity': [
      'if (isTakenNow) throw new SequencerBehind',
      'if (isTakenNow && position < 0) throw new SequencerBehind',
    ],
  },
  'functions/engine/write/commit.ts': {
    'doubt-ignored': [
      'if (!first || !mayBeApplied) throw error;',
      'if (!first || mayBeApplied) throw error;',
    ],
    'doubt-taken-as-applied': [
      'putItem(filler.put, filler.condition))) return false;',
      'putItem(filler.put, filler.condition))) return true;',
    ],
    'doubt-taken-as-not-applied': [
      'return conditionHolds(database.transact(writes, { token }));',
      'return conditionHolds(database.transact(writes, { token })).then((isOwn) => isOwn && false);',
    ],
    'filler-taken-for-the-record': [
      'return conditionHolds(database.transact(writes, { token }));',
      'return conditionHolds(database.transact(writes, { token })).then((isOwn) => isOwn || true);',
    ],
  },
  'functions/engine/table/database.ts': {
    'no-time-for-the-doubt': [
      'isDecidable ? this.deadline.before(doubtReserveMs) : this.deadline',
      'isDecidable ? this.deadline.before(0 * doubtReserveMs) : this.deadline',
    ],
    'wrong-clock-writes': [
      'if (Math.abs(clockErrorMs) > maxClockErrorMs) throw',
      'if (Math.abs(0 * clockErrorMs) > maxClockErrorMs) throw',
    ],
    'clock-behind-writes': [
      'if (Math.abs(clockErrorMs) > maxClockErrorMs) throw',
      'if (clockErrorMs > maxClockErrorMs) throw',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'list-remembers-past-a-hole': ['const end = completeUpTo(progress);', 'const end = progress.position;'],
    'gap-filled-between-two-pages': ['if (filled.length === 0) return', 'if (filled.length >= 0) return'],
    'no-list-behind-a-page': ['const maxPagesBehindGap = 4;', 'const maxPagesBehindGap = 1;'],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'list-in-two-pages': [
      'const { items, next } = await database.query({ ...upToManifest, ScanIndexForward: false });',
      'const [items, next]: [Item[], undefined] = [[], undefined];\n      for await (const page of database.pages({ ...upToManifest, ScanIndexForward: false })) items.push(...page.items);',
    ],
    'list-of-one-page': [
      'isComplete: next === undefined',
      'isComplete: next === undefined || items.length > 0',
    ],
  },
  'functions/engine/columns/compact/read-input.ts': {
    'watermark-over-holes': [
      'const records = filled.filter(({ position }) => position <= end);',
      'const records = filled.filter(({ position }) => position <= end + position);',
    ],
    'holes-never-filled': ['missingBetween(above, last,', 'missingBetween(above, 0 * last,'],
    'fillers-never-absorbed': ['Math.max(1, entries.length)', 'entries.length'],
  },
  'functions/engine/columns/compact/dynamodb-compaction-storage.ts': {
    'record-taken-for-the-own-filler': [
      'return reader.recordsAt(positions);',
      'return positions.map((position) => ({ position, time: now(), entries: [] }));',
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-without-filling': [
      'await writer.fill(missingBetween(watermark, last + 1, positions, Number.POSITIVE_INFINITY));',
      'void missingBetween;',
    ],
  },
  'functions/engine/due-work/compact-log.ts': {
    'hole-waits-half-a-day': [
      'if (!look.isComplete) await lookAgain(session, kind);',
      'if (!look.isComplete) await remindBy(session, kind, now() + 43_200_000);',
    ],
    'entry-lost-for-good': ['await registerLog(session, kind);', 'void registerLog;'],
  },
  'functions/engine/log/sequencer.ts': {
    'lost-sequencer-below-its-log': [
      '(await readFloor(database, log)) + 1',
      '0 * (await readFloor(database, log)) + 1',
    ],
    'lost-sequencer-below-its-entry': ['Math.max(floor, ', 'Math.max(0 * floor, '],
    'sequencer-made-by-any-update': ['{ mustExist: true }', '{ mustExist: false }'],
  },
  'functions/engine/due-work/visit-logs.ts': {
    'logs-never-visited': [
      'if (ageMs > maxWaitMs) await remindBy({ tenant, database }, kind, now());',
      'if (ageMs > 0 * maxWaitMs + 1e12) await remindBy({ tenant, database }, kind, now());',
    ],
    'positions-not-noted': [
      'await database.raiseCount(entryKey(log), seen);',
      'await database.raiseCount(entryKey(log), 0 * seen);',
    ],
    'uncompacted-logs-unreported': [
      'if (ageMs <= maxPendingMs) return false;',
      'if (ageMs <= maxPendingMs + 1e12) return false;',
    ],
    'cycles-left': [
      'tree ? await breakCycles({ tenant, database }, tree) : count',
      'tree && count < 0 ? await breakCycles({ tenant, database }, tree) : count',
    ],
    'visits-begin-again': [
      'if (turn && turn.partition < registryPartitions) return turn;',
      'if (turn && turn.partition < 0 * registryPartitions) return turn;',
    ],
  },
  'functions/engine/columns/read/read-parents.ts': {
    'cycles-of-pending-changes-only': [
      'add(id, valueAt(column, place.row));',
      'add(id, valueAt(column, place.row)?.slice(0, 0));',
    ],
  },
  'lib/erase/erase-tenant.ts': {
    'erased-tenant-begins-again': [
      'if (log) logs.set(log.kind, log);',
      'if (log && log.kind === tableName) logs.set(log.kind, log);',
    ],
    'cursors-outlive-an-erasure': [
      'const watermark = await takePosition(database, log);',
      'const watermark = countOf(await database.get(sequencerKey(log)));',
    ],
  },
  'functions/engine/due-work/reminders.ts': {
    'due-reminder-kept': [
      'before && before.dueAt > now() && before.dueAt <= dueAt',
      'before && before.dueAt <= dueAt',
    ],
    'later-reminder-kept': [
      'before && before.dueAt > now() && before.dueAt <= dueAt',
      'before && before.dueAt > now()',
    ],
  },
  'functions/engine/feed/children-as-of.ts': {
    'child-as-of-now': [
      'for (let later = logPosition; later > position; )',
      'for (let later = logPosition; later > position + later; )',
    ],
  },
  'functions/jobs/cloud-events.ts': {
    'events-without-sequence': [
      "String(position).padStart(sequenceDigits, '0')",
      "String(0 * position).padStart(sequenceDigits, '0')",
    ],
    'sequences-of-any-length': [
      "String(position).padStart(sequenceDigits, '0')",
      "String(position).padStart(0 * sequenceDigits, '0')",
    ],
  },
  'lib/local/event-delivery.ts': {
    'holes-of-events-forgotten': [
      'if (error !== undefined || this.#placeOf(partition).holes.length > 0)',
      'if (error !== undefined)',
    ],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-from-after-the-scan': [
      'position: positions.get(partition) ?? 0,',
      'position: Math.max(positions.get(partition) ?? 0, await fillAllHoles(openLog(open(), log.tenant, log.kind))),',
    ],
  },
  'lib/command-line/named-logs.ts': {
    'rebuild-of-all-kinds': [
      'kind === undefined || one.kind === kind',
      'kind !== one.kind || one.kind === kind',
    ],
  },
  'functions/engine/entities/cycles.ts': {
    'cycle-opened-at-its-oldest-task': [
      '(one.entity.id < other.entity.id ? 1 : -1)',
      '(one.entity.id < other.entity.id ? -1 : 1)',
    ],
  },
  'lib/audit/sequencers.ts': {
    'sequencers-not-compared': ['if (count < log.position)', 'if (count < 0 * log.position)'],
    'entries-not-compared': [
      'if (countAt(entryKey(log)) === undefined)',
      'if (countAt(sequencerKey(log)) === undefined)',
    ],
  },
  'lib/audit/snapshot.ts': {
    'sequencer-behind-the-columns': [
      'return decodeManifest(manifest).watermark;',
      'return 0 * decodeManifest(manifest).watermark;',
    ],
  },
});
