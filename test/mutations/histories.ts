import { toMutations } from './mutation.ts';

/** Mutations of the rules of histories. docs/interface.md gives the reasons. */
export const historyMutations = toMutations({
  'functions/engine/feed/list-history.ts': {
    'history-from-a-replica': [
      'a record that a replica lacks ends the history',
      '(await database.getMany(keys, false))[0] ?? (await database.getMany(keys))[0]',
      '(await database.getMany(keys, false))[0]',
    ],
    'history-of-expired-records': [
      'a record whose life is over is shown until DynamoDB deletes it',
      'if (!item || isExpiredRecord(item, now())) return undefined;',
      'if (!item) return undefined;',
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
      '(await database.getMany(keys, false))[0] ?? (await database.getMany(keys))[0]',
      '(await database.getMany(keys))[0]',
    ],
  },
  'functions/engine/feed/history-cursor.ts': {
    'cursor-of-another-history': [
      'the cursor of one entity is taken for that of another',
      'cursorHash(`${kind} ${id}`)',
      'cursorHash(`${kind.length} ${id}`)',
    ],
  },
  'functions/engine/feed/describe-change.ts': {
    'beginnings-of-texts-not-told': [
      'the beginning of a description seems to be all of it',
      '&& { isCut: true }',
      '&& {}',
    ],
  },
  'functions/engine/model/change-log.ts': {
    'setting-of-history-ignored': [
      'records live 30 days, whatever the setting says',
      'settingsInUse().historyDays() ??',
      '(settingsInUse().historyDays() && undefined) ??',
    ],
  },
});
