import type { PlantedFault } from './planted-fault.ts';

const adjustments = 'functions/shared/store/counted-index/adjustments.ts';
const commit = 'functions/shared/store/commit.ts';

/** Mistakes in what is written together, and under which conditions. */
export const writeFaults: readonly PlantedFault[] = [
  {
    name: 'parent-not-required',
    what: 'an entity is made under a parent that does not exist',
    file: 'functions/shared/store/create-entity.ts',
    search: 'await requireReferences(session, kind, change.after.entity);',
    replacement: '',
    caughtBy: ['test/contract/references.test.ts'],
    named: 'organizationId of a project',
  },
  {
    name: 'update-without-version',
    what: 'of two writers who read the same version, both write',
    file: 'functions/shared/store/changes.ts',
    search: 'before ? isVersion(before.version) : isNew',
    replacement: "before ? { expression: 'attribute_exists(pk)' } : isNew",
    caughtBy: ['test/faults/single-failures.test.ts'],
    named: 'another came before',
  },
  {
    name: 'if-match-ignored',
    what: 'a write is done whatever version If-Match names',
    file: 'functions/shared/store/read-entity.ts',
    search: 'if (expected && !expected.has(stored.version)) throw new VersionMismatch(kind);',
    replacement: 'if (expected?.size === -1) throw new VersionMismatch(kind);',
    caughtBy: ['test/contract/caching-and-concurrency.test.ts'],
    named: 'stale If-Match',
  },
  {
    name: 'status-not-counted',
    what: 'a change of status leaves the counters of both statuses as they were',
    file: adjustments,
    search: '    add(before, -1, 0);',
    replacement:
      '    if (before && after && before.entity.status !== after.entity.status) continue;\n    add(before, -1, 0);',
    caughtBy: ['test/contract/lists.test.ts'],
    named: 'follow a change of the field',
  },
  {
    name: 'move-not-counted',
    what: 'a move to another parent leaves the counters of both parents as they were',
    file: adjustments,
    search: '    add(before, -1, 0);',
    replacement:
      '    if (before && after && before.entity.status === after.entity.status) continue;\n    add(before, -1, 0);',
    caughtBy: ['test/contract/references.test.ts'],
    named: 'PATCH moves it to another',
  },
  {
    name: 'far-sections-ignored',
    what: 'of entities that change together, those made long before are counted where the others are',
    file: 'functions/shared/store/counted-index/sections.ts',
    search: 'goesOn ? times.filter((time) => items.every((item) => startOf(item) > time)) : []',
    replacement: 'goesOn ? times.filter(() => items.length === 0) : []',
    caughtBy: ['test/functions/shared/store/far-apart.test.ts'],
  },
  {
    name: 'counted-beside-the-transaction',
    what: 'counters are adjusted before the transaction of what they count, not in it',
    file: commit,
    search: 'return { writes: [...own, ...writes, ...others, ...additions], beginnings };',
    replacement:
      'if (additions.length > 0) await session.database.transact(additions);\n  return { writes: [...own, ...writes, ...others], beginnings };',
    caughtBy: ['test/faults/crash-points.test.ts'],
    named: 'createTag',
  },
  {
    name: 'key-recorded-before',
    what: 'the answer under an Idempotency-Key is kept before what it promises is done',
    file: commit,
    search: 'const whole = await prepare(session, work, record);',
    replacement:
      'if (record.length > 0) await session.database.transact(record);\n      const whole = await prepare(session, work);',
    caughtBy: ['test/faults/crash-points.test.ts'],
    named: 'createTag',
  },
  {
    name: 'key-recorded-after',
    what: 'the answer under an Idempotency-Key is kept behind what it promises: a stop between makes it twice',
    file: commit,
    search:
      'const whole = await prepare(session, work, record);\n      await transact(\n        session,\n        orElse && !fitsOneTransaction(whole) ? await prepare(session, orElse, record) : whole,\n      );',
    replacement:
      'const whole = await prepare(session, work);\n      await transact(session, orElse && !fitsOneTransaction(whole) ? await prepare(session, orElse) : whole);\n      if (record.length > 0) await session.database.transact(record);',
    caughtBy: ['test/faults/crash-points.test.ts'],
    named: 'createTag',
  },
  {
    name: 'key-for-any-request',
    what: 'an Idempotency-Key that was used for another body answers as for that one',
    file: 'functions/shared/store/idempotency.ts',
    search: "if (record['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();",
    replacement: 'if (!idempotency.fingerprint) throw new IdempotencyKeyReused();',
    caughtBy: ['test/contract/idempotency.test.ts'],
    named: 'POST /v1/tags',
  },
  {
    name: 'deletion-takes-too-much',
    what: 'the tasks of a deleted user go with it, when they should stay and lose the reference',
    file: 'functions/shared/store/relations.ts',
    search: "member: 'userId', parent: 'user', whenDeleted: 'clear'",
    replacement: "member: 'userId', parent: 'user', whenDeleted: 'delete'",
    caughtBy: ['test/contract/references.test.ts'],
    named: 'deleting a user',
  },
  {
    name: 'no-second-sweep',
    what: 'a deletion leaves no job behind: a child written by a request that still saw the parent stays',
    file: 'functions/shared/store/cascade.ts',
    search: 'return { changes, writes: [beginSweep(tenant, kind, entity.id)] };',
    replacement: 'return { changes };',
    caughtBy: ['test/functions/jobs/work-job.test.ts'],
    named: 'still saw its parent',
  },
  {
    name: 'cascade-that-stops',
    what: 'a deletion that takes several steps ends with the first',
    file: 'functions/jobs/work-job.ts',
    search: 'left: next ? { ...work, after: next } : { ...work, relation',
    replacement: 'left: next ? undefined : { ...work, relation',
    caughtBy: ['test/functions/jobs/work-job.test.ts'],
    named: 'outgrows a transaction',
  },
  {
    name: 'one-record-for-all',
    what: 'a record of the stream that fails takes the others of its batch along',
    file: 'functions/jobs/job-session.ts',
    search: '    return false;\n',
    replacement: '    throw error;\n',
    caughtBy: ['test/functions/jobs/failing-records.test.ts'],
  },
];
