import type { Mutation } from './mutation.ts';

const detectedBy = ['test/client/replication.test.ts'];
const reader = { file: 'client/change-reader.ts', detectedBy };
const writer = { file: 'client/change-writer.ts', detectedBy };

/** Mutations of the rules of a copy that an app changes. docs/sync.md gives the reasons. */
export const replicationMutations: readonly Mutation[] = [
  {
    file: 'client/replication.ts',
    detectedBy,
    name: 'pages-read-during-a-push',
    description: 'a copy drops the page with its own change, because it is sending the change',
    search: 'if (lastPush !== this.#lastPush) continue;',
    replacement: 'if (lastPush !== this.#lastPush && options === undefined) continue;',
  },
  {
    ...writer,
    name: 'own-writes-of-a-copy-forgotten',
    description: 'each change after another one of the same entity needs three requests',
    search: 'isAsBefore(written, { base, touched })',
    replacement: 'isAsBefore(written, { base, touched: [] })',
  },
  {
    ...writer,
    name: 'older-change-over-a-newer-one',
    description: 'a change that is sent again late overwrites a later one',
    search: 'isAsBefore(written, { base, touched })',
    replacement: 'isAsBefore(written, { base: written, touched })',
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
    search: 'isEqual(base[field], (entity as Fields)[field])',
    replacement: 'isEqual(base[field], base[field] ?? (entity as Fields)[field])',
  },
  {
    ...writer,
    name: 'changes-without-effect-unanswered',
    description: 'a copy that has dropped a page because of a change without effect never gets the page',
    search: 'error: undefined, isUnchanged: true }',
    replacement: 'error: undefined, isUnchanged: false }',
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
    search: 'this.#unlisted.add(id)',
    replacement: 'this.#unlisted.delete(id)',
  },
  {
    ...reader,
    name: 'expired-copy-keeps-what-is-deleted',
    description: 'a copy that begins again keeps what was deleted meanwhile',
    search: 'if (!given.has(id)) removed.add(id);',
    replacement: 'if (!given.has(id)) removed.delete(id);',
  },
  {
    ...reader,
    name: 'expired-copy-stops-half-way',
    description: 'an app that stops while all entities come again keeps what was deleted meanwhile',
    search: '{ ...page, cursor: since }',
    replacement: '{ ...page, cursor: since && page.cursor }',
  },
  {
    ...reader,
    name: 'empty-pages-read-again',
    description: 'a library that stores no cursor of an empty page reads the same log again',
    search: 'this.#position.since === since ? this.#position',
    replacement: 'this.#position.since === null ? this.#position',
  },
];
