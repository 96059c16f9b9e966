/** CSV as RFC 4180 describes it, for spreadsheets. */

/** Spreadsheets execute texts that begin with these characters as formulas. An apostrophe before them makes them texts. Numbers are none. */
const formula = /^[=+\-@\t\r]/;

function cell(value: unknown): string {
  const text = Array.isArray(value) ? value.join(' ') : String(value ?? '');
  const safe = typeof value !== 'number' && formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Returns one line. Ids of an array are separated by spaces, and null is empty. */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cell).join(',')}\r\n`;
