/** Reads the operations of a batch. Each is validated like the request that it stands for. */
import * as v from 'valibot';
import { reference } from '../contract/fields.ts';
import { bodyFields, newFields, type Resource } from '../contract/resource.ts';
import type { BatchOperation } from '../engine/batches/apply-batch.ts';
import type { Fields } from '../engine/model/entity.ts';
import { readPrecondition } from './conditional-requests.ts';
import { invalidRequest, maxIssues, type ValidationIssue } from './problems.ts';
import { isObject, validate } from './validation.ts';

/** Characters of `ifMatch`: as many as the gateway allows for all headers. */
export const maxIfMatchLength = 10_240;

const members = {
  create: ['id', 'body'],
  update: ['id', 'ifMatch', 'body'],
  delete: ['id', 'ifMatch'],
} as const;

type OperationName = keyof typeof members;

const operationNames = Object.keys(members) as OperationName[];

const ifMatchSchema = () =>
  v.pipe(
    v.string('must be a string'),
    v.maxLength(maxIfMatchLength, `must have at most ${maxIfMatchLength} characters`),
  );

const refusedMembers = {
  version: 'Did you mean "ifMatch"? It has the ETag of the entity.',
};

function checkMembers(
  resource: Resource,
  name: OperationName | undefined,
  operation: Record<string, unknown>,
  at: string,
): readonly ValidationIssue[] {
  const schemas = {
    operation: v.picklist(operationNames, `must be one of ${operationNames.join(', ')}`),
    // The service makes the id of a creation without one.
    id: name === 'create' ? v.optional(reference(resource)) : reference(resource),
    ifMatch: v.optional(ifMatchSchema()),
    body: v.custom<object>(isObject, 'must be a JSON object'),
  };
  const required = ['operation' as const, ...(name ? members[name] : [])];
  const schema = () => v.object(Object.fromEntries(required.map((member) => [member, schemas[member]])));
  const writable = name ? required : Object.keys(schemas);
  return validate({ writable, schema, refused: refusedMembers }, operation, at).issues;
}

const refusedInCreation = {
  id: '"id" belongs beside "body", not in it, when you create with an id of your own.',
};

function readFields(resource: Resource, name: OperationName, body: unknown, at: string) {
  const own =
    name === 'create'
      ? { schema: resource.schemas.whole, refused: refusedInCreation }
      : { schema: resource.schemas.part };
  // A body that is no object is a mistake of the operation's own members.
  return isObject(body)
    ? validate({ ...bodyFields(resource), ...own }, body, `${at}/body`)
    : { issues: [], output: undefined };
}

/** Returns the entity that an operation names, and what is wrong with it. @param ids of the operations before. */
function readTarget({ id, ifMatch }: Record<string, unknown>, ids: Set<string>, at: string) {
  // Members of other types are mistakes of the operation's own members.
  if (typeof id !== 'string') return { issues: [], id: '', expected: undefined };
  const detail = 'An operation before has the same id. A batch names an entity at most once.';
  const repeated = ids.has(id) ? [{ pointer: `${at}/id`, detail }] : [];
  ids.add(id);
  const precondition = readPrecondition('ifMatch', typeof ifMatch === 'string' ? ifMatch : undefined, id);
  if ('expected' in precondition) return { issues: repeated, id, ...precondition };
  const issues = [...repeated, { pointer: `${at}/ifMatch`, detail: precondition.detail }];
  return { issues, id, expected: undefined };
}

function readOperation(
  resource: Resource,
  value: unknown,
  ids: Set<string>,
  at: string,
): { readonly issues: readonly ValidationIssue[]; readonly operation?: BatchOperation } {
  if (!isObject(value)) return { issues: [{ pointer: at, detail: 'An operation must be a JSON object.' }] };
  const name = operationNames.find((known) => known === value['operation']);
  const own = checkMembers(resource, name, value, at);
  if (name === undefined) return { issues: own };
  const { issues: ofTarget, ...target } = readTarget(value, ids, at);
  if (name === 'delete') return { issues: [...own, ...ofTarget], operation: { operation: name, ...target } };
  const { issues: ofFields, output } = readFields(resource, name, value['body'], at);
  const issues = [...own, ...ofTarget, ...ofFields];
  const fields = output as Fields;
  if (name === 'update') return { issues, operation: { operation: name, ...target, fields } };
  const ownId = typeof value['id'] === 'string' ? { id: value['id'] } : {};
  const created = issues.length > 0 ? fields : newFields(resource, fields);
  return { issues, operation: { operation: name, ...ownId, fields: created } };
}

/**
 * Returns the operations of a batch. Invalid ones carry their problem: an operation before them may fail for another reason, and the first
 * one that fails decides the status of the response.
 */
export function readOperations(resource: Resource, values: readonly unknown[]): BatchOperation[] {
  const ids = new Set<string>();
  const operations: BatchOperation[] = [];
  let issueCount = 0;
  for (const [position, value] of values.entries()) {
    // A response shows no more issues, and each takes time.
    if (issueCount >= maxIssues) break;
    const { issues, operation } = readOperation(resource, value, ids, `/operations/${position}`);
    issueCount += issues.length;
    const isValid = operation !== undefined && issues.length === 0;
    operations.push(isValid ? operation : { operation: 'invalid', error: invalidRequest(issues) });
  }
  return operations;
}
