import type { Mutation } from './mutation.ts';

const adjustments = 'functions/shared/store/lists/counted-index/adjustments.ts';
const commit = 'functions/shared/store/unit-of-work/commit.ts';

/** Mistakes in what is written together, and under which conditions. */
export const writeMutations: readonly Mutation[] = [
  {
    name: 'parent-not-required',
    description: 'an entity is made under a parent that does not exist',
    file: 'functions/shared/store/entities/create-entity.ts',
    search: 'await requireReferences(session, kind, change.after.entity);',
    replacement: '',
    detectedBy: ['test/contract/references.test.ts'],
    testNamePattern: 'organizationId of a project',
  },
  {
    name: 'update-without-version',
    description: 'of two writers who read the same version, both write',
    file: 'functions/shared/store/model/changes.ts',
    search: 'before ? hasVersion(before.version) : notExists',
    replacement: "before ? { expression: 'attribute_exists(pk)' } : notExists",
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'changed meanwhile',
  },
  {
    name: 'if-match-ignored',
    description: 'a write is done whatever version If-Match names',
    file: 'functions/shared/store/entities/read-entity.ts',
    search: 'if (expected && !expected.has(stored.version)) throw new VersionMismatch(kind);',
    replacement: 'if (expected?.size === -1) throw new VersionMismatch(kind);',
    detectedBy: ['test/contract/caching-and-concurrency.test.ts'],
    testNamePattern: 'stale If-Match',
  },
  {
    name: 'status-not-counted',
    description: 'a change of status leaves the counters of both statuses as they were',
    file: adjustments,
    search: '    add(before, -1, 0);',
    replacement:
      '    if (before && after && before.entity.status !== after.entity.status) continue;\n    add(before, -1, 0);',
    detectedBy: ['test/contract/lists.test.ts'],
    testNamePattern: 'match the new value after a change',
  },
  {
    name: 'move-not-counted',
    description: 'a move to another parent leaves the counters of both parents as they were',
    file: adjustments,
    search: '    add(before, -1, 0);',
    replacement:
      '    if (before && after && before.entity.status === after.entity.status) continue;\n    add(before, -1, 0);',
    detectedBy: ['test/contract/references.test.ts'],
    testNamePattern: 'PATCH moves it to another list',
  },
  {
    name: 'far-sections-ignored',
    description: 'of entities that change together, those made long before are counted where the others are',
    file: 'functions/shared/store/lists/counted-index/sections.ts',
    search: 'goesOn ? times.filter((time) => items.every((item) => startOf(item) > time)) : []',
    replacement: 'goesOn ? times.filter(() => items.length === 0) : []',
    detectedBy: ['test/unit/functions/shared/store/lists/counted-index/far-apart.test.ts'],
  },
  {
    name: 'counted-beside-the-transaction',
    description: 'counters are adjusted before the transaction of what they count, not in it',
    file: commit,
    search: 'return { writes: [...own, ...writes, ...more, ...additions], beginnings };',
    replacement:
      'if (additions.length > 0) await session.database.transact(additions);\n  return { writes: [...own, ...writes, ...more], beginnings };',
    detectedBy: ['test/faults/crash-points.test.ts'],
    testNamePattern: 'createTag',
  },
  {
    name: 'key-recorded-before',
    description: 'the answer under an Idempotency-Key is kept before what it promises is done',
    file: commit,
    search: 'const whole = await buildTransaction(session, changeSet, record);',
    replacement:
      'if (record.length > 0) await session.database.transact(record);\n      const whole = await buildTransaction(session, changeSet);',
    detectedBy: ['test/faults/crash-points.test.ts'],
    testNamePattern: 'createTag',
  },
  {
    name: 'key-recorded-after',
    description:
      'the answer under an Idempotency-Key is kept behind what it promises: a stop between makes it twice',
    file: commit,
    search:
      'const whole = await buildTransaction(session, changeSet, record);\n      const isTooLarge = orElse && !fitsOneTransaction(whole);\n      await send(session, isTooLarge ? await buildTransaction(session, orElse, record) : whole);',
    replacement:
      'const whole = await buildTransaction(session, changeSet);\n      const isTooLarge = orElse && !fitsOneTransaction(whole);\n      await send(session, isTooLarge ? await buildTransaction(session, orElse) : whole);\n      if (record.length > 0) await session.database.transact(record);',
    detectedBy: ['test/faults/crash-points.test.ts'],
    testNamePattern: 'createTag',
  },
  {
    name: 'key-for-any-request',
    description: 'an Idempotency-Key that was used for another body answers as for that one',
    file: 'functions/shared/store/unit-of-work/idempotency.ts',
    search: "if (item['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();",
    replacement: 'if (!idempotency.fingerprint) throw new IdempotencyKeyReused();',
    detectedBy: ['test/contract/idempotency.test.ts'],
    testNamePattern: 'POST /v1/tags',
  },
  {
    name: 'deletion-takes-too-much',
    description: 'the tasks of a deleted user go with it, when they should stay and lose the reference',
    file: 'functions/shared/store/model/relations.ts',
    search: "field: 'userId', parent: 'user', onDelete: 'setNull'",
    replacement: "field: 'userId', parent: 'user', onDelete: 'cascade'",
    detectedBy: ['test/contract/references.test.ts'],
    testNamePattern: 'deleting a user',
  },
  {
    name: 'no-second-sweep',
    description:
      'a deletion leaves no job behind: a child written by a request that still saw the parent stays',
    file: 'functions/shared/store/cascades/sweep.ts',
    search: 'return { changes, writes: [beginSweep(tenant, kind, entity.id)] };',
    replacement: 'return { changes };',
    detectedBy: ['test/unit/functions/shared/store/cascades/continue-job.test.ts'],
    testNamePattern: 'still saw its parent',
  },
  {
    name: 'cascade-that-stops',
    description: 'a deletion that takes several steps ends with the first',
    file: 'functions/shared/store/cascades/sweep.ts',
    search: 'left: next ? { ...work, after: next } : { ...work, relation',
    replacement: 'left: next ? undefined : { ...work, relation',
    detectedBy: ['test/unit/functions/shared/store/cascades/continue-job.test.ts'],
    testNamePattern: 'outgrows a transaction',
  },
  {
    name: 'worker-for-each-record',
    description: 'every record of a batch that speaks of a job begins a worker',
    file: 'functions/jobs/on-stream.ts',
    search: 'const identity = job ? key : sequenceNumber;',
    replacement: 'const identity = job ? key + sequenceNumber : sequenceNumber;',
    detectedBy: ['test/faults/job-leases.test.ts'],
    testNamePattern: 'ten records',
  },
  {
    name: 'job-without-lease',
    description: 'a worker begins a job that another one holds',
    file: 'functions/shared/store/cascades/job.ts',
    search: 'lease.owner !== owner && lease.until > now',
    replacement: 'lease.owner === owner && lease.until < now',
    detectedBy: ['test/faults/job-leases.test.ts'],
    testNamePattern: 'the schedule and a later batch',
  },
  {
    name: 'lists-share-keys',
    description: 'the tasks of a project and those of a user are one list when they have one id',
    file: 'functions/shared/store/model/keys.ts',
    search: "{ child, field }: Pick<Relation, 'child' | 'field'>,\n  parentId: string,",
    replacement: "{ child }: Pick<Relation, 'child' | 'field'>,\n  parentId: string,\n  field = 'parent',",
    detectedBy: ['test/contract/bounds.test.ts'],
    testNamePattern: 'the id of another kind',
  },
  {
    name: 'one-record-for-all',
    description: 'a record of the stream that fails takes the others of its batch along',
    file: 'functions/jobs/job-session.ts',
    search: '    return false;\n',
    replacement: '    throw error;\n',
    detectedBy: ['test/unit/functions/jobs/failing-records.test.ts'],
  },
];
