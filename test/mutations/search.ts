import { toMutations } from './mutation.ts';

/** Mutations of the search for words. */
export const searchMutations = toMutations({
  'functions/engine/model/words.ts': {
    'marks-in-words': [".normalize('NFKD').replaceAll(marks, '')", ".normalize('NFKD')"],
    'marks-in-any-number': ["text.replaceAll(marks, '').normalize", 'text.normalize'],
    'sigma-at-the-end-of-words': [".replaceAll('ς', 'σ');", ".replaceAll('ς', 'ς');"],
    'words-that-contain-a-text': ['.includes(` ${beginning}`)', '.includes(beginning)'],
    'words-that-are-shown-only': ["others].join(' ') };", "others].slice(0, 0).join(' ') };"],
  },
  'functions/engine/model/change-log.ts': {
    'words-of-unchanged-texts': ['haveSameTexts(rowBefore, row)', 'haveSameTexts(rowBefore, {})'],
  },
  'functions/engine/columns/merge-records.ts': {
    'words-of-a-replaced-text': [' && haveSameTexts(other, row)', ' && haveSameTexts(row, row)'],
    'words-of-an-earlier-change-lost': ['? { ...row, [wordsField]: other[wordsField] }', '? row'],
  },
  'functions/engine/columns/compact/locate-changes.ts': {
    'restored-without-words': [
      '|| !haveSameTexts(before, after))',
      '|| deletion !== null || !haveSameTexts(before, after))',
    ],
    'words-of-changed-texts-not-absorbed': [
      '|| !haveSameTexts(before, after))',
      '|| !haveSameTexts(after, after))',
    ],
    'words-of-a-text-that-is-back-not-absorbed': ['if (after[wordsField] !== undefined || ', 'if ('],
  },
  'functions/engine/model/bytes.ts': {
    'half-of-a-character': ['one.slice(0, shared).isWellFormed()', 'one.slice(0, 0).isWellFormed()'],
  },
  'functions/engine/columns/format/word-index.ts': {
    'words-indexed-without-a-look-at-the-time': [
      'if (row % rowsPerLook === 0)',
      'if (row % rowsPerLook === rowsPerLook)',
    ],
    'words-read-without-a-look-at-the-time': ['requireTime();\n    visitRows(', 'visitRows('],
    'first-words-of-items-only': [
      'const from = Math.max(0, after - 1);',
      'const from = Math.min(firstWords.length, after);',
    ],
  },
  'functions/engine/columns/format/waiting-rows.ts': {
    'words-of-waiting-rows-lost': ['...byId.get(row.id) }', "...byId.get('') }"],
  },
  'functions/engine/columns/read/column-reader.ts': {
    'words-of-patches-ignored': [
      "marked[row] = hasWord(words ?? '', beginning) ? 1 : 0;",
      "marked[row] = hasWord(words ?? '', beginning) ? 1 : (marked[row] as number);",
    ],
    'any-of-the-words': [
      'if (counts[row] === beginnings.length) rows.push(row);',
      'if (counts[row] !== 0) rows.push(row);',
    ],
  },
  'functions/engine/columns/read/searched-changes.ts': {
    'words-of-columns-not-looked-up': ['return rows.has(located.row);', 'return rows.has(-1);'],
  },
  'functions/engine/columns/compact/rebuild.ts': {
    'rebuild-without-words-of-pending-rows': ['row?.values[wordsField] ?? null', "row?.values[''] ?? null"],
  },
  'lib/audit/rebuild-logs.ts': {
    'rebuild-without-words': ['toValues(withOtherWords(row, entity))', 'toValues(row)'],
  },
  'functions/http/parse-list-query.ts': {
    'words-without-limit': [
      'values.length > maxSearchWords)',
      'values.length > maxSearchWords + values.length)',
    ],
    'cursor-of-changes-of-a-search': [
      "withCursor && parameters.has('search')",
      "withCursor && parameters.has('searching')",
    ],
  },
});
