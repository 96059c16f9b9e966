import * as v from 'valibot';
import type { Body } from '../contract/contract.ts';
import { quoted, suggestion } from './nearest.ts';
import { type Fault, invalidRequest } from './problems.ts';

/** A JSON pointer (RFC 6901) to the value at these keys. */
const pointer = (keys: readonly (string | number)[]): string =>
  keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function unknownMembers(value: Record<string, unknown>, members: readonly string[]): Fault[] {
  return Object.keys(value)
    .filter((name) => !members.includes(name))
    .map((name) => ({
      pointer: pointer([name]),
      detail: `${quoted(name)} is not a member here. ${suggestion(name, members)}`,
    }));
}

function fault(issue: v.BaseIssue<unknown>): Fault {
  const keys = (issue.path ?? []).map(({ key }) => key as string | number);
  const isMissing = issue.input === undefined;
  const name = quoted(String(keys[0] ?? ''));
  return { pointer: pointer(keys), detail: isMissing ? `${name} is missing.` : `${name} ${issue.message}.` };
}

/**
 * The value that a body stands for: defaults filled in, text trimmed, only what the operation takes.
 * @throws Problem that names every member that is unknown, missing or wrong.
 */
export function validated({ members, schema, optional }: Body, body: unknown): unknown {
  const value = body === undefined && optional ? {} : body;
  if (!isObject(value)) throw invalidRequest([{ pointer: '', detail: 'The body must be a JSON object.' }]);
  const result = v.safeParse(schema(), value);
  const faults = [...unknownMembers(value, members), ...(result.issues ?? []).map(fault)];
  if (faults.length > 0) throw invalidRequest(faults);
  return result.output;
}
