/**
 * A prefix code for short texts: frequent characters take few bits. English text takes about 5 bits for each character. Deflate would store a
 * table with each text, which only pays for long ones.
 */

/** Bits of the longest code. */
const maxBits = 12;

/**
 * Characters by the length of their codes in bits. All other bytes have the longest codes. They are the best lengths for a mixture
 * of the texts of `npm run seed`, the documentation, and random letters and digits. Another table needs other formats of records.
 */
const charactersByBits: Readonly<Record<number, string>> = {
  3: ' ',
  4: 'aenot',
  5: 'cdhilrs',
  6: '.bmpuy',
  7: '-01Tfgkw',
  8: ',23456789ABCDEFHILMOPRSWvx',
  9: '/:@GJKNQUVXYZ_jqz',
  10: '!"\'()[]',
  11: '$;<=>?\\{}',
};

const bytes = 256;

/** Returns the length of each byte's code. */
function codeLengths(): Uint8Array {
  const lengths = new Uint8Array(bytes).fill(maxBits);
  for (const [bits, characters] of Object.entries(charactersByBits)) {
    for (const byte of Buffer.from(characters)) lengths[byte] = Number(bits);
  }
  return lengths;
}

const lengths = codeLengths();

/** The code of each byte. Codes of one length are consecutive numbers, in the order of the bytes (a canonical Huffman code). */
const codes = new Uint16Array(bytes);

/** For all bits that can come next: the byte whose code they begin with, and above it the length of the code. */
const decoded = new Uint16Array(2 ** maxBits);

for (let bits = 1, code = 0; bits <= maxBits; bits += 1, code *= 2) {
  for (const [byte, length] of lengths.entries()) {
    if (length !== bits) continue;
    codes[byte] = code;
    const shift = maxBits - bits;
    decoded.fill(bits * bytes + byte, code << shift, (code + 1) << shift);
    code += 1;
  }
}

/** Returns the code of a text. The last byte is filled up with zeros. @param text in UTF-8. */
export function packText(text: Uint8Array): Buffer {
  const packed = Buffer.allocUnsafe(Math.ceil((text.length * maxBits) / 8));
  let length = 0;
  let pending = 0;
  let pendingBits = 0;
  for (const byte of text) {
    const bits = lengths[byte] as number;
    pending = (pending << bits) | (codes[byte] as number);
    pendingBits += bits;
    while (pendingBits >= 8) {
      pendingBits -= 8;
      packed[length] = pending >>> pendingBits;
      length += 1;
      pending &= (1 << pendingBits) - 1;
    }
  }
  if (pendingBits > 0) {
    packed[length] = pending << (8 - pendingBits);
    length += 1;
  }
  return packed.subarray(0, length);
}

/**
 * Decodes what `packText` returns.
 * @param start position of the code.
 * @param length bytes of the text.
 * @returns the text, and the position after its code.
 */
export function unpackText(
  packed: Uint8Array,
  start: number,
  length: number,
): { readonly text: string; readonly end: number } {
  const text = Buffer.allocUnsafe(length);
  let bit = start * 8;
  for (let position = 0; position < length; position += 1) {
    const at = bit >>> 3;
    const next = ((packed[at] ?? 0) << 16) | ((packed[at + 1] ?? 0) << 8) | (packed[at + 2] ?? 0);
    const entry = decoded[(next >>> (24 - maxBits - (bit & 7))) & (2 ** maxBits - 1)] as number;
    text[position] = entry;
    bit += entry >>> 8;
  }
  return { text: text.toString('utf8'), end: Math.ceil(bit / 8) };
}
