import { toMutations } from './mutation.ts';

export const writeMutations = toMutations({
  'functions/engine/write/idempotency.ts': {
    'expired-key-never-free': [
      'attribute_not_exists(pk) OR expiresAt <= :now',
      'attribute_not_exists(pk) OR expiresAt = :now',
    ],
    'unchanged-entities-stored': [
      'isStored(value) && !changed.has(value)',
      "isStored(value) && changed.has('')",
    ],
    'unchanged-version-of-now': [
      'one && ({ ...one, version }',
      'one && ({ ...one, version: one.version + 0 * version }',
    ],
    'key-for-any-request': [
      "if (first['fingerprint'] !== idempotency.fingerprint)",
      'if (!idempotency.fingerprint)',
    ],
  },
  'functions/engine/entities/requirements.ts': {
    'parent-not-required': ['if (missing) throw missing;', ''],
    'contradicting-fields-written': ['if (error) throw error;', 'void error;'],
  },
  'functions/engine/model/changes.ts': {
    'update-without-version': [
      'const condition = hasVersion(before.version);',
      "const condition = { expression: 'attribute_exists(pk)' };",
    ],
    'erased-entities-restored': [
      'moves: (before.deletion.moves ?? 0) + 1 };\n  const after = { ...before, version: before.version + 1,',
      'moves: (before.deletion.moves ?? 0) + 1 };\n  const after = { ...before, version: before.version + (to.isErased ? 0 : 1),',
    ],
    'created-at-arrival': [
      'const createdMs = timestampMs(id);',
      'const createdMs = Math.max(nowMs, timestampMs(id));',
    ],
    'updated-before-arrival': [
      'new Date(Math.max(nowMs, createdMs))',
      'new Date(Math.min(nowMs, createdMs))',
    ],
  },
  'functions/engine/entities/trees.ts': {
    'moved-without-the-levels-below': [
      'if (!readBelow && moved.some(({ before }) => before))',
      'if (!readBelow && moved.length < 0)',
    ],
    'tree-of-eleven-levels': [
      'above.length < maxLevels ? undefined',
      'above.length <= maxLevels ? undefined',
    ],
    'levels-below-not-counted': ['return below[0];', 'return below[maxLevels ** 9];'],
    'one-walk-for-each-move': [
      'new Set([...below, ...moved])',
      'new Set([...below, ...moved, ...(number > 1 ? levels.keys() : [])])',
    ],
    'cycle-above-not-named': ['above.indexOf(one) < place)', 'above.indexOf(one) < place - maxLevels)'],
    'task-below-itself': [
      'if (above.includes(id)) return',
      'if (above.includes(id) && above.length <= 0) return',
    ],
    'tree-before-the-batch': [
      'const parents: Parents = new Map(changes.map(',
      'const parents: Parents = new Map(changes.slice(changes.length).map(',
    ],
    'sub-task-moved-from-a-deleted-task': [
      '[...above, ...former].some(',
      '[...above, ...former.slice(former.length)].some(',
    ],
  },
  'functions/engine/entities/read-entity.ts': {
    'if-match-ignored': [
      'return expected.has(stored.version) ?',
      'return expected.size !== -stored.version ?',
    ],
  },
  'functions/http/conditional-requests.ts': {
    'if-none-match-ignored': ['if (!acceptsNoVersion(headers)) return', 'if (!acceptsNoVersion({})) return'],
  },
  'functions/engine/entities/own-ids.ts': {
    'own-id-of-any-age': ['if (timeMs <= nowMs - maxOwnIdAgeMs)', 'if (timeMs <= nowMs - 2 * maxOwnIdAgeMs)'],
    'own-id-ahead-of-the-time': [
      'if (timeMs > nowMs + maxOwnIdAheadMs)',
      'if (timeMs > nowMs + 100 * maxOwnIdAheadMs)',
    ],
    'own-id-in-any-form': [
      'const issue = findFormIssue(id) ?? findTimeIssue(id, nowMs);',
      'const issue = findTimeIssue(id, nowMs);',
    ],
  },
  'functions/engine/batches/apply-batch.ts': {
    'own-id-unchecked-in-a-batch': [
      'const stored = existing.get(id) ?? deleted.get(id);',
      'const stored = existing.get(id) ?? (existing.size > 0 ? deleted.get(id) : undefined);',
    ],
  },
  'functions/http/validation.ts': {
    'id-in-a-post-ignored': [
      'const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;',
      "const reason = Object.hasOwn(refused, name) && name !== 'id' ? refused[name] : undefined;",
    ],
  },
  'functions/http/write-endpoint.ts': {
    'key-of-a-put-ignored': [' || acceptsNoVersion(headers);', ';'],
    'change-without-its-key': [" || headers['if-match'] !== undefined", ''],
  },
  'functions/projects/resource.ts': {
    'dates-in-any-order': [
      'startDate <= dueDate) return undefined;',
      "startDate <= dueDate || dueDate !== '') return undefined;",
    ],
  },
  'functions/engine/write/commit.ts': {
    'transaction-of-any-size': [
      'assert(writes.length <= maxTransactionWrites,',
      'assert(writes.length >= 0,',
    ],
    'recorded-outside-the-transaction': [
      'await session.database.transact(writes, { isDecidable: first !== undefined, token });',
      'const own = [...records.values()] as readonly Write[];\n    if (own.length > 0) await session.database.transact(own);\n    await session.database.transact(writes.filter((write) => !own.includes(write)));',
    ],
    'key-recorded-before': [
      'sendFitting(writer, changeSet, orElse)',
      'Promise.resolve(writer.more.length > 0 ? session.database.transact(writer.more) : undefined).then(() => sendFitting({ session, positions }, changeSet, orElse))',
    ],
    'refused-by-its-first-attempt': ['if (!recorded) throw error;', 'if (error || !recorded) throw error;'],
    'any-write-units': [' && sum(units) <= maxWriteUnits', ''],
    'key-recorded-after': [
      'sendFitting(writer, changeSet, orElse)',
      'sendFitting({ session, positions }, changeSet, orElse).then(() => (writer.more.length > 0 ? session.database.transact(writer.more) : undefined))',
    ],
  },
  'functions/engine/model/write-units.ts': {
    'replaced-entities-of-1-kb': ['replacedBytes = replaced ? itemBytes(replaced) : 0', 'replacedBytes = 0'],
  },
  'functions/engine/entities/references.ts': {
    'created-parent-unknown': ['new Set([...created, ...existing])', 'new Set(existing)'],
    'any-number-of-references': ['keys.size > maxReferences', 'keys.size > 100 * maxReferences'],
  },
  'functions/tasks/resource.ts': {
    'deletion-takes-too-much': [
      'nullable(reference(user))',
      "nullable(reference(user, { onDelete: 'cascade' }))",
    ],
  },
  'functions/engine/deletions/sweep.ts': {
    'no-second-sweep': [
      '.filter(({ kind }) => dependentsOf(kind).length > 0)',
      '.filter(({ kind }) => dependentsOf(kind).length < 0)',
    ],
  },
  'functions/jobs/on-stream.ts': {
    'worker-for-each-record': [
      'const identity = job ? key : sequenceNumber;',
      'const identity = job ? key + sequenceNumber : sequenceNumber;',
    ],
  },
  'functions/engine/model/job.ts': {
    'job-without-lease': [
      'lease.owner !== owner && lease.until > time',
      'lease.owner === owner && lease.until < time',
    ],
    'lease-without-end': [
      'lease.owner !== owner && lease.until > time',
      "lease.owner !== owner && lease.until > ''",
    ],
  },
  'functions/jobs/job-session.ts': {
    'one-record-for-all': ['    return false;\n', '    throw error;\n'],
  },
  'functions/engine/model/unique-value.ts': {
    'subject-without-condition': [
      'condition: notExists',
      "condition: { expression: 'attribute_exists(pk) OR attribute_not_exists(pk)' }",
    ],
    'subject-kept-after-its-user': [
      'if (before && former !== undefined)',
      'if (before && after && former !== undefined)',
    ],
  },
  'functions/engine/entities/unique-values.ts': {
    'swapped-subjects': ['if (loser >= 0) return movedInBatch(value.kind, [loser, position]);', ''],
  },
});
