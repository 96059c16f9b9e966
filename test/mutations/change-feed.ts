import { toMutations } from './mutation.ts';

/** Mutations of the rules of the change feed and of cursors. docs/sync.md and docs/list-engine.md give the reasons. */
export const changeFeedMutations = toMutations({
  'functions/store/lists/changes/key-hashes.ts': {
    'hash-of-keys-ignored': [
      'a record that appears among those that were given is taken for one of them',
      'own?.equals(known) === true',
      'own !== undefined',
    ],
  },
  'functions/store/lists/changes/merge-changes.ts': {
    'rows-before-not-matched': [
      'an entity that leaves the filters is not removed',
      '[before, after].some(',
      '[after, before].slice(0, 1).some(',
    ],
    'changes-merged-by-order': [
      'the last record decides, not the highest version',
      'version >= known.version',
      'version >= 0 * known.version',
    ],
    'entries-of-a-cut-record-lost': [
      'the page after one that ends within a record begins behind this record',
      'atEntries: next.entry,',
      'atEntries: 0 * next.entry,',
    ],
  },
  'functions/store/lists/changes/read-log.ts': {
    'page-smaller-than-the-window': [
      'a page can end among the records that were given before',
      'start && page.hasAllGiven && progress.isEnough(page)',
      'start && (!page.hasAllGiven || progress.isEnough(page))',
    ],
    'late-records-unread': [
      'a page reads only what follows the page before, and not what has appeared among its records',
      "':first': stampPrefix(from + 1)",
      "':first': page.cursor.at ?? stampPrefix(from + 1)",
    ],
    'large-records-not-expected': [
      'a request asks for as many records as it needs, however large they can be',
      'const affordable = this.#affordable();',
      'const affordable = this.#affordable() + 1_000;',
    ],
  },
  'functions/store/lists/changes/list-changes.ts': {
    'from-after-the-walk': [
      'the log is read from the end of the walk',
      'cursor?.from ?? Math.max(0, nowMs - marginMs)',
      'Math.max(0 * (cursor?.from ?? 0), nowMs - marginMs)',
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
    'walk-ahead-of-the-log': [
      'after the walk, the first pages of the log have earlier versions than the walk',
      'log.hasMore && cursor.isAhead',
      'log.hasMore && cursor.isAhead && query.limit < 0',
    ],
    'unsettled-records-given-once': [
      'the cursor moves past records among which others can still appear',
      'const horizon = Math.max(cursor.from, nowMs - marginMs)',
      'const horizon = Math.max(cursor.from, nowMs - 0 * marginMs)',
    ],
    'rebuild-unnoticed': [
      'a cursor from before a rebuild stays valid',
      'generationOf(database, manifest) !== generation',
      'generationOf(database, manifest) < 0 * generation',
    ],
    'restore-unnoticed': [
      'a cursor of another table stays valid',
      "hash('sha256', tableName, 'buffer')",
      "hash('sha256', tableName.slice(0, 0), 'buffer')",
    ],
    'expired-records-unnoticed': [
      'a cursor stays valid although records above it have expired',
      'if (canHaveExpired(',
      'if (from < 0 && canHaveExpired(',
    ],
    'no-units-for-descriptions': [
      'the items of entities can use up what a request may cost, before a description is read',
      'Math.min(left / 2, left - maxTextUnits)',
      'left',
    ],
    'descriptions-not-counted': [
      'a request reads the descriptions of all changes, however long they are',
      'affordable(textCosts, budget.left)',
      'affordable(textCosts, budget.left + 1_000)',
    ],
    'descriptions-of-the-walk-not-counted': [
      'a page of the walk reads all descriptions, however long they are',
      'affordable(listed.map(textUnits), budget.left)',
      'affordable(listed.map(textUnits), budget.left + 1_000)',
    ],
  },
  'functions/store/lists/changes/request-budget.ts': {
    'no-units-beside-given-records': [
      'a page has nothing new when the records that were given before cost as much as a request may',
      'this.#max = this.used + unitsBesideGiven',
      'this.#max = this.used + 0 * unitsBesideGiven',
    ],
  },
  'functions/store/lists/changes/cursor.ts': {
    'cursor-of-another-query': [
      'a cursor is accepted with other filters',
      'hash.compare(bytes, 1, 1 + queryHashBytes) !== 0',
      'hash.compare(bytes, 1, 1 + queryHashBytes) > 1',
    ],
  },
  'functions/store/lists/engine/read/place.ts': {
    'place-without-equal-rows': [
      'a page behind a cursor skips no rows that are equal to its last one in all fields',
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }];',
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }].slice(0, -1);',
    ],
  },
});
