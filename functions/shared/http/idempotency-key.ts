import { hash } from 'node:crypto';
import type { Idempotency } from '../store/session.ts';
import { invalidRequest } from './problems.ts';

const digest = (text: string): string => hash('sha256', text, 'base64url');

/** What a key may be; spaces around it are none of it (RFC 9110, 5.5). */
export const keyPattern = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/** JSON with members in one order, so that equal bodies have equal digests. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}

/**
 * What makes this request one with others under the same key.
 * @param operation the operation and the path that it is for; a key for another means another request.
 * @throws Problem when the key is not 1 to 255 visible characters of ASCII.
 */
export function idempotency(
  key: string | undefined,
  operation: string,
  body: unknown,
): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) {
    throw invalidRequest([
      {
        parameter: 'Idempotency-Key',
        detail: '"Idempotency-Key" must be 1 to 255 visible ASCII characters.',
      },
    ]);
  }
  return { scope: digest(`${operation}\n${key}`), fingerprint: digest(canonical(body) ?? '') };
}
