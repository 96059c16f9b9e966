import { hash } from 'node:crypto';
import type { Idempotency } from '../engine/table/session.ts';
import { invalidRequest, type Problem } from './problems.ts';

const digest = (text: string): string => hash('sha256', text, 'base64url');

/** Allowed keys. Spaces around a header's value are not part of it (RFC 9110, 5.5). */
export const keyPattern = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/** Returns JSON with the fields in alphabetical order, so that equal bodies have equal digests. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

const invalidKey = (detail: string): Problem => invalidRequest([{ parameter: 'Idempotency-Key', detail }]);

/**
 * Returns the identity of the request. Requests with the same identity are executed once. A key belongs to its caller: another subject
 * of the tenant may use the same key.
 * @param owner whose key it is; '' where no token is required.
 * @param operation the operation and the path. A key that is sent with another operation or path is another request.
 * @throws Problem 400 when the key is not 1 to 255 printable ASCII characters, or when the token names no subject.
 */
export function idempotency(
  key: string | undefined,
  owner: string | undefined,
  operation: string,
  body: unknown,
): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    throw invalidKey('"Idempotency-Key" must be 1 to 255 printable ASCII characters.');
  }
  if (owner === undefined) {
    throw invalidKey(
      '"Idempotency-Key" needs a token with the claim "sub" or "client_id": a key belongs to its caller.',
    );
  }
  return {
    scope: digest(JSON.stringify([owner, operation, key])),
    fingerprint: digest(canonical(body) ?? ''),
  };
}
