import type { Mutation } from './mutation.ts';

const changes = 'functions/store/model/changes.ts';

export const longTextMutations: readonly Mutation[] = [
  {
    name: 'any-text-matches',
    description: 'an entity is shown with a text of another version',
    file: 'functions/store/model/item-codec.ts',
    search: 'text !== undefined && isDigestOf(entity.description as Digest, text)',
    replacement: "text !== undefined && !isDigestOf(entity.description as Digest, '')",
    detectedBy: ['test/unit/functions/store/unit-of-work.test.ts'],
    testNamePattern: '^whole-entities ',
  },
  {
    name: 'text-stays-behind',
    description: 'the deletion of an entity leaves its long text for ever',
    file: changes,
    search: 'return isLong(known) ? [buildTextExpiry',
    replacement: 'return isLong(known) && !deletion ? [buildTextExpiry',
    detectedBy: ['test/simulation/scenarios/writes.test.ts'],
    testNamePattern: 'a crash after each call of deleteTask',
  },
  {
    name: 'text-written-again',
    description: 'every update of an entity writes its long text again',
    file: changes,
    search: 'if (after && known === wanted) return [];',
    replacement: 'if (after && known === wanted && !isLong(wanted)) return [];',
    detectedBy: ['test/unit/costs.test.ts'],
    testNamePattern: '^long-text-costs ',
  },
  {
    name: 'text-in-indexes',
    description: 'the item of an entity, and with it every index, contains a long text',
    file: 'functions/store/model/long-text.ts',
    search: 'return isLong(text) ? digestText(text) : text;',
    replacement: 'return text;',
    detectedBy: ['test/unit/costs.test.ts'],
    testNamePattern: '^long-text-costs ',
  },
];
