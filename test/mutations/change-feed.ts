import { toMutations } from './mutation.ts';

/** Mutations of the rules of the change feed and of cursors. docs/sync.md and docs/list-engine.md give the reasons. */
export const changeFeedMutations = toMutations({
  'functions/engine/feed/read-log.ts': {
    'large-records-not-expected': [
      'const affordable = Math.floor(unitsLeft / Math.max(maxRecordUnits, largest / bytesPerUnit));',
      'const affordable = 1_000 + Math.floor(unitsLeft / Math.max(maxRecordUnits, largest / bytesPerUnit));',
    ],
    'watermark-read-once': [
      'Math.abs(now() - known.readAt) < watermarkMs',
      'Math.abs(now() - known.readAt) >= 0 * watermarkMs',
    ],
    'feed-forgets-holes': [
      'const next = advance(progress, positionsOf(taken));',
      'const next = { ...advance(progress, positionsOf(taken)), holes: [] };',
    ],
    'feed-without-previous-records': [
      'const found = await withPrevious(log, [...filled.records, ...read.records], isNew);',
      'const found = [...filled.records, ...read.records].sort(byPosition);',
    ],
    'any-holes-at-once': [
      'records.length > 0 && unitsLeft() <= minLeft',
      'records.length < 0 && unitsLeft() <= minLeft',
    ],
    'more-behind-many-holes': ['if (hasMore && records.length === 0)', 'if (hasMore && records.length < 0)'],
    'far-holes-never-read': [
      'readHoles(log, byKey, filter.unitsLeft);',
      'readHoles(log, byKey.slice(byKey.length), filter.unitsLeft);',
    ],
    'expired-records-unnoticed': ['if (missing <= watermark && (', 'if (missing <= 0 * watermark && ('],
    'filled-hole-taken-for-expired': [' && (await readByKey(log, [missing])).length === 0', ''],
    'expired-previous-record-unnoticed': [
      "if (added.length < missing.length) throw new CursorExpired('the records have expired');",
      "if (added.length < 0 * missing.length) throw new CursorExpired('the records have expired');",
    ],
    'position-above-the-sequencer': [
      'if (position <= head) return head;',
      'if (position >= 0 * head) return head;',
    ],
  },
  'functions/engine/feed/list-changes.ts': {
    'from-after-the-walk': [
      'const progress = cursor?.progress ?? page.log.progress;',
      'const progress = page.log.progress ?? cursor?.progress;',
    ],
    'walk-gives-what-left': [
      'matches(entity.id, toRow(entity))',
      'matches(entity.id, toRow(entity)) || true',
    ],
    'ids-of-filters-forgotten': [
      'isInRanges(ids, id) && matches(row)',
      'isInRanges(ids && undefined, id) && matches(row)',
    ],
    'restore-unnoticed': ['`${tableName} ${tenant}`', '`${tableName.slice(0, 0)} ${tenant}`'],
    'tenant-unnoticed': ['`${tableName} ${tenant}`', '`${tableName} ${tenant.slice(0, 0)}`'],
    'no-units-for-descriptions': ['Math.min(left / 2, left - maxTextUnits)', 'left'],
    'descriptions-not-counted': ['affordable(costs, unitsLeft())', 'affordable(costs, unitsLeft() + 1_000)'],
    'descriptions-of-the-walk-not-counted': [
      'affordable(listed.map(textUnits), unitsLeft())',
      'affordable(listed.map(textUnits), unitsLeft() + 1_000)',
    ],
    'rows-before-not-matched': [
      'if (matched || isMatch || changes.has(id))',
      'if ((matched && isMatch) || isMatch || changes.has(id))',
    ],
  },
  'functions/engine/lists/cursor-codec.ts': {
    'cursor-of-another-query': [
      'if (!hash.equals(bytes.subarray(1, 1 + queryHashBytes)))',
      'if (!hash.equals(bytes.subarray(1, 1 + queryHashBytes)) && cursor.length < 0)',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'walk-from-the-head': [
      '    progress,\n    isComplete:',
      '    progress: upTo(progress.position),\n    isComplete:',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'range-up-to-the-last-position': [
      'last = recordSortKey(maxPosition + 1)',
      'last = recordSortKey(maxPosition)',
    ],
  },
});
