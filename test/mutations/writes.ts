import type { Mutation } from './mutation.ts';

const commit = 'functions/shared/store/unit-of-work/commit.ts';

/** Mutations of transactions and of their conditions. */
export const writeMutations: readonly Mutation[] = [
  {
    name: 'parent-not-required',
    description: 'an entity can be created with a parent that does not exist',
    file: 'functions/shared/store/entities/create-entity.ts',
    search: 'await requireReferences(session, change);',
    replacement: '',
    detectedBy: ['test/contract/references.test.ts'],
    testNamePattern: 'organizationId of a project',
  },
  {
    name: 'update-without-version',
    description: 'two writers that read the same version both succeed',
    file: 'functions/shared/store/model/changes.ts',
    search: 'before ? hasVersion(before.version) : notExists',
    replacement: "before ? { expression: 'attribute_exists(pk)' } : notExists",
    detectedBy: ['test/faults/single-failures.test.ts'],
    testNamePattern: 'changed meanwhile',
  },
  {
    name: 'if-match-ignored',
    description: 'a write ignores the version in If-Match',
    file: 'functions/shared/store/entities/preconditions.ts',
    search: 'expected === undefined || expected.has(version);',
    replacement: 'expected === undefined || expected.size !== -version;',
    detectedBy: ['test/contract/caching-and-concurrency.test.ts'],
    testNamePattern: 'stale If-Match',
  },
  {
    name: 'recorded-outside-the-transaction',
    description: 'the records of the change log are written before the transaction, not in it',
    file: commit,
    search: 'return {\n    writes: [...own, ...records, ...writes, ...more],',
    replacement:
      'if (records.length > 0) await session.database.transact(records);\n  return {\n    writes: [...own, ...writes, ...more],',
    detectedBy: ['test/faults/crash-points.test.ts'],
    testNamePattern: 'createTag',
  },
  {
    name: 'key-recorded-before',
    description: 'the result of an Idempotency-Key is recorded before the write',
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
      'the result of an Idempotency-Key is recorded after the write, so that a stop in between duplicates the write',
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
    description: 'an Idempotency-Key returns the recorded response also for another body',
    file: 'functions/shared/store/unit-of-work/idempotency.ts',
    search: "if (first['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();",
    replacement: 'if (!idempotency.fingerprint) throw new IdempotencyKeyReused();',
    detectedBy: ['test/contract/idempotency.test.ts'],
    testNamePattern: 'POST /v1/tags',
  },
  {
    name: 'deletion-takes-too-much',
    description: 'the tasks of a deleted user are deleted, instead of losing the reference',
    file: 'functions/shared/store/model/relations.ts',
    search: "field: 'userId', parent: 'user', onDelete: 'setNull'",
    replacement: "field: 'userId', parent: 'user', onDelete: 'cascade'",
    detectedBy: ['test/contract/references.test.ts'],
    testNamePattern: 'deleting a user',
  },
  {
    name: 'no-second-sweep',
    description: 'a deletion starts no second sweep, so that a child of a concurrent request remains',
    file: 'functions/shared/store/cascades/sweep.ts',
    search: 'return { changes, writes: [beginSweep(tenant, kind, entity.id)] };',
    replacement: 'return { changes };',
    detectedBy: ['test/unit/functions/shared/store/cascades/continue-job.test.ts'],
    testNamePattern: 'still saw its parent',
  },
  {
    name: 'cascade-that-stops',
    description: 'a deletion with several steps ends after the first one',
    file: 'functions/shared/store/cascades/sweep.ts',
    search: 'left: next ? { ...work, after: next } : { ...work, relation',
    replacement: 'left: next ? undefined : { ...work, relation',
    detectedBy: ['test/unit/functions/shared/store/cascades/continue-job.test.ts'],
    testNamePattern: 'outgrows a transaction',
  },
  {
    name: 'worker-for-each-record',
    description: 'every record of a job in a batch starts a worker',
    file: 'functions/jobs/on-stream.ts',
    search: 'const identity = job ? key : sequenceNumber;',
    replacement: 'const identity = job ? key + sequenceNumber : sequenceNumber;',
    detectedBy: ['test/faults/job-leases.test.ts'],
    testNamePattern: 'ten records',
  },
  {
    name: 'job-without-lease',
    description: 'a worker starts a job that another worker holds',
    file: 'functions/shared/store/model/job.ts',
    search: 'lease.owner !== owner && lease.until > now',
    replacement: 'lease.owner === owner && lease.until < now',
    detectedBy: ['test/faults/job-leases.test.ts'],
    testNamePattern: 'the schedule and a later batch',
  },
  {
    name: 'one-record-for-all',
    description: 'a failing stream record fails its whole batch',
    file: 'functions/jobs/job-session.ts',
    search: '    return false;\n',
    replacement: '    throw error;\n',
    detectedBy: ['test/unit/functions/jobs/failing-records.test.ts'],
  },
];
