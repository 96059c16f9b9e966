import { toMutations } from './mutation.ts';

export const batchMutations = toMutations({
  'functions/http/batch-endpoint.ts': {
    'batch-fails-as-the-last': [
      'toProblem(failed.failures[0]?.error)',
      'toProblem(failed.failures.at(-1)?.error)',
    ],
  },
  'functions/engine/batches/apply-batch.ts': {
    'batch-of-the-valid-ones': [
      'if (failures.length > 0) throw new BatchFailed(failures);',
      'if (failures.length === resolved.length) throw new BatchFailed(failures);',
    ],
    'batch-in-two-transactions': [
      'await buildDeletions(session, deleted, others, attempt)',
      'await (await commit({ ...session, idempotency: undefined }, async () => ({ changes: others, result: undefined })), buildDeletions(session, deleted, [], attempt))',
    ],
    'position-of-a-refused-batch': ['created > 0 ? [kind] : []', '[kind].slice(created > 0 ? 0 : 0)'],
    'batch-ignores-if-match': [
      'versionMismatch(target, operation.expected)',
      'versionMismatch(target, undefined)',
    ],
    'batch-checks-no-references': [
      'return checkOthers(session, kind, unchecked);',
      'return checkOthers(session, kind, unchecked.slice(0, 0)).then(() => unchecked);',
    ],
  },
  'functions/engine/deletions/descendants.ts': {
    'step-for-each-sub-task': [
      "for (let after: string | undefined = ''; children.length < pageSize; )",
      "for (let after: string | undefined = ''; children.length < 1; )",
    ],
    'batch-writes-a-dependent-twice': [
      'const others = children.filter((child) => !found.has(nameOf(child)));',
      'const others = children.filter((child) => !found.has(nameOf(child)) || found.size > 0);',
    ],
    'batch-keeps-a-deleted-tag': [
      'value.filter((id) => !parentIds.includes(id as string))',
      'value.filter((id) => id !== parentIds[0])',
    ],
  },
  'functions/http/batch-operations.ts': {
    'batch-names-an-entity-twice': ['const repeated = ids.has(id) ?', "const repeated = ids.has('') ?"],
  },
  'functions/engine/write/idempotency.ts': {
    'result-in-one-item': [
      'Math.ceil(json.length / maxPartBytes)',
      'Math.min(1, Math.ceil(json.length / maxPartBytes))',
    ],
  },
});
