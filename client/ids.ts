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

/** Smaller differences of clocks are ignored: `Date` has seconds, and a response takes time. */
const minDifferenceMs = 5_000;

/** The service accepts ids that are 60 s ahead. */
const maxAcceptedMs = 60_000;

/** The difference between the clocks is known to some seconds, so later ids follow an earlier one only up to here. */
const maxLeadMs = 30_000;

/** Milliseconds by which the clock of the device is ahead of that of the service; `undefined` until a response has told it. */
let aheadMs: number | undefined;

/** The newest time that a response has told. */
let newestMs = 0;

/** Learns the difference of the clocks from a response. @param sentAt when its request was sent, by the clock of the device. */
export function learnClock(headers: Headers, sentAt: number): void {
  const dateMs = Date.parse(headers.get('date') ?? '');
  // What a cache gives is older than what the service has said since, or tells its age.
  if (!(dateMs >= newestMs) || Number(headers.get('age')) > 0) return;
  newestMs = dateMs;
  // The time is that in the middle of the second.
  const difference = Math.round((sentAt + Date.now()) / 2 - dateMs - 500);
  aheadMs = Math.abs(difference) < minDifferenceMs ? 0 : difference;
}

/** Separates the difference of the clocks from a cursor. No cursor of the service has it. */
const clockSeparator = '@';

/** Returns a cursor with the difference of the clocks, so that an app which starts without a network knows it. */
export const withClock = (cursor: string): string =>
  aheadMs ? `${cursor}${clockSeparator}${aheadMs}` : cursor;

/** Returns the cursor of the service, and takes the difference of the clocks from it if no response has told it. */
export function cursorOf(stored: string | undefined): string | undefined {
  const [cursor, difference] = stored?.split(clockSeparator) ?? [];
  if (difference) aheadMs ??= Number(difference);
  return cursor;
}

/** The greatest value of the 12 bits after the version, which keep the ids of one millisecond in order. */
const maxSequence = 0xfff;

/** The time and the sequence of the last id. */
let last = { timeMs: 0, sequence: 0 };

/** Returns the next time and sequence. Each millisecond begins in the lower half, so that its sequence can grow (RFC 9562, 6.2). */
function next(): typeof last {
  const now = Date.now() - (aheadMs ?? 0);
  const { timeMs, sequence } = last;
  if (now > timeMs || now < timeMs - maxLeadMs) {
    const [high = 0, low = 0] = randomBytes(2);
    return { timeMs: now, sequence: ((high << 8) | low) & (maxSequence >> 1) };
  }
  return sequence < maxSequence ? { timeMs, sequence: sequence + 1 } : { timeMs: timeMs + 1, sequence: 0 };
}

/**
 * Returns an id for a new entity: a UUID of version 7 (RFC 9562). Other entities can refer to it at once. The service accepts it for 30
 * days. Its time is that of the service, as far as a response or a stored cursor has told it. Ids that one page makes are in order, unless
 * its clock goes back by more than 30 seconds.
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

/** Returns whether the service does not accept an id yet. Not so while the time of the service is unknown. */
export const isTooEarly = (id: string): boolean =>
  aheadMs !== undefined &&
  id[14] === '7' &&
  Number.parseInt(id.slice(0, 13).replace('-', ''), 16) > Date.now() - aheadMs + maxAcceptedMs;

/** Returns what is random in an id: it stays when the id gets another time. */
export const randomPart = (id: string): string => id.slice(14);

/** Ids that were made again, with the new ones. A change that waits can still have the old one. */
const replacedIds = new Map<string, string>();

/** Notes that an entity has another id. */
export const replaceId = (id: string, newId: string): unknown => replacedIds.set(id, newId);

/** Returns fields with the new ids of entities, also in arrays. */
export function withReplacedIds<Value extends object>(
  value: Value,
  ids: ReadonlyMap<unknown, string> = replacedIds,
): Value {
  if (ids.size === 0) return value;
  const replaced = (one: unknown): unknown =>
    Array.isArray(one) ? one.map(replaced) : ids.has(one) ? replaced(ids.get(one)) : one;
  return Object.fromEntries(Object.entries(value).map(([field, one]) => [field, replaced(one)])) as Value;
}
