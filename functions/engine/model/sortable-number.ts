/** Whole numbers as texts of one length, which sort as the numbers do. Keys of the table have them: every list reads many, so they are short. */

const digits = 9;
const base = 32;

/** The greatest number that is allowed. Its successor has such a text too. As milliseconds since 1970, it is in the year 3084. */
export const maxSortable = base ** digits - 2;

export const sortableText = (number: number): string =>
  Math.max(0, number).toString(base).padStart(digits, '0');

/** Returns the number that a text begins with. */
export const parseSortable = (text: string): number => Number.parseInt(text.slice(0, digits), base);
