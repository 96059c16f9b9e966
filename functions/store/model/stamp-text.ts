/** Stamps as texts of one length, whose order is that of the stamps. Every list reads many of them, so they are short. */

const digits = 9;
const base = 32;

/** Characters of a stamp. */
export const stampTextLength = digits;

/** A stamp above all others, in milliseconds since 1970: of the year 3084. */
export const maxStamp = base ** digits - 2;

export const stampText = (stamp: number): string => Math.max(0, stamp).toString(base).padStart(digits, '0');

/** Returns the stamp of a text, in milliseconds since 1970. */
export const parseStampText = (text: string): number => Number.parseInt(text, base);
