/** Ids that an app makes itself, for example while it is offline. */

/** Returns random bytes. `crypto` does not exist in React Native. An id is no secret, so `Math.random` suffices there. */
export function randomBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  if (globalThis.crypto?.getRandomValues) globalThis.crypto.getRandomValues(bytes);
  else for (let place = 0; place < bytes.length; place += 1) bytes[place] = Math.random() * 256;
  return bytes;
}

export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The greatest value of the 12 bits after the version, which keep the ids of one millisecond in order. */
const maxSequence = 0xfff;

/** The last id: the time when it was made, the time that it has, and its sequence. */
let last = { now: 0, timeMs: 0, sequence: 0 };

/** Returns the next time and sequence. Each millisecond begins in the lower half, so that its sequence can grow (RFC 9562, 6.2). */
function next(): typeof last {
  const now = Date.now();
  if (now !== last.now) {
    const [high = 0, low = 0] = randomBytes(2);
    return { now, timeMs: now, sequence: ((high << 8) | low) & (maxSequence >> 1) };
  }
  const { timeMs, sequence } = last;
  return sequence < maxSequence
    ? { now, timeMs, sequence: sequence + 1 }
    : { now, timeMs: timeMs + 1, sequence: 0 };
}

/**
 * Returns an id for a new entity: a UUID of version 7 (RFC 9562). Other entities can refer to it at once. The service accepts it for 30
 * days, if the clock of the device is at most 60 seconds ahead. Ids that one page makes are in order, unless its clock goes back.
 * @example
 * const id = newId();
 * await client.tasks.create({ id, name: 'Made offline' });
 */
export function newId(): string {
  last = next();
  const time = last.timeMs.toString(16).padStart(12, '0');
  const sequence = last.sequence.toString(16).padStart(3, '0');
  const random = randomBytes(8);
  // The first two bits are the variant.
  random[0] = ((random[0] ?? 0) & 0x3f) | 0x80;
  const hex = toHex(random);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${sequence}-${hex.slice(0, 4)}-${hex.slice(4)}`;
}
