import type { Mutation } from './mutation.ts';

const applyBatch = 'functions/store/cascades/apply-batch.ts';
const endpoint = 'functions/http/batch-endpoint.ts';
const operations = 'functions/http/batch-operations.ts';
const contract = 'test/contract/batch';

export const batchMutations: readonly Mutation[] = [
  {
    name: 'batch-fails-as-the-last',
    description: 'the status of a batch is that of the last operation that fails',
    file: endpoint,
    search: 'toProblem(failed.failures[0]?.error)',
    replacement: 'toProblem(failed.failures.at(-1)?.error)',
    detectedBy: [`${contract}/failures.test.ts`],
    testNamePattern: 'the first of several failing operations',
  },
  {
    name: 'batch-of-the-valid-ones',
    description: 'a batch applies its valid operations although another one fails',
    file: applyBatch,
    search: 'if (failures.length > 0) throw new BatchFailed(failures);',
    replacement: 'if (failures.length === resolved.length) throw new BatchFailed(failures);',
    detectedBy: [`${contract}/failures.test.ts`],
    testNamePattern: 'applies nothing if one operation fails',
  },
  {
    name: 'batch-in-two-transactions',
    description: 'the creations and updates of a batch are applied before its deletions',
    file: applyBatch,
    search:
      'const buildOwn = (includesChildren: boolean): ChangeSet =>\n      mergeChangeSets(resolved.map((one) => toChangeSet(step, one, includesChildren)));',
    replacement:
      'const all = mergeChangeSets(resolved.map((one) => toChangeSet(step, one, false)));\n    await commit({ ...session, idempotency: undefined }, async () => ({ changes: all.changes.filter(({ after }) => !after?.deletion), result: undefined }));\n    const own = { ...all, changes: all.changes.filter(({ after }) => after?.deletion) };\n    const buildOwn = (): ChangeSet => own;',
    detectedBy: ['test/simulation/scenarios/writes.test.ts'],
    testNamePattern: 'after a crash at each call',
  },
  {
    name: 'batch-writes-a-dependent-twice',
    description: 'an entity that refers to two deleted entities has two changes',
    file: 'functions/store/cascades/descendants.ts',
    search: 'const { children, total } = await readChildren(session, relation, ids, { limit: left + 1 });',
    replacement:
      'const lists = await Promise.all(ids.map((id) => readChildren(session, relation, [id], { limit: left + 1 })));\n    const children = lists.flatMap((list) => list.children);\n    const total = children.length;',
    detectedBy: [`${contract}/operations.test.ts`],
    testNamePattern: 'remove several deleted tags',
  },
  {
    name: 'batch-keeps-a-deleted-tag',
    description: 'a task loses only one of several tags that are deleted together',
    file: 'functions/store/cascades/sweep.ts',
    search: 'value.filter((id) => !parentIds.includes(id as string))',
    replacement: 'value.filter((id) => id !== parentIds[0])',
    detectedBy: [`${contract}/operations.test.ts`],
    testNamePattern: 'remove several deleted tags',
  },
  {
    name: 'batch-names-an-entity-twice',
    description: 'two operations of a batch can have the same id',
    file: operations,
    search: 'const repeated = ids.has(id) ?',
    replacement: "const repeated = ids.has('') ?",
    detectedBy: [`${contract}/failures.test.ts`],
    testNamePattern: 'operations that repeat an id',
  },
  {
    name: 'batch-ignores-if-match',
    description: 'an operation of a batch ignores ifMatch',
    file: applyBatch,
    search: 'versionMismatch(target, operation.expected)',
    replacement: 'versionMismatch(target, undefined)',
    detectedBy: [`${contract}/operations.test.ts`],
    testNamePattern: 'returns 412 and applies nothing',
  },
  {
    name: 'batch-checks-no-references',
    description: 'an operation of a batch can refer to an entity that does not exist',
    file: applyBatch,
    search: 'const resolved = await checkOthers(session, unchecked);',
    replacement: 'const resolved = await checkOthers(session, unchecked.slice(0, 0)).then(() => unchecked);',
    detectedBy: [`${contract}/failures.test.ts`],
    testNamePattern: 'missing references',
  },
  {
    name: 'result-in-one-item',
    description: 'of a result that exceeds one item, only the first item is recorded',
    file: 'functions/store/unit-of-work/idempotency.ts',
    search: 'Math.ceil(json.length / maxPartBytes)',
    replacement: 'Math.min(1, Math.ceil(json.length / maxPartBytes))',
    detectedBy: ['test/unit/functions/store/unit-of-work.test.ts'],
    testNamePattern: 'exceeds one item in several',
  },
];
