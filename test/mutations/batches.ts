import { toMutations } from './mutation.ts';

export const batchMutations = toMutations({
  'functions/http/batch-endpoint.ts': {
    'batch-fails-as-the-last': [
      'the status of a batch is that of the last operation that fails',
      'toProblem(failed.failures[0]?.error)',
      'toProblem(failed.failures.at(-1)?.error)',
    ],
  },
  'functions/engine/batches/apply-batch.ts': {
    'batch-of-the-valid-ones': [
      'a batch applies its valid operations although another one fails',
      'if (failures.length > 0) throw new BatchFailed(failures);',
      'if (failures.length === resolved.length) throw new BatchFailed(failures);',
    ],
    'batch-in-two-transactions': [
      'the creations and updates of a batch are applied before its deletions',
      'await buildDeletions(session, deleted, others, attempt)',
      'await (await commit({ ...session, idempotency: undefined }, async () => ({ changes: others, result: undefined })), buildDeletions(session, deleted, [], attempt))',
    ],
    'position-of-a-refused-batch': [
      'a batch of changes that is refused costs a position and its filler',
      'isCreating ? [kind] : []',
      '[kind].slice(isCreating ? 0 : 0)',
    ],
    'batch-ignores-if-match': [
      'an operation of a batch ignores ifMatch',
      'versionMismatch(target, operation.expected)',
      'versionMismatch(target, undefined)',
    ],
    'batch-checks-no-references': [
      'an operation of a batch can refer to an entity that does not exist',
      'const resolved = await checkOthers(session, kind, unchecked);',
      'const resolved = await checkOthers(session, kind, unchecked.slice(0, 0)).then(() => unchecked);',
    ],
  },
  'functions/engine/deletions/descendants.ts': {
    'step-for-each-sub-task': [
      'a deletion takes a step for each of hundreds of sub-tasks of one task',
      "for (let after: string | undefined = ''; children.length < pageSize; )",
      "for (let after: string | undefined = ''; children.length < 1; )",
    ],
    'batch-writes-a-dependent-twice': [
      'an entity that refers to two deleted entities has two changes',
      'const others = children.filter((child) => !found.has(nameOf(child)));',
      'const others = children.filter((child) => !found.has(nameOf(child)) || found.size > 0);',
    ],
    'batch-keeps-a-deleted-tag': [
      'a task loses only one of several tags that are deleted together',
      'value.filter((id) => !parentIds.includes(id as string))',
      'value.filter((id) => id !== parentIds[0])',
    ],
  },
  'functions/http/batch-operations.ts': {
    'batch-names-an-entity-twice': [
      'two operations of a batch can have the same id',
      'const repeated = ids.has(id) ?',
      "const repeated = ids.has('') ?",
    ],
  },
  'functions/engine/write/idempotency.ts': {
    'result-in-one-item': [
      'of a result that exceeds one item, only the first item is recorded',
      'Math.ceil(json.length / maxPartBytes)',
      'Math.min(1, Math.ceil(json.length / maxPartBytes))',
    ],
  },
});
