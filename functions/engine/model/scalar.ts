/** Numbers and flags as texts of rows, whose code points sort as the values do. No text of an entity begins with the mark. */

const mark = '\u0001';
const flags = { true: `${mark}true`, false: `${mark}false` } as const;

/** Returns the bits of a number in an order in which bytes compare as numbers do: a negative one has all inverted, another one its sign. */
function orderedBits(bits: Buffer, isNegative: boolean): Buffer {
  for (let byte = 0; byte < bits.length; byte += 1)
    bits[byte] = (bits[byte] as number) ^ (isNegative ? 0xff : byte === 0 ? 0x80 : 0);
  return bits;
}

/** Returns the ordered bits in hexadecimal digits, without zeros at the end: they decide no order. */
function numberText(number: number): string {
  const bits = Buffer.alloc(8);
  // There is one zero.
  bits.writeDoubleBE(number + 0);
  const digits = orderedBits(bits, number < 0).toString('hex');
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return mark + digits.slice(0, end);
}

/** Returns the text of a number or a flag; `undefined` for another value. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? flags.true : flags.false;
  return typeof value === 'number' ? numberText(value) : undefined;
}

/** Returns the number or the flag that a text stands for; another text as it is. */
export function scalarOf(text: string): string | number | boolean {
  if (!text.startsWith(mark)) return text;
  if (text === flags.true || text === flags.false) return text === flags.true;
  const bits = Buffer.from(text.slice(1).padEnd(16, '0'), 'hex');
  return orderedBits(bits, (bits[0] as number) < 0x80).readDoubleBE(0);
}
