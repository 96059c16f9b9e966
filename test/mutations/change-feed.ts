import type { Mutation } from './mutation.ts';

const changes = 'functions/store/lists/changes';
const unit = `test/unit/${changes}/list-changes.test.ts`;
const simulation = 'test/simulation/change-feed.test.ts';

/** Mutations of the rules of the change feed and of cursors. docs/sync.md and docs/list-engine.md give the reasons. */
export const changeFeedMutations: readonly Mutation[] = [
  {
    name: 'hash-of-keys-ignored',
    description: 'a record that appears among those that were given is taken for one of them',
    file: `${changes}/key-hashes.ts`,
    search: 'isSame ? [] : own',
    replacement: 'isSame || own.length > 0 ? [] : own',
    detectedBy: [simulation],
  },
  {
    name: 'rows-before-not-matched',
    description: 'an entity that leaves the filters is not removed',
    file: `${changes}/merge-changes.ts`,
    search: '[before, after].some(',
    replacement: '[after, before].slice(0, 1).some(',
    detectedBy: [`test/unit/${changes}/merge-changes.test.ts`],
  },
  {
    name: 'page-smaller-than-the-window',
    description: 'a page can end among the records that were given before',
    file: `${changes}/read-log.ts`,
    search: 'start && page.hasAllGiven && isEnough',
    replacement: 'start && isEnough',
    detectedBy: [simulation],
  },
  {
    name: 'from-after-the-walk',
    description: 'the log is read from the end of the walk',
    file: `${changes}/list-changes.ts`,
    search: 'cursor?.from ?? Math.max(0, nowMs - marginMs)',
    replacement: 'Math.max(0 * (cursor?.from ?? 0), nowMs - marginMs)',
    detectedBy: [unit],
  },
  {
    name: 'walk-gives-what-left',
    description: 'the walk gives an entity that does not match any more',
    file: `${changes}/list-changes.ts`,
    search: 'matches(entity.id, toRow(entity))',
    replacement: 'matches(entity.id, toRow(entity)) || true',
    detectedBy: [unit],
  },
  {
    name: 'changes-merged-by-order',
    description: 'the last record decides, not the highest version',
    file: `${changes}/merge-changes.ts`,
    search: 'version >= known.version',
    replacement: 'version >= 0 * known.version',
    detectedBy: [`test/unit/${changes}/merge-changes.test.ts`],
  },
  {
    name: 'ids-of-filters-forgotten',
    description: 'the feed ignores filters by id and by createdAt',
    file: `${changes}/list-changes.ts`,
    search: 'isInRanges(ids, id) && matches(row)',
    replacement: 'isInRanges(ids && undefined, id) && matches(row)',
    detectedBy: [unit],
  },
  {
    name: 'walk-ahead-of-the-log',
    description: 'after the walk, the first pages of the log have earlier versions than the walk',
    file: `${changes}/list-changes.ts`,
    search: 'end.hasMore && cursor.isAhead',
    replacement: 'end.hasMore && cursor.isAhead && query.limit < 0',
    detectedBy: [simulation],
  },
  {
    name: 'unsettled-records-given-once',
    description: 'the cursor moves past records among which others can still appear',
    file: `${changes}/list-changes.ts`,
    search: 'const horizon = Math.max(cursor.from, nowMs - marginMs)',
    replacement: 'const horizon = Math.max(cursor.from, nowMs - 0 * marginMs)',
    detectedBy: [simulation],
  },
  {
    name: 'rebuild-unnoticed',
    description: 'a cursor from before a rebuild stays valid',
    file: `${changes}/list-changes.ts`,
    search: 'generationOf(database, manifest) !== generation',
    replacement: 'generationOf(database, manifest) < 0 * generation',
    detectedBy: [unit],
  },
  {
    name: 'restore-unnoticed',
    description: 'a cursor of another table stays valid',
    file: `${changes}/list-changes.ts`,
    search: "hash('sha256', tableName, 'buffer')",
    replacement: "hash('sha256', tableName.slice(0, 0), 'buffer')",
    detectedBy: [unit],
  },
  {
    name: 'expired-records-unnoticed',
    description: 'a cursor stays valid although records above it have expired',
    file: `${changes}/list-changes.ts`,
    search: 'if (canHaveExpired(',
    replacement: 'if (from < 0 && canHaveExpired(',
    detectedBy: [unit],
  },
  {
    name: 'cursor-of-another-query',
    description: 'a cursor is accepted with other filters',
    file: `${changes}/cursor.ts`,
    search: 'hash.compare(bytes, 1, 1 + queryHashBytes) !== 0',
    replacement: 'hash.compare(bytes, 1, 1 + queryHashBytes) > 1',
    detectedBy: [`test/unit/${changes}/cursor.test.ts`],
  },
  {
    name: 'place-without-equal-rows',
    description: 'a page behind a cursor skips no rows that are equal to its last one in all fields',
    file: 'functions/store/lists/engine/read/place.ts',
    search: 'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }];',
    replacement:
      'return [...parts, { ...whole, filters: [...filters, ...equal], ids: idsUpTo(query, id) }].slice(0, -1);',
    detectedBy: ['test/unit/functions/store/lists/list-entities.test.ts'],
    testNamePattern: 'from cursor to cursor',
  },
];
