import { toMutations } from './mutation.ts';

/** Mutations of what is read ahead: no list waits for more calls than it must, and none reads more than without. */
export const firstListMutations = toMutations({
  'functions/engine/columns/read/shown-rows.ts': {
    'columns-after-the-records': [
      'if (fieldsOf(query).length > 0) await loadSegments(',
      'if (fieldsOf(query).length < 0) await loadSegments(',
    ],
    'columns-ahead-in-vain': [
      'if (fieldsOf(query).length > 0) await loadSegments(',
      'if (fieldsOf(query).length >= 0) await loadSegments(',
    ],
  },
  'functions/engine/columns/read/match-rows.ts': {
    'columns-ahead-of-other-ids': [
      "coverageOf(query.ids, segment) !== 'none' && rowsOf(segment, query) > 0",
      'rowsOf(segment, query) > 0',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'failure-ahead-ends-the-list': [
      'columns = manifest && prefetch?.(manifest).catch(() => undefined);',
      'columns = manifest && prefetch?.(manifest);',
    ],
  },
  'functions/engine/lists/read-page.ts': {
    'columns-of-the-rule-late': [
      '...columnsOfRule(session, kind)]',
      '...columnsOfRule(session, kind).slice(1)]',
    ],
    'texts-after-their-entities': [
      'withTexts && hasTextItem',
      'withTexts && hasTextItem === (tenant === undefined)',
    ],
    'texts-earn-columns': ['- before - texts.length / 2);', '- before + texts.length * 0);'],
  },
  'functions/engine/table/stored-entities.ts': {
    'texts-ahead-read-again': [
      '.filter(({ pk }) => !known.has(pk));',
      '.filter(({ pk }) => !known.has(`${pk} `));',
    ],
  },
  'functions/engine/columns/format/manifest.ts': {
    'texts-of-deleted-rows-not-told': [
      'isDeletedVersion(value) ? deletedMark.length : 0',
      'isDeletedVersion(value) ? 0 : 0',
    ],
  },
  'functions/engine/columns/compact/row-block.ts': {
    'texts-of-new-rows-not-told': ['hasTextItem(values))', 'hasTextItem({}))'],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'texts-of-changed-rows-not-told': ['hasTextItem(after ?? {})', 'hasTextItem({})'],
  },
  'functions/engine/deletions/delete-entity.ts': {
    'position-after-the-children': ['    takePositions([kind]);\n', ''],
    'position-of-a-refused-deletion': [
      '    const stored = await readEntityItem(',
      '    takePositions([kind]);\n    const stored = await readEntityItem(',
    ],
  },
  'functions/engine/columns/process-memory.ts': {
    'memory-without-its-setting': [
      'maxBytes ?? settingsInUse().columnBytes() ?? defaultMaxBytes',
      'maxBytes ?? Math.max(settingsInUse().columnBytes() ?? 0, defaultMaxBytes)',
    ],
  },
});
