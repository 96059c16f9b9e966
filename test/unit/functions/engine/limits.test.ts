/**
 * Every limit of the engine has a test that reaches it, or crosses it by one. The names of limits come from the code: a new one needs a line here. Sizes of
 * compaction are fields of `CompactionSizes`, which tests and histories make small.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(__dirname, '../../../..');
const engine = join(root, 'functions/engine');

/** A constant of a module that is a limit by its name. */
const limit = /^(?:export )?const ((?:max|min)[A-Z]\w*|\w+Size|holesAtOnce)\b/gm;

const limitsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(limit)].map(([, name]) => `${relative(engine, file)} ${name}`);

const limits = readdirSync(engine, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => limitsOf(join(engine, name)));

const folder = 'unit/functions/engine';
const compaction = `${folder}/columns/compaction.test.ts`;
const formats = `${folder}/columns/format.test.ts`;
const reads = `${folder}/columns/read.test.ts`;
const deletions = `${folder}/deletions.test.ts`;
const dueWork = `${folder}/due-work.test.ts`;
const feed = `${folder}/feed.test.ts`;
const model = `${folder}/model.test.ts`;
const table = `${folder}/table.test.ts`;
const writes = `${folder}/write.test.ts`;
const access = `${folder}/access.test.ts`;
const batches = 'contract/batch/limits.test.ts';
const holes = 'simulation/scenarios/holes.ts';
const logs = 'simulation/scenarios/logs.ts';

/** By limit: a file of tests, and a part of the title of one that reaches it. */
const tests: Readonly<Record<string, readonly [file: string, title: string]>> = {
  'due-work/compact-log.ts minStepMs': [
    `${folder}/look-at-logs.test.ts`,
    'another step only if a second is left',
  ],
  'due-work/visit-logs.ts maxPendingMs': [logs, 'a log that is not compacted is reported after four days'],
  'due-work/visit-logs.ts maxVisits': [`${folder}/look-at-logs.test.ts`, 'and at most 200 in a run'],
  'columns/compact/compact.ts maxWaitMs': [compaction, 'a merge that is urgent is not lost to records'],
  'columns/compact/delete-garbage.ts maxNames': [compaction, 'deletes the items of a long list in parts'],
  'columns/compact/delete-garbage.ts maxSteps': [compaction, 'deletes the items of four lists'],
  'columns/compact/merge-segments.ts maxGrownShare': [
    compaction,
    'make a segment grow somewhat before it is divided',
  ],
  'columns/compact/read-input.ts maxFilled': [compaction, 'as much as a step takes'],
  'columns/compact/read-input.ts maxWaitMs': [compaction, 'comes after two days'],
  'columns/compact/read-input.ts minHoleMs': [compaction, 'past a hole that is older than 5 seconds'],
  'columns/compact/rebuild.ts maxRebuildMs': [compaction, 'leaves items that a step deletes after a day'],
  'columns/compact/sizes.ts maxSegmentRows': [compaction, 'have 32,768 rows at most'],
  'columns/compact/step-share.ts minShare': [compaction, 'a step that does not finish is tried smaller'],
  'columns/format/column.ts maxByte': [formats, 'is decoded as it was encoded, also with patched values'],
  'columns/format/column.ts maxTwoBytes': [formats, 'is decoded as it was encoded, also with patched values'],
  'columns/format/lists.ts maxIds': [formats, 'lists of 257 ids are not, because a position takes a byte'],
  'columns/format/manifest.ts maxItemBytes': [formats, 'are one item up to 368,640 bytes'],
  'columns/read/count-values.ts maxCountedValues': [
    'contract/lists.test.ts',
    'countBy shows the first 100 values of a field',
  ],
  'columns/read/read-state.ts maxExtensions': [reads, 'looks three times more while holes are filled'],
  'columns/read/read-state.ts maxKnownBytes': [reads, 'is remembered up to 15 MB'],
  'columns/read/read-state.ts maxPagesBehindGap': [reads, 'reads some pages behind a hole, and gives up'],
  'deletions/delete-entity.ts maxAttemptsWithDescendants': [
    deletions,
    'whose task changes during %i attempts',
  ],
  'deletions/descendants.ts pageSize': [
    'simulation/scenarios/undo.ts',
    'tasks are below one of them takes steps by their number',
  ],
  'deletions/erase-deleted.ts batchSize': [
    deletions,
    'also removes what the job of the deletion has not reached yet',
  ],
  'deletions/restore.ts maxKeeping': [deletions, 'the entities of 50 steps that keep references'],
  'deletions/restore.ts maxMembers': [
    'contract/deleted-entities.test.ts',
    'comes back with %i tasks, in one transaction up to 45',
  ],
  'deletions/restore.ts stepSize': ['simulation/scenarios/undo.ts', 'takes steps by its size: %i tasks'],
  'deletions/sweep.ts maxClockErrorMs': [deletions, 'leaves the next pass, after the request'],
  'deletions/sweep.ts pageSize': [deletions, 'has removed, and theirs, and ends then'],
  'due-work/continue-job.ts maxSteps': [dueWork, 'a job that has taken too many steps is reported'],
  'due-work/continue-job.ts minStepMs': [dueWork, 'it keeps a second to give the job back'],
  'due-work/pace-jobs.ts maxTurnMs': [dueWork, 'a job whose turn is far away is postponed'],
  'due-work/read-jobs.ts pageSize': [dueWork, 'reads 1,000 jobs of a tenant'],
  'entities/own-ids.ts maxOwnIdAgeMs': ['contract/own-ids.test.ts', 'older than 30 days'],
  'entities/own-ids.ts maxOwnIdAheadMs': ['contract/own-ids.test.ts', 'more than 60 seconds ahead'],
  'entities/references.ts maxReferences': [batches, 'more than 400 entities is a 400'],
  'entities/trees.ts maxLevels': ['contract/sub-tasks.test.ts', 'are ten at most, when a task is created'],
  'feed/cursor.ts maxChangesCursorLength': [feed, 'is short with any holes'],
  'feed/cursor.ts maxGuards': [access, 'with up to three logs, and no other number of them'],
  'feed/sight-of-feed.ts maxGuardChanges': [access, 'more changes than a request reads'],
  'feed/list-changes.ts maxChangesOfViewer': [access, 'on a page of a caller who does not see all'],
  'feed/list-changes.ts maxKeyReads': [feed, 'those that are read by key'],
  'feed/list-changes.ts maxPageBytes': [feed, 'large ones'],
  'feed/list-changes.ts maxTextUnits': ['simulation/scenarios/feed.ts', 'costs at most 100 read units'],
  'feed/list-history.ts maxUnits': [
    `${folder}/entities.test.ts`,
    'have cost enough, and the next one goes on',
  ],
  'feed/read-log.ts holesAtOnce': [feed, 'a cursor with holes at large records'],
  'feed/read-log.ts maxHolesByKey': [
    holes,
    'is passed by a copy, which gets the record that appears in it, far from the end',
  ],
  'feed/read-log.ts maxLogUnits': [feed, 'a cursor with holes at large records'],
  'feed/read-log.ts maxRecordEntities': [feed, 'less than a hundred changes too many'],
  'feed/read-log.ts maxRecordUnits': ['simulation/scenarios/feed.ts', 'costs at most 100 read units'],
  'feed/read-log.ts maxRequestUnits': ['simulation/scenarios/feed.ts', 'costs at most 100 read units'],
  'lists/children.ts pageSize': [deletions, 'returns the children page by page'],
  'lists/place-cursor.ts maxPlaceCursorLength': [`${folder}/lists.test.ts`, 'has 4,000 characters at most'],
  'lists/read-page.ts maxAttempts': [reads, 'is read again, at most 5 times'],
  'lists/read-page.ts maxPendingRecords': [
    `${folder}/look-at-logs.test.ts`,
    'meets more than 5,000 pending records',
  ],
  'lists/read-referenced.ts maxKeyReads': [
    `${folder}/columns/shown-rows.test.ts`,
    'until the process knows the log of their kind',
  ],
  'log/positions.ts maxLost': [holes, 'with the record of another transaction again and again is a 503'],
  'log/progress.ts maxHoles': [feed, 'a cursor does not go past more than 200 holes'],
  'model/change-log.ts maxHistoryDays': ['infrastructure/settings.test.ts', "['historyDays', 401,"],
  'model/change-log.ts minHistoryDays': [writes, 'a record expires after the days of the setting'],
  'model/ids.ts maxFirstSequence': [model, 'ids are in the order in which they are made'],
  'model/job.ts stepBatchSize': [deletions, 'changes 100 tasks of a project in each step'],
  'model/long-text.ts maxInlineBytes': [model, 'a text stays inline up to the limit'],
  'model/record-codec.ts maxInflatedBytes': [model, '%s has a limit'],
  'model/record-codec.ts maxPlainBytes': [model, 'several entries with texts in common are deflated'],
  'model/change-log.ts maxPosition': [model, 'have an order in which bytes compare as they do'],
  'model/writes.ts maxTransactionWrites': [deletions, 'completes a deletion that outgrows a transaction'],
  'table/database.ts maxClockErrorMs': [table, 'with a clock that is %i ms ahead'],
  'table/deadline.ts maxRequestMs': ['simulation/scenarios/unavailable.ts', 'each request gets %i in time'],
  'table/stored-entities.ts maxAttempts': [writes, 'reads again when the text changed between the reads'],
  'write/commit.ts maxItemBytes': [writes, 'a batch with an item of %i bytes'],
  'write/commit.ts maxTransactionBytes': [batches, 'is a 400 that asks for fewer operations'],
  'write/commit.ts maxUnmeasuredWrites': [writes, 'are divided when they do not fit into one transaction'],
  'write/commit.ts maxWriteUnits': [batches, 'is a 400 that asks for fewer operations'],
  'write/idempotency.ts maxPartBytes': [writes, 'a result that exceeds one item in several is recorded'],
  'write/idempotency.ts maxResultBytes': [writes, 'a result of up to 8 MB is decoded'],
  'write/unfinished-jobs.ts maxJobs': [writes, 'a tenant begins jobs up to the limit'],
  'write/unfinished-jobs.ts maxRead': [writes, 'a count ends after 10,000 jobs'],
  'columns/process-memory.ts maxTenants': [
    `${folder}/columns.test.ts`,
    'a process remembers logs of 10,000 tenants',
  ],
  'feed/list-history.ts maxHistoryCursorLength': [
    `${folder}/entities.test.ts`,
    'is not too long, and a longer text is refused',
  ],
  'model/bytes.ts maxNumberBytes': [model, 'the greatest number fits behind %i bytes'],
  'model/pace.ts maxAheadMs': [model, 'a step after reservations up to %i ms'],
  'model/pace.ts maxSlowdown': [model, 'throttles make jobs slower, up to 16 times'],
  'model/words.ts maxWordLength': [model, 'a search compares 50 characters of a word'],
  'table/database.ts maxBatchKeys': [table, 'more items than one call may read'],
  'table/deadline.ts maxBackOffMs': [table, 'a wait after %i attempts is shorter than a second'],
};

test('each limit has a line, and each line a limit', () => {
  expect(Object.keys(tests).sort()).toEqual(limits.sort());
});

test.each(Object.entries(tests))('%s is reached by a test', (_, [file, title]) => {
  expect(readFileSync(join(root, 'test', file), 'utf8')).toContain(title);
});
