import { toMutations } from './mutation.ts';

/** Mutations of the rules of histories. docs/interface.md gives the reasons. */
export const historyMutations = toMutations({
  'functions/store/entities/list-history.ts': {
    'history-from-a-replica': [
      'a record that a replica lacks ends the history',
      '(await findEntryOnce(session, name, stamp, true))',
      '(await findEntryOnce(session, name, stamp, false))',
    ],
    'history-of-expired-records': [
      'a record whose life is over is shown until DynamoDB deletes it',
      'if (isExpiredRecord(item, nowMs)) continue;',
      '',
    ],
    'history-of-the-first-record': [
      'only the first of several records with one stamp is read',
      'if (entry) return { stamp, actor, entry };',
      'return entry && { stamp, actor, entry };',
    ],
    'history-without-a-bound': [
      'a page with the records of large batches has no bound',
      ' || consumption.readUnits >= maxUnits',
      '',
    ],
    'incomplete-history-not-told': [
      'a history whose records have expired seems complete',
      'return { entries, isComplete: false }',
      'return { entries, isComplete: true }',
    ],
    'history-of-consistent-reads': [
      'each change costs a whole read unit',
      '(await findEntryOnce(session, name, stamp, false)) ??',
      '',
    ],
  },
  'functions/store/entities/history-cursor.ts': {
    'cursor-of-another-history': [
      'the cursor of one entity is taken for that of another',
      'hashOf(name).compare(bytes, 1, 1 + hashBytes) !== 0',
      'hashOf(name).compare(bytes, 1, 1 + hashBytes) > 1',
    ],
  },
  'functions/store/lists/changes/describe-change.ts': {
    'beginnings-of-texts-not-told': [
      'the beginning of a description seems to be all of it',
      '&& { isCut: true }',
      '&& {}',
    ],
  },
  'functions/store/lists/engine/newest-stamps.ts': {
    'one-life-of-records': [
      'a cursor is taken for as old as records of the usual life, whatever the setting was',
      'nowMs - recordLifeMs(days)',
      'nowMs - recordLifeMs(days * 0 + defaultHistoryDays)',
    ],
    'lives-of-records-forgotten': [
      'when the setting changes, the manifest forgets the records of the life before',
      'otherDays < days && other >= stamp',
      'otherDays !== days && other >= stamp',
    ],
  },
  'functions/store/unit-of-work/commit.ts': {
    'setting-of-history-ignored': [
      'records live 30 days, whatever the setting says',
      'historyDays: environment.historyDays()',
      'historyDays: environment.historyDays() && undefined',
    ],
  },
  'functions/store/lists/changes/list-changes.ts': {
    'expired-records-on-a-full-page': [
      'a page that has not all of the log does not look for expired records',
      'log.hasMore ? isOld &&',
      'log.hasMore ? !isOld &&',
    ],
  },
});
