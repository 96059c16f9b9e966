import { toMutations } from './mutation.ts';

/** The rules of the rows of deleted entities: which readers do not see them, and when they leave the columns. */
export const deletedRowMutations = toMutations({
  'functions/engine/model/deletion.ts': {
    'deletion-fields-in-rows': [
      'readers of changes see the fields of deletions in rows of restored entities',
      'const { deletedAt: _at, deletedBy: _by, deletedWith: _with, rootKind: _kind, ...fields } = row;',
      'const { deletedAt: _at, ...fields } = row;',
    ],
  },
  'functions/engine/model/change-log.ts': {
    'restored-row-still-deleted': [
      'the record of a restore does not end the deletion in the row',
      '? { ...after, ...notDeleted }',
      '? { ...after }',
    ],
    'erased-values-in-a-record': [
      'the record of an erasure has the values that it erases, for as long as records live',
      'before && (row || !before.deletion) ? storedRow(before) : undefined;',
      'before && storedRow(before);',
    ],
  },
  'functions/engine/model/entity-of-row.ts': {
    'deletion-fields-in-entities': [
      'an entity that is made of its row has the fields of deletions',
      'if (field === wordsField || field in notDeleted) continue;',
      'if (field === wordsField) continue;',
    ],
  },
  'functions/engine/feed/read-log.ts': {
    'deleted-rows-in-the-feed': [
      'the change feed shows deleted entities as changed ones',
      '  decodeRecord,\n',
      '  decodeStoredRecord as decodeRecord,\n',
    ],
  },
  'functions/engine/feed/list-history.ts': {
    'deleted-rows-in-the-history': [
      'the history shows a deletion as a change of the fields of deletions',
      'import { decodeRecord, ',
      'import { decodeStoredRecord as decodeRecord, ',
    ],
  },
  'functions/jobs/publish-records.ts': {
    'deleted-rows-in-events': [
      'the event of a deletion is that of a change',
      'import { decodeRecord, ',
      'import { decodeStoredRecord as decodeRecord, ',
    ],
  },
  'functions/engine/columns/read/match-rows.ts': {
    'deleted-rows-in-lists': [
      'lists with filters or orders have deleted rows',
      '[query.isOfDeleted ? isDeleted : isNotDeleted, ...query.filters]',
      '[...(query.isOfDeleted ? [isDeleted] : []), ...query.filters]',
    ],
    'deleted-rows-counted': [
      'counts of values and sums have deleted rows',
      'return isOne ? query.filters :',
      'return isOne || query.countBy.length + query.sumBy.length > 0 ? query.filters :',
    ],
    'rows-of-others-in-totals': [
      'the total of deleted entities is that of those that exist',
      'isOfDeleted ? countDeleted(deleted) : rows - countDeleted(deleted);',
      'isOfDeleted ? rows - countDeleted(deleted) : rows - countDeleted(deleted);',
    ],
  },
  'functions/engine/columns/read/page-segments.ts': {
    'deleted-rows-in-the-total': [
      'the total of a list without filters has the deleted rows of segments that the page does not show',
      '(isCovered ? rowsOf(segment, query) : 0)',
      '(isCovered ? segment.rows : 0)',
    ],
  },
  'functions/engine/columns/read/pending-changes.ts': {
    'deleted-rows-of-pending-changes': [
      'lists have entities whose deletion the columns do not have yet',
      '(deletedAtOf(row) !== null) === isOfDeleted &&',
      '(deletedAtOf(row) !== null || !isOfDeleted) &&',
    ],
  },
  'functions/engine/columns/read/list-rows.ts': {
    'pending-erasures-not-subtracted': [
      'lists of deleted entities count what was erased until the columns have the erasure',
      'query.isOfDeleted ? await withErasedRows(columnReader, all, fieldsOf(query)) : all;',
      'all;',
    ],
    'pending-erasures-without-their-fields': [
      'lists of deleted entities with filters count what was erased until the columns have the erasure',
      'await withErasedRows(columnReader, all, fieldsOf(query))',
      'await withErasedRows(columnReader, all)',
    ],
  },
  'functions/engine/columns/read/read-all-rows.ts': {
    'deleted-rows-in-the-audited-total': [
      'an audit compares the total of a list with a number of rows in which pending deletions are missing',
      'total += Number(existingRow(after) !== undefined) -',
      'total += Number(after !== undefined) -',
    ],
    'expired-rows-audited': [
      'an audit takes rows of deletions that have expired for rows without an entity',
      'if (!deletion || !isExpired(deletion, nowMs)) visit(',
      'if (!deletion || nowMs > 0) visit(',
    ],
  },
  'functions/engine/lists/children.ts': {
    'deleted-children': [
      'the children of an entity are its deleted ones instead of those that exist: jobs change them, and trees have their levels',
      'filters: [filterOf(relation, parentIds)],\n  ids:',
      'filters: [filterOf(relation, parentIds)],\n  isOfDeleted: parentIds.length > 0,\n  ids:',
    ],
  },
  'functions/engine/lists/read-page.ts': {
    'restored-entity-in-the-deleted-list': [
      'the list of deleted entities has one that was restored or erased while the page was read',
      'stored.version >= version && isRestorable(stored.deletion) === withDeleted;',
      'stored.version >= version && (withDeleted || !isRestorable(stored.deletion));',
    ],
  },
  'functions/engine/columns/format/deleted-rows.ts': {
    'rows-leave-with-their-week': [
      'a row counts as expired up to a week before its deletion has expired, and merges are taken for nothing',
      '(Number(week) + 1) * weekMs + keptMs <= nowMs',
      'Number(week) * weekMs + keptMs <= nowMs',
    ],
    'gone-rows-of-this-week': [
      'rows of which nothing is left count as rows that are kept',
      'deletedAt ? Math.floor(Date.parse(deletedAt) / weekMs) : goneWeek;',
      'Math.floor(Date.parse(deletedAt ?? new Date(9e12).toISOString()) / weekMs) + goneWeek;',
    ],
    'row-leaves-while-restorable': [
      'the row of a deleted entity leaves the columns before the entity has expired',
      'Date.parse(deletedAt) + keptMs > nowMs;',
      'Date.parse(deletedAt) + keptMs / 2 > nowMs;',
    ],
    'removed-weeks-kept': [
      'a segment counts a deletion that a later one or a restore has replaced',
      'if (count > 0) counts[week] = count;',
      'if (count > 0 || removed.length > 0) counts[week] = count + 1;',
    ],
  },
  'functions/engine/columns/format/waiting-rows.ts': {
    'expired-waiting-rows-not-counted': [
      'items of waiting rows do not tell how many of their rows have expired',
      '      ...deletedRows(own),\n',
      '',
    ],
  },
  'functions/engine/columns/compact/row-block.ts': {
    'expired-waiting-rows-kept': [
      'a row that waits stays after its deletion has expired',
      'after && isKeptRow(after, nowMs) ?',
      'after && isKeptRow(after, 0 * nowMs) ?',
    ],
    'deleted-row-with-the-version-of-others': [
      'a new segment has deleted rows as rows that exist',
      'versionText(version, Boolean(values[rowOfDeletion.deletedAt]))',
      'versionText(version, !values)',
    ],
  },
  'functions/engine/columns/compact/read-rows.ts': {
    'expired-rows-merged': [
      'a merge writes rows of deletions that have expired again',
      '|| isKept(deletedAt[row], nowMs))',
      '|| isKept(deletedAt[row], 0 * nowMs))',
    ],
    'deleted-rows-leave-with-a-merge': [
      'a merge leaves out all deleted rows, and nothing can be restored with them',
      '|| isKept(deletedAt[row], nowMs))',
      '|| isKept(deletedAt[row], 2 * nowMs))',
    ],
  },
  'functions/engine/columns/compact/new-segments.ts': {
    'deleted-rows-of-a-new-segment': [
      'a new segment counts its deleted rows as rows that exist',
      '    deleted: deletedRows(block),\n',
      '    deleted: deletedRows({ ...block, columns: new Map() }),\n',
    ],
  },
  'functions/engine/columns/compact/choose-step.ts': {
    'expired-rows-stay': [
      'a segment is not written again because of its expired rows',
      '!(hasEnough || isShrunk(segment, sizes))',
      '!hasEnough',
    ],
    'expired-waiting-rows-stay': [
      'items of waiting rows are not written again because of their expired rows',
      'return rows > maxRowsOfOne * (rows - expired);',
      'return rows > maxRowsOfOne * (rows - 0 * expired);',
    ],
    'merge-reads-any-number-of-expired-rows': [
      'a merge reads any number of rows that have expired',
      '|| read > readShare * sizes.maxMergedRows) break;',
      '|| read < 0) break;',
    ],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'restored-row-stays-deleted': [
      'compaction takes a deleted row for later than every change',
      'ofSegment.push(updateOf(change, located));',
      'if (!located.isDeleted) ofSegment.push(updateOf(change, located));',
    ],
    'restored-row-counted-as-deleted': [
      'a segment counts a restored row among its deleted ones',
      '...(isDeleted && { removed: weekOf(deletedAtOf(before)) }),',
      '...(isDeleted && weekOf(deletedAtOf(before)) < 0 && { removed: 0 }),',
    ],
    'erased-row-of-any-week': [
      'a segment counts an erased row among those of its deletion too',
      'of await withErasedRows(columnReader, changes)) {',
      'of (await withErasedRows(columnReader, [])).concat(changes)) {',
    ],
    'deletion-stays-in-a-restored-row': [
      'a row keeps the fields of a deletion when a later change is absorbed together with the restore',
      'for (const [field, value] of Object.entries(notDeleted)) values.set(field, value);',
      'for (const [field, value] of Object.entries(notDeleted)) if (!after) values.set(field, value);',
    ],
    'deletion-stays-in-an-erased-row': [
      'a row keeps the fields of a deletion when it is erased',
      'for (const [field, value] of Object.entries(notDeleted)) values.set(field, value);',
      'for (const [field, value] of Object.entries(notDeleted)) if (after) values.set(field, value);',
    ],
  },
  'functions/engine/columns/compact/purge.ts': {
    'purge-leaves-rows': [
      'erased rows stay in segments that have many others',
      'maxShareOfExpired: 0,',
      'maxShareOfExpired: defaultSizes.maxShareOfExpired,',
    ],
    'purge-leaves-waiting-rows': [
      'erased rows stay among those that wait',
      'maxRowsOfOne: 1,',
      'maxRowsOfOne: defaultSizes.maxRowsOfOne,',
    ],
    'purge-leaves-replaced-values': [
      'values of erased entities stay in patches and in columns that patches replace',
      'maxShareOfColumn: 0 }',
      'maxShareOfColumn: defaultSizes.maxShareOfColumn }',
    ],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-without-deleted-rows': [
      'a rebuild leaves the rows of deleted entities out',
      '      if (row) rows.set(',
      '      if (row && !one.deletion) rows.set(',
    ],
  },
});
