import { toMutations } from './mutation.ts';

export const writeMutations = toMutations({
  'functions/engine/write/idempotency.ts': {
    'expired-key-never-free': [
      'an idempotency key cannot be used again until DynamoDB has deleted its item, days later',
      'attribute_not_exists(pk) OR expiresAt <= :now',
      'attribute_not_exists(pk) OR expiresAt = :now',
    ],
    'unchanged-entities-stored': [
      'the result of an Idempotency-Key has the entities that the request did not change',
      'isStored(value) && !changed.has(value)',
      "isStored(value) && changed.has('')",
    ],
    'unchanged-version-of-now': [
      'a replay shows entities that the request did not change with their present ETag',
      'one && ({ ...one, version }',
      'one && ({ ...one, version: one.version + 0 * version }',
    ],
    'key-for-any-request': [
      'an Idempotency-Key returns the recorded response also for another body',
      "if (first['fingerprint'] !== idempotency.fingerprint) throw new IdempotencyKeyReused();",
      'if (!idempotency.fingerprint) throw new IdempotencyKeyReused();',
    ],
  },
  'functions/engine/entities/requirements.ts': {
    'parent-not-required': [
      'an entity can be created with a parent that does not exist',
      'if (missing) throw missing;',
      '',
    ],
    'contradicting-fields-written': [
      'a write accepts a field that contradicts another one',
      'if (error) throw error;',
      'void error;',
    ],
  },
  'functions/engine/model/changes.ts': {
    'update-without-version': [
      'two writers that read the same version both succeed',
      'const condition = hasVersion(before.version);',
      "const condition = { expression: 'attribute_exists(pk)' };",
    ],
    'erased-entities-restored': [
      'a restore that has read an entity before it was erased brings it back',
      'moves: (before.deletion.moves ?? 0) + 1 };\n  const after = { ...before, version: before.version + 1,',
      'moves: (before.deletion.moves ?? 0) + 1 };\n  const after = { ...before, version: before.version + (to.isErased ? 0 : 1),',
    ],
    'created-at-arrival': [
      'the creation time of an entity with an own id is not the time of the id',
      'const createdMs = timestampMs(id);',
      'const createdMs = Math.max(nowMs, timestampMs(id));',
    ],
    'updated-before-arrival': [
      'an entity with an own id was updated before it arrived',
      'new Date(Math.max(nowMs, createdMs))',
      'new Date(Math.min(nowMs, createdMs))',
    ],
  },
  'functions/engine/entities/trees.ts': {
    'tree-of-eleven-levels': [
      'a tree has more levels than the maximum',
      'above.length < maxLevels ? undefined',
      'above.length <= maxLevels ? undefined',
    ],
    'levels-below-not-counted': [
      'the levels below a task that moves do not count',
      'return below[0];',
      'return below[maxLevels ** 9];',
    ],
    'one-walk-for-each-move': [
      'a batch that moves tasks of one tree walks through it again for each level',
      'new Set([...below, ...moved])',
      'new Set([...below, ...moved, ...(number > 1 ? levels.keys() : [])])',
    ],
    'cycle-above-not-named': [
      'a task below a cycle is refused as if the tree had too many levels',
      'above.indexOf(one) < place)',
      'above.indexOf(one) < place - maxLevels)',
    ],
    'task-below-itself': [
      'a cycle is refused as a tree of too many levels',
      'if (above.includes(id)) return',
      'if (above.includes(id) && above.length <= 0) return',
    ],
    'tree-before-the-batch': [
      'the tree before a batch decides, not the one after it',
      'const parents: Parents = new Map(changes.map(',
      'const parents: Parents = new Map(changes.slice(changes.length).map(',
    ],
    'sub-task-moved-from-a-deleted-task': [
      'a batch moves a task away that is below one that it deletes',
      '[...above, ...former].some(',
      '[...above, ...former.slice(former.length)].some(',
    ],
  },
  'functions/engine/entities/preconditions.ts': {
    'if-match-ignored': [
      'a write ignores the version in If-Match',
      'return expected.has(stored.version) ?',
      'return expected.size !== -stored.version ?',
    ],
  },
  'functions/http/conditional-requests.ts': {
    'if-none-match-ignored': [
      'a write with "If-None-Match: *" changes an entity that exists',
      'if (!acceptsNoVersion(headers)) return',
      'if (!acceptsNoVersion({})) return',
    ],
  },
  'functions/engine/entities/own-ids.ts': {
    'own-id-of-any-age': [
      'a creation takes an id that is older than what is remembered of deleted entities',
      'if (timeMs <= nowMs - maxOwnIdAgeMs)',
      'if (timeMs <= nowMs - 2 * maxOwnIdAgeMs)',
    ],
    'own-id-ahead-of-the-time': [
      'a creation takes an id whose time is in the future',
      'if (timeMs > nowMs + maxOwnIdAheadMs)',
      'if (timeMs > nowMs + 100 * maxOwnIdAheadMs)',
    ],
    'own-id-in-any-form': [
      'a creation takes an id that has not the form of an id',
      'const issue = findFormIssue(id) ?? findTimeIssue(id, nowMs);',
      'const issue = findTimeIssue(id, nowMs);',
    ],
  },
  'functions/engine/batches/apply-batch.ts': {
    'own-id-unchecked-in-a-batch': [
      'a batch takes any id for a creation',
      'const error =\n      id === undefined ? undefined : findOwnIdError(id, existing.get(id) ?? deleted.get(id), nowMs);',
      'const error = id === undefined || existing.size === 0 ? undefined : findOwnIdError(id, existing.get(id), nowMs);',
    ],
  },
  'functions/http/validation.ts': {
    'id-in-a-post-ignored': [
      'an app that sends an id with POST gets another one silently',
      'const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;',
      "const reason = Object.hasOwn(refused, name) && name !== 'id' ? refused[name] : undefined;",
    ],
  },
  'functions/http/endpoint.ts': {
    'key-of-a-put-ignored': [
      'a creation by PUT is not applied once under its idempotency key',
      ' || acceptsNoVersion(headers);',
      ';',
    ],
    'change-without-its-key': [
      'a change with If-Match is not applied once under its idempotency key',
      " || headers['if-match'] !== undefined",
      '',
    ],
  },
  'functions/projects/resource.ts': {
    'dates-in-any-order': [
      'a project can end before it starts',
      'startDate <= dueDate) return undefined;',
      "startDate <= dueDate || dueDate !== '') return undefined;",
    ],
  },
  'functions/engine/write/commit.ts': {
    'recorded-outside-the-transaction': [
      'the records of the change log are written before the transaction, not in it',
      'await session.database.transact(writes, { isDecidable: first !== undefined, token });',
      'const own = [...records.values()] as readonly Write[];\n    if (own.length > 0) await session.database.transact(own);\n    await session.database.transact(writes.filter((write) => !own.includes(write)));',
    ],
    'key-recorded-before': [
      'the result of an Idempotency-Key is recorded before the write',
      'await sendFitting({ session, positions, more }, changeSet, orElse);',
      'if (more.length > 0) await session.database.transact(more);\n    await sendFitting({ session, positions }, changeSet, orElse);',
    ],
    'refused-by-its-first-attempt': [
      'an attempt that overlaps with an earlier one of the same request is refused for what that has changed',
      'if (!recorded) throw error;',
      'if (error || !recorded) throw error;',
    ],
    'any-write-units': ['one request may write any number of units', ' && sum(units) <= maxWriteUnits', ''],
    'key-recorded-after': [
      'the result of an Idempotency-Key is recorded after the write, so that a stop in between duplicates the write',
      'await sendFitting({ session, positions, more }, changeSet, orElse);',
      'await sendFitting({ session, positions }, changeSet, orElse);\n    if (more.length > 0) await session.database.transact(more);',
    ],
  },
  'functions/engine/model/write-units.ts': {
    'replaced-entities-of-1-kb': [
      'the units of a write do not count the size of the entity that it replaces or deletes',
      'replacedBytes = replaced ? itemBytes(replaced) : 0',
      'replacedBytes = 0',
    ],
  },
  'functions/engine/entities/references.ts': {
    'created-parent-unknown': [
      'an operation of a batch cannot refer to what another one creates',
      'new Set([...created, ...existing])',
      'new Set(existing)',
    ],
    'any-number-of-references': [
      'a batch may add references to any number of entities',
      'keys.size > maxReferences',
      'keys.size > 100 * maxReferences',
    ],
  },
  'functions/tasks/resource.ts': {
    'deletion-takes-too-much': [
      'the tasks of a deleted user are deleted, instead of losing the reference',
      'nullable(reference(user))',
      "nullable(reference(user, { onDelete: 'cascade' }))",
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'no-second-sweep': [
      'a deletion starts no second pass, so that a child of a concurrent request remains',
      '.filter((kind) => dependentsOf(kind).length > 0)',
      '.filter((kind) => dependentsOf(kind).length < 0)',
    ],
  },
  'functions/jobs/on-stream.ts': {
    'worker-for-each-record': [
      'every record of a job in a batch starts a worker',
      'const identity = job ? key : sequenceNumber;',
      'const identity = job ? key + sequenceNumber : sequenceNumber;',
    ],
  },
  'functions/engine/model/job.ts': {
    'job-without-lease': [
      'a worker starts a job that another worker holds',
      'lease.owner !== owner && lease.until > now',
      'lease.owner === owner && lease.until < now',
    ],
    'lease-without-end': [
      'nobody continues a job whose worker has crashed',
      'lease.owner !== owner && lease.until > now',
      "lease.owner !== owner && lease.until > ''",
    ],
  },
  'functions/jobs/job-session.ts': {
    'one-record-for-all': [
      'a failing stream record fails its whole batch',
      '    return false;\n',
      '    throw error;\n',
    ],
  },
  'functions/engine/model/unique-value.ts': {
    'subject-without-condition': [
      'the item of a subject replaces that of another user',
      'condition: notExists',
      "condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' }",
    ],
    'subject-kept-after-its-user': [
      'the deletion of a user leaves the item of the subject',
      'if (before && former !== undefined)',
      'if (before && after && former !== undefined)',
    ],
  },
  'functions/engine/entities/unique-values.ts': {
    'swapped-subjects': [
      'one transaction takes a subject from a user and gives it to another',
      'if (loser >= 0) return movedInBatch(value.kind, [loser, position]);',
      '',
    ],
  },
});
