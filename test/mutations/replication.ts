import type { Mutation } from './mutation.ts';

const detectedBy = ['test/client/replication.test.ts'];
const pushes = { file: 'client/replication.ts', detectedBy };
const reader = { file: 'client/change-reader.ts', detectedBy };
const writer = { file: 'client/change-writer.ts', detectedBy };

/** Mutations of the rules of a copy that an app changes. docs/sync.md gives the reasons. */
export const replicationMutations: readonly Mutation[] = [
  {
    ...pushes,
    name: 'pages-read-during-a-push',
    description: 'a copy drops the page with its own change, because it is sending the change',
    search: 'if (pushes === this.#pushes) return',
    replacement: 'if (pushes <= this.#pushes) return',
  },
  {
    ...pushes,
    name: 'older-change-over-a-newer-one',
    description: 'a change is sent although an earlier one, for which it waits, has failed',
    search: 'if (failure.error !== undefined) throw failure.error;',
    replacement: 'if (failure.error === null) throw failure.error;',
  },
  {
    ...writer,
    name: 'own-writes-of-a-copy-forgotten',
    description: 'each change after another one of the same entity needs three requests',
    search: 'isInState(written, [state], touched)',
    replacement: 'isInState(written, [], touched)',
  },
  {
    ...writer,
    name: 'attempts-of-a-copy-forgotten',
    description: 'a device is in conflict with what it has sent itself without getting a response',
    search: '[...attempted, values]',
    replacement: '[...attempted]',
  },
  {
    ...writer,
    name: 'lost-responses-are-conflicts',
    description: 'a change that is sent again after a lost response is a conflict with itself',
    search: "return 'done';",
    replacement: "return 'give up';",
  },
  {
    ...writer,
    name: 'conflicts-overwritten',
    description: 'a change overwrites what somebody else has made of the same field',
    search: 'isStoredAs(state[field], (entity as Fields)[field])',
    replacement: 'isStoredAs(state[field], state[field] ?? (entity as Fields)[field])',
  },
  {
    ...writer,
    name: 'changes-without-effect-unanswered',
    description: 'a copy that has dropped a page because of a change without effect never gets the page',
    search: 'isUnchanged: current?.version !== before?.version',
    replacement: 'isUnchanged: false',
  },
  {
    ...writer,
    name: 'refused-change-stops-the-copy',
    description: 'one change that the service never accepts holds back all others',
    search: "  'invalid-request',\n",
    replacement: "  'malformed-request',\n",
  },
  {
    ...writer,
    name: 'unlisted-creations-kept',
    description: 'the copy keeps what was created in it and does not match its filters',
    search: 'this.#unlisted.set(id, undefined)',
    replacement: 'this.#unlisted.delete(id)',
  },
  {
    ...reader,
    name: 'expired-copy-keeps-what-is-deleted',
    description: 'a copy that begins again keeps what was deleted meanwhile',
    search: 'if (!given.has(id)) removed.add(id)',
    replacement: 'if (!given.has(id)) removed.delete(id)',
  },
  {
    ...reader,
    name: 'expired-copy-stops-half-way',
    description: 'an app that stops while all entities come again keeps what was deleted meanwhile',
    search: 'return { ...page, cursor };',
    replacement: 'return { ...page, cursor: cursor && page.cursor };',
  },
  {
    ...reader,
    name: 'page-that-was-not-stored-lost',
    description: 'while all entities come again, a page that the copy could not store does not come again',
    search: '[since, start],',
    replacement: '[since, end],',
  },
  {
    ...reader,
    name: 'empty-pages-read-again',
    description: 'a library that stores no cursor of an empty page reads the same log again',
    search: 'isEmptyPage(whole) ? { cursor: page.cursor } : start',
    replacement: 'isEmptyPage(whole) ? start : start',
  },
];
