import { toMutations } from './mutation.ts';

/** Mutations of the rules of a copy that an app changes. docs/sync.md gives the reasons. */
export const replicationMutations = toMutations({
  'client/replication.ts': {
    'children-before-parents': ['add(created.get(value));', 'created.get(value);'],
    'pages-read-during-a-push': [
      'if (pushes !== this.#pushes) continue;',
      'if (pushes > this.#pushes) continue;',
    ],
    'older-change-over-a-newer-one': [
      'if (failure.error !== undefined) throw failure.error;',
      'if (failure.error === null) throw failure.error;',
    ],
  },
  'client/change-writer.ts': {
    'own-writes-of-a-copy-forgotten': [
      'isInState(written, [state], touched)',
      'isInState(written, [], touched)',
    ],
    'attempts-of-a-copy-forgotten': ['[...attempted, values]', '[...attempted]'],
    'lost-responses-are-conflicts': ["return 'done';", "return 'give up';"],
    'conflicts-overwritten': [
      'isStoredAs(state[field], (entity as Fields)[field])',
      'isStoredAs(state[field], state[field] ?? (entity as Fields)[field])',
    ],
    'changes-without-effect-unanswered': [
      'isUnchanged: current?.version !== before?.version',
      'isUnchanged: false',
    ],
    'refused-change-stops-the-copy': ["  'invalid-request',\n", "  'malformed-request',\n"],
    'unlisted-creations-kept': ['this.#unlisted.set(id, undefined)', 'this.#unlisted.delete(id)'],
  },
  'client/change-reader.ts': {
    'expired-copy-keeps-what-is-deleted': [
      'if (!given.has(id)) removed.add(id)',
      'if (!given.has(id)) removed.delete(id)',
    ],
    'expired-copy-stops-half-way': [
      'return { ...page, cursor };',
      'return { ...page, cursor: cursor && page.cursor };',
    ],
    'page-that-was-not-stored-lost': ['[since, start],', '[since, end],'],
    'empty-pages-read-again': [
      'isEmptyPage(whole) ? { cursor: page.cursor } : start',
      'isEmptyPage(whole) ? start : start',
    ],
  },
});
