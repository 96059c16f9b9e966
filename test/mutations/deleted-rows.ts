import { toMutations } from './mutation.ts';

/** The rules of the rows of deleted entities: which readers do not see them, and when they leave the columns. */
export const deletedRowMutations = toMutations({
  'functions/engine/model/deletion.ts': {
    'deletion-fields-in-rows': [
      'const { deletedAt: _at, deletedBy: _by, deletedWith: _with, rootKind: _kind, ...fields } = row;',
      'const { deletedAt: _at, ...fields } = row;',
    ],
  },
  'functions/engine/model/change-log.ts': {
    'restored-row-still-deleted': ['? { ...after, ...notDeleted }', '? { ...after }'],
    'erased-values-in-a-record': [
      'before && (row || !before.deletion) ? storedRow(before) : undefined;',
      'before && storedRow(before);',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'deletion-fields-in-entities': [
      'if (field === wordsField || field in notDeleted) continue;',
      'if (field === wordsField) continue;',
    ],
  },
  'functions/engine/feed/read-log.ts': {
    'deleted-rows-in-the-feed': ['  decodeRecord,\n', '  decodeStoredRecord as decodeRecord,\n'],
  },
  'functions/engine/feed/list-history.ts': {
    'deleted-rows-in-the-history': [
      'import { decodeRecord, ',
      'import { decodeStoredRecord as decodeRecord, ',
    ],
  },
  'functions/jobs/publish-records.ts': {
    'deleted-rows-in-events': ['import { decodeRecord, ', 'import { decodeStoredRecord as decodeRecord, '],
  },
  'functions/engine/columns/read/match-rows.ts': {
    'deleted-rows-in-lists': [
      '[query.isOfDeleted ? isDeleted : isNotDeleted, ...query.filters]',
      '[...(query.isOfDeleted ? [isDeleted] : []), ...query.filters]',
    ],
    'deleted-rows-counted': [
      'return isOne ? query.filters :',
      'return isOne || query.countBy.length + query.sumBy.length > 0 ? query.filters :',
    ],
    'rows-of-others-in-totals': [
      'isOfDeleted ? countDeleted(deleted) : rows - countDeleted(deleted);',
      'isOfDeleted ? rows - countDeleted(deleted) : rows - countDeleted(deleted);',
    ],
  },
  'functions/engine/columns/read/page-segments.ts': {
    'deleted-rows-in-the-total': [
      '(isCovered ? rowsOf(segment, query) : 0)',
      '(isCovered ? segment.rows : 0)',
    ],
  },
  'functions/engine/columns/read/pending-changes.ts': {
    'deleted-rows-of-pending-changes': [
      '(deletedAtOf(row) !== null) === isOfDeleted &&',
      '(deletedAtOf(row) !== null || !isOfDeleted) &&',
    ],
  },
  'functions/engine/columns/read/list-rows.ts': {
    'pending-erasures-not-subtracted': [
      'query.isOfDeleted ? await withErasedRows(columnReader, all, fieldsOf(query)) : all;',
      'all;',
    ],
    'pending-erasures-without-their-fields': [
      'await withErasedRows(columnReader, all, fieldsOf(query))',
      'await withErasedRows(columnReader, all)',
    ],
  },
  'functions/engine/columns/read/read-all-rows.ts': {
    'deleted-rows-in-the-audited-total': [
      'total += Number(existingRow(after) !== undefined) -',
      'total += Number(after !== undefined) -',
    ],
    'expired-rows-audited': [
      'if (!deletion || !isExpired(deletion, nowMs)) visit(',
      'if (!deletion || nowMs > 0) visit(',
    ],
  },
  'functions/engine/lists/children.ts': {
    'deleted-children': [
      'const { stored, total } = await readPage(session, relation.child, query, { maxTotal });',
      'const { stored, total } = await readPage(session, relation.child, { ...query, isOfDeleted: true }, { maxTotal });',
    ],
  },
  'functions/engine/lists/read-page.ts': {
    'restored-entity-in-the-deleted-list': [
      'stored.version >= version && isRestorable(stored.deletion) === withDeleted;',
      'stored.version >= version && (withDeleted || !isRestorable(stored.deletion));',
    ],
  },
  'functions/engine/columns/format/deleted-rows.ts': {
    'rows-leave-with-their-week': [
      '(Number(week) + 1) * weekMs + keptMs <= nowMs',
      'Number(week) * weekMs + keptMs <= nowMs',
    ],
    'gone-rows-of-this-week': [
      'deletedAt ? Math.floor(Date.parse(deletedAt) / weekMs) : goneWeek;',
      'Math.floor(Date.parse(deletedAt ?? new Date(9e12).toISOString()) / weekMs) + goneWeek;',
    ],
    'row-leaves-while-restorable': [
      'Date.parse(deletedAt) + keptMs > nowMs;',
      'Date.parse(deletedAt) + keptMs / 2 > nowMs;',
    ],
    'removed-weeks-kept': [
      'if (count > 0) counts[week] = count;',
      'if (count > 0 || removed.length > 0) counts[week] = count + 1;',
    ],
  },
  'functions/engine/columns/format/waiting-rows.ts': {
    'expired-waiting-rows-not-counted': ['      ...deletedRows(own),\n', ''],
  },
  'functions/engine/columns/compact/row-block.ts': {
    'expired-waiting-rows-kept': [
      'after && isKeptRow(after, nowMs) ?',
      'after && isKeptRow(after, 0 * nowMs) ?',
    ],
    'deleted-row-with-the-version-of-others': [
      'versionText(version, Boolean(values[rowOfDeletion.deletedAt]), hasTextItem(values))',
      'versionText(version, !values, hasTextItem(values))',
    ],
  },
  'functions/engine/columns/compact/read-rows.ts': {
    'expired-rows-merged': ['|| isKept(deletedAt[row], nowMs))', '|| isKept(deletedAt[row], 0 * nowMs))'],
    'deleted-rows-leave-with-a-merge': [
      '|| isKept(deletedAt[row], nowMs))',
      '|| isKept(deletedAt[row], 2 * nowMs))',
    ],
  },
  'functions/engine/columns/compact/new-segments.ts': {
    'deleted-rows-of-a-new-segment': [
      '    deleted: deletedRows(block),\n',
      '    deleted: deletedRows({ ...block, columns: new Map() }),\n',
    ],
  },
  'functions/engine/columns/compact/choose-step.ts': {
    'expired-rows-stay': ['!(hasEnough || isShrunk(segment, sizes))', '!hasEnough'],
    'expired-waiting-rows-stay': [
      'return rows > maxRowsOfOne * (rows - expired);',
      'return rows > maxRowsOfOne * (rows - 0 * expired);',
    ],
    'merge-reads-any-number-of-expired-rows': [
      '|| read > readShare * sizes.maxMergedRows) break;',
      '|| read < 0) break;',
    ],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'restored-row-stays-deleted': [
      'ofSegment.push(updateOf(change, located));',
      'if (!located.isDeleted) ofSegment.push(updateOf(change, located));',
    ],
    'restored-row-counted-as-deleted': [
      '...(isDeleted && { removed: weekOf(deletedAtOf(before)) }),',
      '...(isDeleted && weekOf(deletedAtOf(before)) < 0 && { removed: 0 }),',
    ],
    'erased-row-of-any-week': [
      'of await withErasedRows(columnReader, changes)) {',
      'of (await withErasedRows(columnReader, [])).concat(changes)) {',
    ],
    'deletion-stays-in-a-restored-row': [
      'for (const [field, value] of Object.entries(notDeleted)) values.set(field, value);',
      'for (const [field, value] of Object.entries(notDeleted)) if (!after) values.set(field, value);',
    ],
    'deletion-stays-in-an-erased-row': [
      'for (const [field, value] of Object.entries(notDeleted)) values.set(field, value);',
      'for (const [field, value] of Object.entries(notDeleted)) if (after) values.set(field, value);',
    ],
  },
  'functions/engine/columns/compact/purge.ts': {
    'purge-leaves-rows': ['maxShareOfExpired: 0,', 'maxShareOfExpired: defaultSizes.maxShareOfExpired,'],
    'purge-leaves-waiting-rows': ['maxRowsOfOne: 1,', 'maxRowsOfOne: defaultSizes.maxRowsOfOne,'],
    'purge-leaves-replaced-values': [
      'maxShareOfColumn: 0 }',
      'maxShareOfColumn: defaultSizes.maxShareOfColumn }',
    ],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-without-deleted-rows': ['      if (row) rows.set(', '      if (row && !one.deletion) rows.set('],
  },
});
