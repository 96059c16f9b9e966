import * as v from 'valibot';
import type { Body } from '../contract/contract.ts';
import { invalidRequest, maxIssues, type ValidationIssue } from './problems.ts';
import { quoted, suggestion } from './suggestion.ts';

/** Returns the JSON pointer (RFC 6901) of the value at these keys. */
const pointer = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns an issue for each unknown field; not for more than a response shows, because each suggestion takes time. */
function unknownFields(value: Record<string, unknown>, { writable, ignored = [] }: Body): ValidationIssue[] {
  const known = new Set([...writable, ...ignored]);
  const issues: ValidationIssue[] = [];
  for (const name of Object.keys(value)) {
    if (issues.length === maxIssues) break;
    if (known.has(name)) continue;
    const detail = `${quoted(name)} is not a field here. ${suggestion(name, writable)}`;
    issues.push({ pointer: pointer([name]), detail });
  }
  return issues;
}

function toIssue({ path, input, kind, message }: v.BaseIssue<unknown>): ValidationIssue {
  const keys = (path ?? []).map(({ key }) => key as string | number);
  const name = quoted(String(keys[0] ?? ''));
  if (input === undefined) return { pointer: pointer(keys), detail: `${name} is missing.` };
  const isNull = input === null && kind === 'schema';
  return { pointer: pointer(keys), detail: `${name} ${isNull ? 'must not be null' : message}.` };
}

/**
 * Returns the value of a body: defaults filled in, text trimmed, only the fields that the operation writes.
 * @throws Problem 400 that names the unknown, missing and invalid fields, up to 50 of them.
 */
export function validated(contract: Body, body: unknown): unknown {
  const value = body === undefined && contract.optional ? {} : body;
  if (!isObject(value)) throw invalidRequest([{ pointer: '', detail: 'The body must be a JSON object.' }]);
  // After a failed check nothing else looks at the value: a pattern never sees text above its maximum length.
  const result = v.safeParse(contract.schema(), value, { abortPipeEarly: true });
  const issues = [...unknownFields(value, contract), ...(result.issues ?? []).map(toIssue)];
  if (issues.length > 0) throw invalidRequest(issues);
  return result.output;
}
