/** Numbers, texts and ids in as few bytes as they need. */

/** Bytes with which a writer begins: most records are shorter. */
const initialBytes = 512;

/** Bytes of a number, at most: 53 bits in groups of seven. */
const maxNumberBytes = 8;

export const idBytes = 16;

export const uuidBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

export function uuidAt(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + idBytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The texts that `ByteWriter.id` writes: UUIDs of any version, in lower case. */
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** Returns the number of first UTF-16 units that two texts share, without half of a surrogate pair. */
function sharedUnits(one: string, other: string): number {
  let shared = 0;
  while (shared < one.length && one[shared] === other[shared]) shared += 1;
  return one.slice(0, shared).isWellFormed() ? shared : shared - 1;
}

export class ByteWriter {
  #bytes = Buffer.allocUnsafe(initialBytes);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  /** Writes an integer from 0 to 2^53 - 1 in groups of seven bits, the lowest first. */
  number(value: number): void {
    this.#reserve(maxNumberBytes);
    let left = value;
    while (left > 0x7f) {
      this.#bytes[this.#length] = (left % 0x80) + 0x80;
      this.#length += 1;
      left = Math.floor(left / 0x80);
    }
    this.#bytes[this.#length] = left;
    this.#length += 1;
  }

  /** Writes an integer of less than 2^52, also a negative one. Those near 0 are short. */
  signed(value: number): void {
    this.number(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes a text: its length in UTF-8, and then the text. */
  text(text: string): void {
    const bytes = Buffer.from(text);
    this.number(bytes.length);
    this.#reserve(bytes.length);
    bytes.copy(this.#bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes a text without the beginning that it has in common with another one. */
  textAfter(text: string, previous: string): void {
    const shared = sharedUnits(previous, text);
    this.number(shared);
    this.text(text.slice(shared));
  }

  id(id: string): void {
    this.#reserve(idBytes);
    this.#bytes.write(id.replaceAll('-', ''), this.#length, 'hex');
    this.#length += idBytes;
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

export class ByteReader {
  readonly #bytes: Buffer;
  #position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get position(): number {
    return this.#position;
  }

  get hasMore(): boolean {
    return this.#position < this.#bytes.length;
  }

  number(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw new RangeError('The bytes end within a number.');
      this.#position += 1;
      if (byte <= 0x7f) return value + byte * unit;
      value += (byte - 0x80) * unit;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = this.number();
    this.#position += length;
    return this.#bytes.toString('utf8', this.#position - length, this.#position);
  }

  textAfter(previous: string): string {
    return previous.slice(0, this.number()) + this.text();
  }

  id(): string {
    this.#position += idBytes;
    return uuidAt(this.#bytes, this.#position - idBytes);
  }
}
