import type { Mutation } from './mutation.ts';

const file = 'functions/store/entities/list-history.ts';
const unit = 'test/unit/functions/store/entities/list-history.test.ts';

/** Mutations of the rules of histories. docs/interface.md gives the reasons. */
export const historyMutations: readonly Mutation[] = [
  {
    name: 'history-from-a-replica',
    description: 'a record that a replica lacks ends the history',
    file,
    search: '(await findEntryOnce(session, name, stamp, true))',
    replacement: '(await findEntryOnce(session, name, stamp, false))',
    detectedBy: ['test/faults/lagging-reads.test.ts'],
  },
  {
    name: 'history-of-expired-records',
    description: 'a record whose life is over is shown until DynamoDB deletes it',
    file,
    search: 'if (isExpiredRecord(item, nowMs)) continue;',
    replacement: '',
    detectedBy: [unit],
  },
  {
    name: 'history-of-the-first-record',
    description: 'only the first of several records with one stamp is read',
    file,
    search: 'if (entry) return { stamp, actor, entry };',
    replacement: 'return entry && { stamp, actor, entry };',
    detectedBy: [unit],
  },
  {
    name: 'history-without-a-bound',
    description: 'a page with the records of large batches has no bound',
    file,
    search: ' || consumption.readUnits >= maxUnits',
    replacement: '',
    detectedBy: [unit],
  },
  {
    name: 'incomplete-history-not-told',
    description: 'a history whose records have expired seems complete',
    file,
    search: 'return { entries, isComplete: false }',
    replacement: 'return { entries, isComplete: true }',
    detectedBy: [unit],
  },
  {
    name: 'history-of-consistent-reads',
    description: 'each change costs a whole read unit',
    file,
    search: '(await findEntryOnce(session, name, stamp, false)) ??',
    replacement: '',
    detectedBy: [unit],
  },
  {
    name: 'cursor-of-another-history',
    description: 'the cursor of one entity is taken for that of another',
    file: 'functions/store/entities/history-cursor.ts',
    search: 'hashOf(name).compare(bytes, 1, 1 + hashBytes) !== 0',
    replacement: 'hashOf(name).compare(bytes, 1, 1 + hashBytes) > 1',
    detectedBy: ['test/unit/functions/store/entities/history-cursor.test.ts'],
  },
  {
    name: 'beginnings-of-texts-not-told',
    description: 'the beginning of a description seems to be all of it',
    file: 'functions/store/lists/changes/describe-change.ts',
    search: '&& { isCut: true }',
    replacement: '&& {}',
    detectedBy: ['test/contract/history.test.ts'],
  },
  {
    name: 'one-life-of-records',
    description: 'a cursor is taken for as old as records of the usual life, whatever the setting was',
    file: 'functions/store/lists/engine/newest-stamps.ts',
    search: 'nowMs - recordLifeMs(days)',
    replacement: 'nowMs - recordLifeMs(days * 0 + defaultHistoryDays)',
    detectedBy: ['test/unit/functions/store/lists/changes/list-changes.test.ts'],
  },
  {
    name: 'lives-of-records-forgotten',
    description: 'when the setting changes, the manifest forgets the records of the life before',
    file: 'functions/store/lists/engine/newest-stamps.ts',
    search: 'otherDays < days && other >= stamp',
    replacement: 'otherDays !== days && other >= stamp',
    detectedBy: ['test/unit/functions/store/lists/engine/newest-stamps.test.ts'],
  },
  {
    name: 'setting-of-history-ignored',
    description: 'records live 30 days, whatever the setting says',
    file: 'functions/store/unit-of-work/commit.ts',
    search: 'historyDays: environment.historyDays()',
    replacement: 'historyDays: environment.historyDays() && undefined',
    detectedBy: ['test/unit/functions/store/lists/changes/list-changes.test.ts'],
  },
  {
    name: 'expired-records-on-a-full-page',
    description: 'a page that has not all of the log does not look for expired records',
    file: 'functions/store/lists/changes/list-changes.ts',
    search: 'log.hasMore ? isOld &&',
    replacement: 'log.hasMore ? !isOld &&',
    detectedBy: ['test/unit/functions/store/lists/changes/list-changes.test.ts'],
  },
];
