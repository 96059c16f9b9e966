import { toMutations } from './mutation.ts';

export const longTextMutations = toMutations({
  'functions/engine/table/whole-entities.ts': {
    'texts-without-their-entities': [
      'a list responds 503 when a long text changes while it is read',
      'left = current.filter(({ deletion }) => withDeleted === isRestorable(deletion));',
      'left = current.length === 0 ? current : unmatched;',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'any-text-matches': [
      'an entity is shown with a text of another version',
      "typeof text === 'string' && isDigestOf(longTextOf(entity) as Digest, text)",
      "typeof text === 'string' && !isDigestOf(longTextOf(entity) as Digest, '')",
    ],
  },
  'functions/engine/model/changes.ts': {
    'text-stays-behind': [
      'the deletion of an entity leaves its long text for ever',
      'return isLong(known) ? [buildTextExpiry',
      'return isLong(known) && !deletion ? [buildTextExpiry',
    ],
    'text-written-again': [
      'every update of an entity writes its long text again',
      'if (after && known === wanted) return [];',
      'if (after && known === wanted && !isLong(wanted)) return [];',
    ],
  },
  'functions/engine/model/long-text.ts': {
    'text-in-indexes': [
      'the item of an entity, and with it every index, contains a long text',
      'return isLong(text) ? digestText(text) : text;',
      'return text;',
    ],
    'item-of-a-medium-text': [
      'a text of a medium length is an item of its own, which costs a write and a read more',
      'return bytes > maxInlineBytes ?',
      'return bytes > maxInlineBytes || (text ?? "").length > shownCharacters ?',
    ],
    'size-of-a-long-text-lost': [
      'a write counts a long text that it replaces as 1 KB, and exceeds the limit of a request',
      'this.bytes = size * kilobyte;',
      'this.bytes = Math.min(size, 1) * kilobyte;',
    ],
  },
});
