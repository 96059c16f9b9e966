/** Words that nobody has written, as frequent as those of a language: the frequency of a word is inverse to its rank (Zipf's law). */

const syllables =
  'ka lo mi ten ra so ve pu dor in es al tri no be gu chi ma ro ti san el or da fe wi ho ju qua zen'.split(
    ' ',
  );

/** Different words. */
const vocabularySize = 20_000;

/** Words that may be short: the most frequent ones of a language are. */
const shortWords = 60;

const any = <Value>(values: readonly Value[]): Value =>
  values[Math.floor(Math.random() * values.length)] as Value;

function makeVocabulary(): string[] {
  const words = new Set<string>();
  while (words.size < vocabularySize) {
    const word = Array.from({ length: 1 + Math.floor(Math.random() * 4) }, () => any(syllables)).join('');
    if (words.size < shortWords || word.length > 3) words.add(word);
  }
  return [...words];
}

const vocabulary = makeVocabulary();

/** The frequencies of all words up to a rank, added. */
const upToRank: number[] = [];
for (const rank of vocabulary.keys()) upToRank.push((upToRank.at(-1) ?? 0) + 1 / (rank + 2.7));

/** Returns a word of some rank; by default, of one that is drawn by the frequencies. */
export function wordOf(rank = rankOf(Math.random() * (upToRank.at(-1) ?? 0))): string {
  return vocabulary[rank] as string;
}

function rankOf(drawn: number): number {
  let [low, high] = [0, vocabularySize - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((upToRank[middle] as number) < drawn) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns a text of words. */
export function randomWords(length: number): string {
  let text = wordOf();
  while (text.length < length) text += ` ${wordOf()}`;
  return text.slice(0, length);
}
