/** Deflates what the service stores, and inflates it again, up to a size. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Bytes of an item after it is inflated: DynamoDB allows 400 KB in an item. Records, columns and patches inflate to ten times their size, about,
 * but a damaged item, or one that somebody else has written, can inflate to a thousand times, 400 MB.
 */
const defaultMaxBytes = 32_000_000;

/**
 * Deflates the contents of an item. Contents that nobody could inflate again keep their size, as many equal long texts do, so they fit no item, and
 * writers divide them.
 */
export function deflate(contents: string | Uint8Array): Buffer {
  const isTooLarge = Buffer.byteLength(contents) > defaultMaxBytes;
  return deflateRawSync(contents, isTooLarge ? { level: 0 } : {});
}

/** @throws TypeError when the item has more bytes, or is not deflated. */
export function inflate(deflated: Uint8Array, maxBytes = defaultMaxBytes): Buffer {
  try {
    return inflateRawSync(deflated, { maxOutputLength: maxBytes });
  } catch (error) {
    throw new TypeError(`A stored item cannot be inflated, or not to ${maxBytes} bytes at most.`, {
      cause: error,
    });
  }
}
