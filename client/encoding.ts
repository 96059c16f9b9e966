/**
 * Encodes a text for a URL. `URLSearchParams` is incomplete in React Native.
 * @throws TypeError for text that is not well-formed Unicode.
 */
export function encoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new TypeError(`Text must be well-formed Unicode. Received: ${JSON.stringify(text)}.`);
  }
}

/**
 * Encodes an id as one segment of a path. The URL parser removes `.` and `..`, encoded or not, which would change the path.
 * @see https://url.spec.whatwg.org/#double-dot-path-segment
 * @throws TypeError for a value that is not a valid id.
 */
export function segmentOf(id: unknown): string {
  try {
    if (typeof id === 'string' && !['', '.', '..'].includes(id)) return encoded(id);
  } catch {
    // Half of a surrogate pair: no id has one.
  }
  throw new TypeError(
    `An id must be a non-empty string other than "." and "..". Received: ${JSON.stringify(id)}.`,
  );
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Encodes characters up to U+00FF as base64url (RFC 4648) without padding. `btoa` does not exist in older React Native. */
export function toBase64url(text: string): string {
  let result = '';
  for (let bit = 0; bit < 8 * text.length; bit += 6) {
    const place = Math.floor(bit / 8);
    const bits = (text.charCodeAt(place) << 8) | (text.charCodeAt(place + 1) || 0);
    result += digits[(bits >> (10 - (bit % 8))) & 63];
  }
  return result;
}
