/** Writes of one item: what they change, and what they cost. */
import type {
  DeleteCommandInput,
  PutCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { table } from '#functions/engine/model/table.ts';
import { indexUnits, itemBytes, kilobytes } from './capacity.ts';
import { conditionFailed, invalid } from './errors.ts';
import {
  type Action,
  add,
  type Bindings,
  type Placeholders,
  parseCondition,
  parseUpdate,
} from './expressions.ts';
import { type StoredItem, toId } from './ordered-items.ts';
import {
  bind,
  checkItemKey,
  checkKey,
  checkKeyValue,
  EmptyKey,
  type ItemKey,
  tableKeys,
} from './requests.ts';
import { type Attributes, copyAttributes, copyValue } from './values.ts';

const maxItemBytes = 400 * 1_024;

const indexes = Object.values(table.indexes);

/** One write whose request is valid. */
export interface Plan {
  /** The item that it writes. */
  readonly key: ItemKey;
  readonly id: string;
  /** Bytes of what the request has of the item. */
  readonly bytes: number;
  /** Returns the item after the write. @throws when the condition fails, or the update does not suit the item. */
  readonly apply: (before: StoredItem | undefined) => StoredItem | undefined;
  /** Attributes of an update. */
  readonly updated?: readonly string[];
}

export interface Change {
  readonly plan: Plan;
  readonly before: StoredItem | undefined;
  readonly after: StoredItem | undefined;
}

type Conditional = Placeholders & { readonly ConditionExpression?: string | undefined };

function toCondition(input: Conditional, bindings: Bindings): (before: StoredItem | undefined) => void {
  const { ConditionExpression } = input;
  if (ConditionExpression === undefined) return () => undefined;
  const holds = bindings.condition(parseCondition(ConditionExpression));
  return (before) => {
    if (!holds(before?.item ?? {})) throw conditionFailed();
  };
}

/** Checks the keys of the indexes that an item has. */
function checkIndexKeys(item: Attributes): void {
  for (const names of indexes)
    for (const kind of ['partitionKey', 'sortKey'] as const) {
      const value = item[names[kind]];
      if (value !== undefined) checkKeyValue(kind, names[kind], value);
    }
}

function checkEmptyIndexKeys(item: Attributes): void {
  for (const { partitionKey, sortKey } of indexes)
    for (const name of [partitionKey, sortKey]) if (item[name] === '') throw new EmptyKey(name);
}

function toStored(id: string, item: Attributes): StoredItem {
  const bytes = itemBytes(item);
  if (bytes > maxItemBytes) throw invalid('Item size has exceeded the maximum allowed size');
  return { id, item, bytes };
}

export function planPut(input: Pick<PutCommandInput, 'Item'> & Conditional): Plan {
  const item = copyAttributes(input.Item ?? {});
  const { id, ...key } = checkItemKey(item);
  checkEmptyIndexKeys(item);
  const after = toStored(id, item);
  const bindings = bind(input, input.ConditionExpression);
  const check = toCondition(input, bindings);
  bindings.checkUsed();
  const apply = (before: StoredItem | undefined): StoredItem => {
    checkIndexKeys(item);
    check(before);
    return after;
  };
  return { key, id, bytes: after.bytes, apply };
}

type Keyed = Pick<DeleteCommandInput, 'Key'> & Conditional;

export function planDelete(input: Keyed): Plan {
  const key = checkKey(input.Key);
  const bindings = bind(input, input.ConditionExpression);
  const check = toCondition(input, bindings);
  bindings.checkUsed();
  const apply = (before: StoredItem | undefined): undefined => {
    check(before);
  };
  return { key, id: toId(key.pk, key.sk), bytes: itemBytes({ ...key }), apply };
}

/** Checks the actions of an update and returns the names of their attributes. */
function checkActions(actions: readonly Action[], bindings: Bindings): string[] {
  for (const { section, name, value } of actions) {
    bindings.use(value === undefined ? [name] : [name, value]);
    if (section === 'ADD' && typeof bindings.value(value ?? '') !== 'number')
      throw invalid('Incorrect operand type for operator or function; operator: ADD');
  }
  const names = actions.map(({ name }) => bindings.name(name));
  if (new Set(names).size < names.length)
    throw invalid('Invalid UpdateExpression: Two document paths overlap with each other');
  const key = names.find((name) => name === tableKeys.partitionKey || name === tableKeys.sortKey);
  if (key)
    throw invalid(
      `One or more parameter values were invalid: Cannot update attribute ${key}. This attribute is part of the key`,
    );
  return names;
}

function update(item: Attributes, actions: readonly Action[], bindings: Bindings): Attributes {
  const after: Record<string, unknown> = { ...item };
  for (const { section, name: token, value: placeholder = '' } of actions) {
    const name = bindings.name(token);
    const value = bindings.value(placeholder);
    if (section === 'REMOVE') delete after[name];
    else after[name] = section === 'ADD' ? add(after[name] ?? 0, value) : copyValue(value);
  }
  return after;
}

type UpdateInput = Keyed & Pick<UpdateCommandInput, 'UpdateExpression'>;

export function planUpdate(input: UpdateInput): Plan {
  const key = checkKey(input.Key);
  const { UpdateExpression } = input;
  const bindings = bind(input, UpdateExpression, input.ConditionExpression);
  const actions = UpdateExpression === undefined ? [] : parseUpdate(UpdateExpression);
  const updated = checkActions(actions, bindings);
  const check = toCondition(input, bindings);
  bindings.checkUsed();
  const id = toId(key.pk, key.sk);
  // An update that only removes attributes does not create an item.
  const createsItem = actions.length === 0 || actions.some(({ section }) => section !== 'REMOVE');
  const apply = (before: StoredItem | undefined): StoredItem | undefined => {
    check(before);
    if (!before && !createsItem) return undefined;
    const item = update(before?.item ?? { ...key }, actions, bindings);
    checkIndexKeys(item);
    return toStored(id, item);
  };
  return { key, id, bytes: itemBytes({ ...key }), apply, updated };
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export function planTransactItem({ Put, Update, Delete }: TransactItem): Plan {
  if (Put) return planPut(Put);
  if (Update) return planUpdate(Update);
  if (Delete) return planDelete(Delete);
  throw new TypeError('This table has Put, Update and Delete in transactions.');
}

/**
 * Returns the write units of a change.
 * @param factor of the table, 2 in a transaction. Indexes cost the same in and outside a transaction.
 */
export function writeUnits({ before, after }: Change, factor: 1 | 2): number {
  let units = factor * Math.max(kilobytes(before?.bytes ?? 0), kilobytes(after?.bytes ?? 0));
  for (const index of indexes) {
    const [oldKey, newKey] = [indexKey(before, index), indexKey(after, index)];
    units += indexUnits(oldKey ? before : undefined, newKey ? after : undefined, oldKey !== newKey);
  }
  return units;
}

/** Returns the key of an item in an index; `undefined` when the index does not have it. */
function indexKey(stored: StoredItem | undefined, names: (typeof indexes)[number]): string | undefined {
  const { [names.partitionKey]: partition, [names.sortKey]: sort } = stored?.item ?? {};
  return partition === undefined || sort === undefined ? undefined : toId(`${partition}`, `${sort}`);
}

/** Returns the attributes that `ReturnValues` asks for; `undefined` when there are none. */
export function returnedValues(
  { plan, after }: Change,
  kind: string | undefined,
): Record<string, unknown> | undefined {
  if (kind === undefined) return undefined;
  if (kind !== 'UPDATED_NEW' || !plan.updated)
    throw new TypeError('This table returns UPDATED_NEW of updates only.');
  const item = after?.item ?? {};
  const updated = plan.updated.filter((name) => Object.hasOwn(item, name));
  if (updated.length === 0) return undefined;
  return copyAttributes(Object.fromEntries(updated.map((name) => [name, item[name]])));
}
