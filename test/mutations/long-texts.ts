import { toMutations } from './mutation.ts';

export const longTextMutations = toMutations({
  'functions/engine/table/stored-entities.ts': {
    'texts-without-their-entities': [
      'left = current.filter(({ deletion }) => withDeleted === isRestorable(deletion));',
      'left = current.length === 0 ? current : unmatched;',
    ],
  },
  'functions/engine/model/item-codec.ts': {
    'any-text-matches': [
      "typeof text === 'string' && isDigestOf(longTextOf(entity) as Digest, text)",
      "typeof text === 'string' && !isDigestOf(longTextOf(entity) as Digest, '')",
    ],
  },
  'functions/engine/model/changes.ts': {
    'text-stays-behind': [
      'return isLong(known) ? [buildTextExpiry',
      'return isLong(known) && !deletion ? [buildTextExpiry',
    ],
    'text-written-again': [
      'if (after && known === wanted) return [];',
      'if (after && known === wanted && !isLong(wanted)) return [];',
    ],
  },
  'functions/engine/model/long-text.ts': {
    'text-in-indexes': ['return isLong(text) ? digestText(text) : text;', 'return text;'],
    'item-of-a-medium-text': [
      'return bytes > maxInlineBytes ?',
      'return bytes > maxInlineBytes || (text ?? "").length > shownCharacters ?',
    ],
    'size-of-a-long-text-lost': [
      'this.bytes = size * kilobyte;',
      'this.bytes = Math.min(size, 1) * kilobyte;',
    ],
  },
});
