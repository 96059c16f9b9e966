import { toMutations } from './mutation.ts';

/** Mutations of the search for words. */
export const searchMutations = toMutations({
  'functions/engine/model/words.ts': {
    'marks-in-words': [
      'a search tells accents apart',
      ".normalize('NFKD').replaceAll(marks, '')",
      ".normalize('NFKD')",
    ],
    'marks-in-any-number': [
      'words of a text with many marks in a row take a time that grows with the square of their number',
      "text.replaceAll(marks, '').normalize",
      'text.normalize',
    ],
    'sigma-at-the-end-of-words': [
      'a search tells the two forms of a small sigma apart',
      ".replaceAll('ς', 'σ');",
      ".replaceAll('ς', 'ς');",
    ],
    'words-that-contain-a-text': [
      'a search finds a text inside of words of pending changes',
      '.includes(` ${beginning}`)',
      '.includes(beginning)',
    ],
    'words-that-are-shown-only': [
      'the record of a change has no words that its row does not show',
      "others].join(' ') };",
      "others].slice(0, 0).join(' ') };",
    ],
  },
  'functions/engine/model/change-log.ts': {
    'words-of-unchanged-texts': [
      'the record of a change that touches no text has the words of the entity',
      'haveSameTexts(rowBefore, row)',
      'haveSameTexts(rowBefore, {})',
    ],
  },
  'functions/engine/columns/merge-records.ts': {
    'words-of-a-replaced-text': [
      'a search finds a text that was replaced before compaction had absorbed it',
      ' && haveSameTexts(other, row)',
      ' && haveSameTexts(row, row)',
    ],
    'words-of-an-earlier-change-lost': [
      'a pending change of another field hides the words of an earlier pending one',
      '? { ...row, [wordsField]: other[wordsField] }',
      '? row',
    ],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'restored-without-words': [
      'a search does not find words of restored entities that their rows do not show: the deletion has removed them from the columns',
      '|| !haveSameTexts(before, after))',
      '|| deletion !== null || !haveSameTexts(before, after))',
    ],
    'words-of-changed-texts-not-absorbed': [
      'columns keep the words of texts that have changed',
      '|| !haveSameTexts(before, after))',
      '|| !haveSameTexts(after, after))',
    ],
    'words-of-a-text-that-is-back-not-absorbed': [
      'columns keep the words of a text that a rebuild has seen between two changes',
      'if (after[wordsField] !== undefined || ',
      'if (',
    ],
  },
  'functions/engine/columns/format/word-index.ts': {
    'words-indexed-without-a-look-at-the-time': [
      'a step that indexes many words is killed instead of tried smaller',
      'if (row % rowsPerLook === 0)',
      'if (row % rowsPerLook === rowsPerLook)',
    ],
    'words-read-without-a-look-at-the-time': [
      'a step that reads many words is killed instead of tried smaller',
      'requireTime();\n    visitRows(',
      'visitRows(',
    ],
    'first-words-of-items-only': [
      'a search does not read the item before the first one that begins with its word',
      'const from = Math.max(0, after - 1);',
      'const from = Math.min(firstWords.length, after);',
    ],
    'half-of-a-character': [
      'a word of an index can begin with half of a character',
      'if (isSecondHalf(word, shared)) shared -= 1;',
      'if (isSecondHalf(word, 0)) shared -= 1;',
    ],
  },
  'functions/engine/columns/format/waiting-rows.ts': {
    'words-of-waiting-rows-lost': [
      'waiting rows have only the words that they show',
      '...byId.get(row.id) }',
      "...byId.get('') }",
    ],
  },
  'functions/engine/columns/read/column-reader.ts': {
    'words-of-patches-ignored': [
      'a search finds the words of columns that patches have replaced',
      "marked[row] = hasWord(words ?? '', beginning) ? 1 : 0;",
      "marked[row] = hasWord(words ?? '', beginning) ? 1 : (marked[row] as number);",
    ],
    'any-of-the-words': [
      'a row matches that has one of several words',
      'if (counts[row] === beginnings.length) rows.push(row);',
      'if (counts[row] !== 0) rows.push(row);',
    ],
  },
  'functions/engine/columns/read/searched-changes.ts': {
    'words-of-columns-not-looked-up': [
      'a pending change that touches no text hides words that its row does not show',
      'return rows.has(located.row);',
      'return rows.has(-1);',
    ],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-without-words-of-pending-rows': [
      'a rebuild loses words of entities whose change is pending',
      'row?.values[wordsField] ?? null',
      "row?.values[''] ?? null",
    ],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-without-words': [
      'a rebuild writes only the words that rows show',
      'toValues(withOtherWords(row, entity))',
      'toValues(row)',
    ],
  },
  'functions/http/parse-list-query.ts': {
    'words-without-limit': [
      'a search can have any number of words',
      'values.length > maxSearchWords)',
      'values.length > maxSearchWords + values.length)',
    ],
    'cursor-of-changes-of-a-search': [
      'a list with a search has a cursor of changes, with which the feed continues without the search',
      "withCursor && parameters.has('search')",
      "withCursor && parameters.has('searching')",
    ],
  },
});
