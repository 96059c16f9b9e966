import { toMutations } from './mutation.ts';

/** Mutations of the rules of the change feed and of cursors. docs/sync.md and docs/list-engine.md give the reasons. */
export const changeFeedMutations = toMutations({
  'functions/engine/feed/read-log.ts': {
    'large-records-not-expected': [
      'a request asks for as many records as it needs, however large they can be',
      'const affordable = Math.floor(unitsLeft / Math.max(maxRecordUnits, largest / bytesPerUnit));',
      'const affordable = 1_000 + Math.floor(unitsLeft / Math.max(maxRecordUnits, largest / bytesPerUnit));',
    ],
    'watermark-read-once': [
      'a cursor whose records have expired gets a page without them, and not 410',
      'Math.abs(now() - known.readAt) < watermarkMs',
      'Math.abs(now() - known.readAt) >= 0 * watermarkMs',
    ],
    'feed-forgets-holes': [
      'a record that appears in a hole is never given',
      'const next = advance(progress, positionsOf(taken));',
      'const next = { ...advance(progress, positionsOf(taken)), holes: [] };',
    ],
    'feed-without-previous-records': [
      'a copy gets a change of an entity before the one that came before it, and goes back later',
      'const found = await withPrevious(log, [...filled.records, ...read.records], isNew);',
      'const found = [...filled.records, ...read.records].sort(byPosition);',
    ],
    'any-holes-at-once': [
      'a cursor that names positions of large records makes a request expensive',
      'records.length > 0 && unitsLeft() <= minLeft',
      'records.length < 0 && unitsLeft() <= minLeft',
    ],
    'more-behind-many-holes': [
      'a caller whom too many holes stop is told to ask again at once',
      'if (hasMore && records.length === 0)',
      'if (hasMore && records.length < 0)',
    ],
    'far-holes-never-read': [
      'a record that appears in a hole far from the end of the log is never given',
      'readHoles(log, byKey, filter.unitsLeft);',
      'readHoles(log, byKey.slice(byKey.length), filter.unitsLeft);',
    ],
    'expired-records-unnoticed': [
      'a cursor stays valid although records that it has not seen have expired',
      'if (missing <= watermark && (',
      'if (missing <= 0 * watermark && (',
    ],
    'filled-hole-taken-for-expired': [
      'a cursor expires when compaction fills and passes its hole while the feed is read',
      ' && (await readByKey(log, [missing])).length === 0',
      '',
    ],
    'expired-previous-record-unnoticed': [
      'a page has a change of an entity, but not the one before it, which has expired',
      "if (added.length < missing.length) throw new CursorExpired('the records have expired');",
      "if (added.length < 0 * missing.length) throw new CursorExpired('the records have expired');",
    ],
    'position-above-the-sequencer': [
      'a cursor is accepted that is ahead of the log',
      'if (position <= head) return head;',
      'if (position >= 0 * head) return head;',
    ],
  },
  'functions/engine/feed/list-changes.ts': {
    'from-after-the-walk': [
      'the log is read from the end of the walk',
      'const progress = cursor?.progress ?? page.log.progress;',
      'const progress = page.log.progress ?? cursor?.progress;',
    ],
    'walk-gives-what-left': [
      'the walk gives an entity that does not match any more',
      'matches(entity.id, toRow(entity))',
      'matches(entity.id, toRow(entity)) || true',
    ],
    'ids-of-filters-forgotten': [
      'the feed ignores filters by id and by createdAt',
      'isInRanges(ids, id) && matches(row)',
      'isInRanges(ids && undefined, id) && matches(row)',
    ],
    'restore-unnoticed': [
      'a cursor of another table stays valid',
      '`${tableName} ${tenant}`',
      '`${tableName.slice(0, 0)} ${tenant}`',
    ],
    'tenant-unnoticed': [
      'a cursor of another tenant stays valid',
      '`${tableName} ${tenant}`',
      '`${tableName} ${tenant.slice(0, 0)}`',
    ],
    'no-units-for-descriptions': [
      'the items of entities can use up what a request may cost, before a description is read',
      'Math.min(left / 2, left - maxTextUnits)',
      'left',
    ],
    'descriptions-not-counted': [
      'a request reads the descriptions of all changes, however long they are',
      'affordable(costs, unitsLeft())',
      'affordable(costs, unitsLeft() + 1_000)',
    ],
    'descriptions-of-the-walk-not-counted': [
      'a page of the walk reads all descriptions, however long they are',
      'affordable(listed.map(textUnits), unitsLeft())',
      'affordable(listed.map(textUnits), unitsLeft() + 1_000)',
    ],
    'rows-before-not-matched': [
      'an entity that leaves the filters is not removed',
      'if (matched || isMatch || changes.has(id))',
      'if ((matched && isMatch) || isMatch || changes.has(id))',
    ],
  },
  'functions/engine/lists/cursor-codec.ts': {
    'cursor-of-another-query': [
      'a cursor is accepted with other filters',
      'if (!hash.equals(bytes.subarray(1, 1 + queryHashBytes)))',
      'if (!hash.equals(bytes.subarray(1, 1 + queryHashBytes)) && cursor.length < 0)',
    ],
  },
  'functions/engine/columns/read/read-state.ts': {
    'walk-from-the-head': [
      'the feed begins behind a hole, and never gives the record that appears in it',
      '    progress,\n    isComplete:',
      '    progress: upTo(progress.position),\n    isComplete:',
    ],
  },
  'functions/engine/columns/dynamodb-storage.ts': {
    'range-up-to-the-last-position': [
      'a cursor at the last possible position is an internal error',
      'upTo = maxPosition + 1, isDescending',
      'upTo = maxPosition, isDescending',
    ],
  },
});
