import { toMutations } from './mutation.ts';

/** Mutations of the numbers of tasks: no number twice, and no call more in sequence. */
export const numberMutations = toMutations({
  'functions/engine/entities/numbers.ts': {
    'lost-counter-below-requests-in-progress': [
      'greatest + skippedNumbers',
      'greatest + Math.min(0, skippedNumbers)',
    ],
    'first-number-above-the-skipped-ones': ['greatest === 0 ? 0', 'greatest < 0 ? 0'],
    'lost-counter-made-by-each-writer': [
      'database.putItem(first, notExists)',
      'database.putItem(first, notExists && undefined)',
    ],
    'lost-counter-begins-at-one': ['{ mustExist: true }', '{ mustExist: false }'],
    'numbers-begin-with-the-last-one': ['last - count + 1 + index', 'last + index'],
    'numbers-after-the-other-reads': [
      'const both = [read(), take()] as const;',
      'const reads = read();\n    const both = [reads, reads.then(() => take())] as const;',
    ],
    'numbers-for-each-attempt': [
      'lazy(() => takeNumbers(session, kind, count));',
      '() => lazy(() => takeNumbers(session, kind, count))();',
    ],
    'counter-after-the-request': ['await Promise.allSettled(both);', ''],
    'numbers-of-every-kind': [
      '!schemaInUse().numbered.includes(kind)',
      'schemaInUse().numbered.length === 0',
    ],
  },
  'functions/engine/lists/greatest-number.ts': {
    'lost-counter-below-columns': ['...columns.map(', '...columns.slice(0, 0).map('],
    'lost-counter-below-patches': ['...patched.flatMap(', '...patched.slice(0, 0).flatMap('],
    'lost-counter-below-waiting-tasks': ['...rows.map(', '...rows.slice(0, 0).map('],
    'lost-counter-below-records': ['...records.flatMap(', '...records.slice(0, 0).flatMap('],
  },
  'functions/engine/batches/apply-batch.ts': {
    'numbers-of-a-batch-backwards': ['left.shift()', 'left.pop()'],
    'updates-of-a-batch-get-numbers': [
      "if (!('whole' in one) || one.whole.before) return one;",
      "if (!('whole' in one)) return one;",
    ],
  },
  'functions/projects/clone.ts': {
    'job-copies-without-numbers': [
      '[...changes.values()].map((copy, place) => withNumber(copy, numbers[place]))',
      '[...changes.values()].map((copy, place) => withNumber(copy, numbers[place + stepSize]))',
    ],
  },
  'functions/contract/list-fields.ts': {
    'numbers-of-tasks-added': [
      "isSummable: type === 'number' && !uncounted.has(name)",
      "isSummable: type === 'number'",
    ],
  },
  'functions/engine/lists/list-deleted.ts': {
    'deleted-rows-without-their-deletion': [
      '[...fields, ...Object.values(rowOfDeletion)]',
      '[...fields, ...Object.values(rowOfDeletion).slice(9)]',
    ],
  },
  'lib/audit/unnumbered.ts': {
    'numbers-change-the-time': [
      '{ [numberField]: numbers[place] }, 0)',
      '{ [numberField]: numbers[place] }, Date.now())',
    ],
    'numbers-of-old-tasks-backwards': [
      'one.entity.id < other.entity.id ? -1 : 1',
      'one.entity.id < other.entity.id ? 1 : -1',
    ],
    'numbers-of-old-tasks-without-a-pace': ['(1_000 * page.entities.length)', '(0 * page.entities.length)'],
    'numbers-given-again': [
      '!one.deletion && numberOf(one.entity) === 0',
      '!one.deletion && numberOf(one.entity) >= 0',
    ],
  },
  'lib/audit/snapshot.ts': {
    'numbers-of-deleted-tasks-not-compared': [
      'log.number = Math.max(log.number, number ?? 0);',
      'if (!deletion) log.number = Math.max(log.number, number ?? 0);',
    ],
  },
  'lib/audit/sequencers.ts': {
    'counter-behind-not-found': ['if (given < log.number)', 'if (given < 0 * log.number)'],
  },
  'lib/erase/erase-tenant.ts': {
    'erased-tenant-begins-numbers-again': [
      'if (sk === numbersSortKey) return;',
      'if (sk === `${numbersSortKey}x`) return;',
    ],
  },
  'client/fields.ts': {
    'copies-send-numbers': ["['id', 'number', 'version',", "['id', 'version',"],
  },
  'client/mcp/call-tool.ts': {
    'agents-restore-no-numbers': [
      "template.endsWith('/restore') ? '/deleted'",
      "template.endsWith('/restored') ? '/deleted'",
    ],
    'agents-take-names-for-numbers': ['/"(id|parentId)":', '/"(id|parentId|name)":'],
  },
});
