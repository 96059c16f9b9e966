import type { Mutation } from './mutation.ts';

const common = { file: 'client/replica.ts', detectedBy: ['test/client/replica.test.ts'] };

/** Mutations of the rules of a copy that an app changes. docs/sync.md gives the reasons. */
export const replicaMutations: readonly Mutation[] = [
  {
    ...common,
    name: 'replica-reads-during-writes',
    description: 'a page can be older than a write before it, and a write can begin before a page has come',
    search: 'this.#last.then(call)',
    replacement: 'Promise.race([this.#last, undefined]).then(call)',
  },
  {
    ...common,
    name: 'replica-own-writes-forgotten',
    description:
      'a write requires the version of the copy, which may not have read the result of the write before it',
    search: 'next; next = this.#successors.get(next)',
    replacement: 'next; next = this.#successors.get(`none ${next}`)',
  },
  {
    ...common,
    name: 'replica-lost-responses-unanswered',
    description: 'a copy that has dropped the page with its own change never gets the version',
    search: 'return [{ ...change, id, current, isDone }]',
    replacement: 'return isDone ? [] : [{ ...change, id, current, isDone }]',
  },
  {
    ...common,
    name: 'replica-empty-changes-unanswered',
    description: 'a copy that has dropped a page because of a change without effect never gets the page',
    search: 'if (version === undefined || isEmpty(wanted)) return false;',
    replacement: 'if (version === undefined || isEmpty(wanted)) return version !== undefined;',
  },
  {
    ...common,
    name: 'replica-conflicts-outside-of-the-list',
    description: 'a conflict brings a task that has left the list',
    search: '{ ...this.#filters, id }',
    replacement: '{ ...(this.#filters && {}), id }',
  },
  {
    ...common,
    name: 'replica-unknown-version-taken-for-any',
    description: 'an update of an unknown version overwrites what somebody else has changed',
    search: 'const version = this.#latest(before);',
    replacement: 'const version = this.#latest(before) ?? (await this.#collection.get(id)).version;',
  },
  {
    ...common,
    name: 'replica-behind-after-a-failure',
    description: 'after an expired cursor of an empty page, the copy asks with it forever',
    search: 'this.#behind = {};',
    replacement: 'this.#behind = { ...this.#behind };',
  },
  {
    ...common,
    name: 'replica-page-lost',
    description: 'a page that could not be applied is not read again',
    search: `        await apply({ ...page, isFirst: cursor === undefined });
        ({ cursor, hasMore } = page);`,
    replacement: `        const isFirst = cursor === undefined;
        ({ cursor, hasMore } = page);
        await apply({ ...page, isFirst });`,
  },
];
