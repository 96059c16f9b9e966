import * as v from 'valibot';
import type { Body } from '../contract/contract.ts';
import { otherFieldNames } from './other-names.ts';
import { invalidRequest, maxIssues, type ValidationIssue } from './problems.ts';
import { isQuotable, quoted, suggestion } from './suggestion.ts';

/** Returns the JSON pointer (RFC 6901) of the value at these keys. */
const pointer = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an issue for each unknown or refused field; not for more than a response shows, because each suggestion takes time. */
function unknownFields(
  value: Record<string, unknown>,
  { writable, ignored = [], refused = {} }: Body,
  at: string,
): ValidationIssue[] {
  const known = new Set([...writable, ...ignored]);
  const issues: ValidationIssue[] = [];
  for (const name of Object.keys(value)) {
    if (issues.length === maxIssues) break;
    const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (reason === undefined && known.has(name)) continue;
    const detail =
      reason ?? `${quoted(name)} is not a field here. ${suggestion(name, writable, otherFieldNames)}`;
    issues.push({ pointer: at + pointer([name]), detail });
  }
  return issues;
}

/** Returns the invalid value, for a message that says what a value must be; '' when the value is too long to be read. */
function invalidValue(input: unknown, message: string): string {
  const isShort =
    typeof input === 'boolean' || Number.isFinite(input) || (typeof input === 'string' && isQuotable(input));
  return isShort && /^must be [^:]*$/.test(message) ? `: ${JSON.stringify(input)} is not` : '';
}

const nameOf = ([field = '', position]: readonly (string | number)[]): string =>
  typeof position === 'number' ? `Item ${position + 1} of ${quoted(String(field))}` : quoted(String(field));

function toIssue({ path, input, kind, message }: v.BaseIssue<unknown>, at: string): ValidationIssue {
  const keys = (path ?? []).map(({ key }) => key as string | number);
  const name = nameOf(keys);
  const place = at + pointer(keys);
  if (input === undefined) return { pointer: place, detail: `${name} is missing.` };
  if (input === null && kind === 'schema') return { pointer: place, detail: `${name} must not be null.` };
  return { pointer: place, detail: `${name} ${message}${invalidValue(input, message)}.` };
}

/** @param at JSON pointer to the object in the body. @returns the output, which is only valid without issues. */
export function validate(contract: Body, value: Record<string, unknown>, at = '') {
  // After a failed check nothing else looks at the value: a pattern never sees text above its maximum length.
  const { issues = [], output } = v.safeParse(contract.schema(), value, { abortPipeEarly: true });
  return {
    issues: [...unknownFields(value, contract, at), ...issues.map((issue) => toIssue(issue, at))],
    output,
  };
}

/**
 * Returns the value of a body: defaults filled in, text trimmed, only the fields that the operation writes.
 * @throws Problem 400 that names the unknown, missing and invalid fields, up to 50 of them.
 */
export function validated(contract: Body, body: unknown): unknown {
  const value = body === undefined && contract.optional ? {} : body;
  if (!isObject(value)) throw invalidRequest([{ pointer: '', detail: 'The body must be a JSON object.' }]);
  const { issues, output } = validate(contract, value);
  if (issues.length > 0) throw invalidRequest(issues);
  return output;
}
