import { toMutations } from './mutation.ts';

/** Mutations of the rules of histories. docs/interface.md gives the reasons. */
export const historyMutations = toMutations({
  'functions/engine/feed/list-history.ts': {
    'history-from-a-replica': [
      '(await database.getMany(keys, false))[0] ?? (await database.getMany(keys))[0]',
      '(await database.getMany(keys, false))[0]',
    ],
    'history-of-expired-records': [
      'if (!item || isExpiredRecord(item, now())) return undefined;',
      'if (!item) return undefined;',
    ],
    'history-without-a-bound': [' || consumption.readUnits >= maxUnits', ''],
    'incomplete-history-not-told': [
      'return { entries, isComplete: false }',
      'return { entries, isComplete: true }',
    ],
    'history-of-consistent-reads': [
      '(await database.getMany(keys, false))[0] ?? (await database.getMany(keys))[0]',
      '(await database.getMany(keys))[0]',
    ],
    'cursor-of-another-history': ['cursorHash(`${kind} ${id}`)', 'cursorHash(`${kind.length} ${id}`)'],
  },
  'functions/engine/feed/describe-change.ts': {
    'beginnings-of-texts-not-told': ['&& { isCut: true }', '&& {}'],
  },
  'functions/engine/model/change-log.ts': {
    'setting-of-history-ignored': [
      'settingsInUse().historyDays() ??',
      '(settingsInUse().historyDays() && undefined) ??',
    ],
  },
});
