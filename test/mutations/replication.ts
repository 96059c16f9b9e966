import { toMutations } from './mutation.ts';

/** Mutations of the rules of a copy that an app changes. docs/sync.md gives the reasons. */
export const replicationMutations = toMutations({
  'client/replication.ts': {
    'children-before-parents': [
      'a push sends a sub-task before the task that it is a part of',
      'add(created.get(value));',
      'created.get(value);',
    ],
    'pages-read-during-a-push': [
      'a copy drops the page with its own change, because it is sending the change',
      'if (pushes === this.#pushes) return',
      'if (pushes <= this.#pushes) return',
    ],
    'older-change-over-a-newer-one': [
      'a change is sent although an earlier one, for which it waits, has failed',
      'if (failure.error !== undefined) throw failure.error;',
      'if (failure.error === null) throw failure.error;',
    ],
  },
  'client/change-writer.ts': {
    'own-writes-of-a-copy-forgotten': [
      'each change after another one of the same entity needs three requests',
      'isInState(written, [state], touched)',
      'isInState(written, [], touched)',
    ],
    'attempts-of-a-copy-forgotten': [
      'a device is in conflict with what it has sent itself without getting a response',
      '[...attempted, values]',
      '[...attempted]',
    ],
    'lost-responses-are-conflicts': [
      'a change that is sent again after a lost response is a conflict with itself',
      "return 'done';",
      "return 'give up';",
    ],
    'conflicts-overwritten': [
      'a change overwrites what somebody else has made of the same field',
      'isStoredAs(state[field], (entity as Fields)[field])',
      'isStoredAs(state[field], state[field] ?? (entity as Fields)[field])',
    ],
    'changes-without-effect-unanswered': [
      'a copy that has dropped a page because of a change without effect never gets the page',
      'isUnchanged: current?.version !== before?.version',
      'isUnchanged: false',
    ],
    'refused-change-stops-the-copy': [
      'one change that the service never accepts holds back all others',
      "  'invalid-request',\n",
      "  'malformed-request',\n",
    ],
    'unlisted-creations-kept': [
      'the copy keeps what was created in it and does not match its filters',
      'this.#unlisted.set(id, undefined)',
      'this.#unlisted.delete(id)',
    ],
  },
  'client/change-reader.ts': {
    'expired-copy-keeps-what-is-deleted': [
      'a copy that begins again keeps what was deleted meanwhile',
      'if (!given.has(id)) removed.add(id)',
      'if (!given.has(id)) removed.delete(id)',
    ],
    'expired-copy-stops-half-way': [
      'an app that stops while all entities come again keeps what was deleted meanwhile',
      'return { ...page, cursor };',
      'return { ...page, cursor: cursor && page.cursor };',
    ],
    'page-that-was-not-stored-lost': [
      'while all entities come again, a page that the copy could not store does not come again',
      '[since, start],',
      '[since, end],',
    ],
    'empty-pages-read-again': [
      'a library that stores no cursor of an empty page reads the same log again',
      'isEmptyPage(whole) ? { cursor: page.cursor } : start',
      'isEmptyPage(whole) ? start : start',
    ],
  },
});
