/**
 * The first mistake in a text that `JSON.parse` refuses (RFC 8259). V8 does not report a position in a form that programs may
 * rely on, and a tolerant parser adds 9 kB to every function.
 */

/** A mistake: where it is, in UTF-16 units from 0, and what was expected there. */
export class JsonMistake extends Error {
  readonly position: number;
  readonly expected: string;

  constructor(position: number, expected: string) {
    super(`Expected ${expected}.`);
    this.position = position;
    this.expected = expected;
  }
}

const space = new Set([' ', '\t', '\n', '\r']);
const escapes = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const literals = ['true', 'false', 'null'];

function skipSpace(text: string, start: number): number {
  let position = start;
  while (space.has(text[position] ?? '')) position += 1;
  return position;
}

/** Returns the position of the last character of an escape sequence. @param start of the character after the backslash. */
function endOfEscape(text: string, start: number): number {
  if (escapes.has(text[start] ?? '')) return start;
  if (text[start] !== 'u') throw new JsonMistake(start, 'a valid escape sequence');
  if (/^[\dA-Fa-f]{4}$/.test(text.slice(start + 1, start + 5))) return start + 4;
  throw new JsonMistake(start + 1, 'four hexadecimal digits');
}

function endOfString(text: string, start: number): number {
  for (let position = start + 1; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '"') return position + 1;
    if (character < ' ') throw new JsonMistake(position, 'control characters to be escaped');
    if (character === '\\') position = endOfEscape(text, position + 1);
  }
  throw new JsonMistake(start, 'a closing double quote for this string');
}

const isDigit = (character: string | undefined): boolean =>
  character !== undefined && character >= '0' && character <= '9';

function endOfDigits(text: string, start: number): number {
  if (!isDigit(text[start])) throw new JsonMistake(start, 'a digit');
  let position = start;
  while (isDigit(text[position])) position += 1;
  return position;
}

function endOfNumber(text: string, start: number): number {
  const first = text[start] === '-' ? start + 1 : start;
  let position = text[first] === '0' ? first + 1 : endOfDigits(text, first);
  if (text[position] === '.') position = endOfDigits(text, position + 1);
  if (text[position] === 'e' || text[position] === 'E') {
    const sign = text[position + 1];
    position = endOfDigits(text, position + (sign === '+' || sign === '-' ? 2 : 1));
  }
  return position;
}

function endOfField(text: string, start: number): number {
  if (text[start] !== '"') throw new JsonMistake(start, 'a property name in double quotes');
  const colon = skipSpace(text, endOfString(text, start));
  if (text[colon] !== ':') throw new JsonMistake(colon, 'a colon');
  return endOfValue(text, skipSpace(text, colon + 1));
}

/** Returns the end of an array or an object. @param name of the closing character. */
function endOfItems(
  text: string,
  start: number,
  [close, name]: readonly [string, string],
  endOfItem: (text: string, start: number) => number,
): number {
  let position = skipSpace(text, start + 1);
  if (text[position] === close) return position + 1;
  for (;;) {
    position = skipSpace(text, endOfItem(text, position));
    if (text[position] === close) return position + 1;
    if (text[position] !== ',') throw new JsonMistake(position, `a comma or a closing ${name}`);
    position = skipSpace(text, position + 1);
  }
}

function endOfValue(text: string, start: number): number {
  const first = text[start];
  if (first === '{') return endOfItems(text, start, ['}', 'brace'], endOfField);
  if (first === '[') return endOfItems(text, start, [']', 'bracket'], endOfValue);
  if (first === '"') return endOfString(text, start);
  if (first === '-' || isDigit(first)) return endOfNumber(text, start);
  const literal = literals.find((one) => text.startsWith(one, start));
  if (literal === undefined) throw new JsonMistake(start, 'a value');
  return start + literal.length;
}

/**
 * Returns the first mistake in a JSON text; `undefined` when there is none. Arrays and objects are read recursively: the caller
 * bounds their depth.
 */
export function findJsonMistake(text: string): JsonMistake | undefined {
  try {
    const end = skipSpace(text, endOfValue(text, skipSpace(text, 0)));
    return end === text.length ? undefined : new JsonMistake(end, 'the end of the text');
  } catch (error) {
    if (error instanceof JsonMistake) return error;
    throw error;
  }
}

/** Returns a sentence that names the line, the column and what was expected at the first mistake in a JSON text. */
export function describeSyntaxError(text: string): string {
  const mistake = findJsonMistake(text);
  if (!mistake) return 'The body is not valid JSON.';
  const { position, message } = mistake;
  const lines = text.slice(0, position).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return `The body is not valid JSON at line ${lines.length}, column ${column}. ${message}`;
}
