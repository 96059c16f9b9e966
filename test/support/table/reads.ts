/** Reads of the items of a table or an index, at one moment. */
import type {
  BatchGetCommandInput,
  GetCommandInput,
  QueryCommandInput,
  ScanCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { readUnits } from './capacity.ts';
import { invalid } from './errors.ts';
import { type Bindings, parseCondition, parseProjection, type Test, testsOf } from './expressions.ts';
import {
  type Entry,
  hashOf,
  type KeyNames,
  type OrderedItems,
  type Partition,
  type Place,
  type StoredItem,
  toId,
} from './ordered-items.ts';
import { bind, checkKey, checkKeyValue, tableKeys } from './requests.ts';
import { firstPosition, SortedList } from './sorted-list.ts';
import { type Attributes, copyAttributes, toOrder } from './values.ts';

/** Bytes of a page of a query or scan, and of a response of `BatchGetItem`. */
const maxPageBytes = 2 ** 20;
const maxBatchBytes = 2 ** 24;

/** Keys of one `BatchGetItem`. */
const maxBatchKeys = 100;

type Projection = (item: Attributes) => Record<string, unknown>;

function toProjection(expression: string | undefined, bindings: Bindings): Projection {
  if (expression === undefined) return (item) => copyAttributes(item);
  const tokens = parseProjection(expression);
  bindings.use(tokens);
  const names = tokens.map((token) => bindings.name(token));
  if (new Set(names).size < names.length)
    throw invalid('Invalid ProjectionExpression: Two document paths overlap with each other');
  return (item) =>
    copyAttributes(
      Object.fromEntries(names.flatMap((name) => (Object.hasOwn(item, name) ? [[name, item[name]]] : []))),
    );
}

interface Read {
  readonly Item?: Record<string, unknown>;
  readonly units: number;
}

export function getItem(items: OrderedItems, input: GetCommandInput): Read {
  const { pk, sk } = checkKey(input.Key);
  const bindings = bind(input, input.ProjectionExpression);
  const project = toProjection(input.ProjectionExpression, bindings);
  bindings.checkUsed();
  const stored = items.find(pk, sk);
  const units = readUnits(stored?.bytes ?? 0, input.ConsistentRead);
  return { ...(stored && { Item: project(stored.item) }), units };
}

type BatchRequest = NonNullable<BatchGetCommandInput['RequestItems']>[string];

interface Batch {
  readonly items: Record<string, unknown>[];
  readonly unprocessed: Record<string, unknown>[];
  readonly units: number;
}

/** @param maxKeys of those that are processed. */
export function batchGetItem(items: OrderedItems, request: BatchRequest, maxKeys = maxBatchKeys): Batch {
  const keys = (request.Keys ?? []).map((key) => checkKey(key));
  if (keys.length === 0 || keys.length > maxBatchKeys)
    throw invalid(`A batch has from 1 to ${maxBatchKeys} keys`);
  if (new Set(keys.map(({ pk, sk }) => toId(pk, sk))).size < keys.length)
    throw invalid('Provided list of item keys contains duplicates');
  const bindings = bind(request, request.ProjectionExpression);
  const project = toProjection(request.ProjectionExpression, bindings);
  bindings.checkUsed();
  const found: Record<string, unknown>[] = [];
  let [processed, bytes, units] = [0, 0, 0];
  for (const { pk, sk } of keys.slice(0, maxKeys)) {
    const stored = items.find(pk, sk);
    bytes += stored?.bytes ?? 0;
    if (bytes > maxBatchBytes) break;
    processed += 1;
    units += readUnits(stored?.bytes ?? 0, request.ConsistentRead);
    // In another order than the keys: DynamoDB has none.
    if (stored) found.unshift(project(stored.item));
  }
  return { items: found, unprocessed: keys.slice(processed).map((key) => ({ ...key })), units };
}

export interface Page {
  readonly Items: Record<string, unknown>[];
  readonly Count: number;
  readonly ScannedCount: number;
  readonly LastEvaluatedKey?: Record<string, unknown>;
  readonly units: number;
}

/** What queries and scans have in common. */
interface PageRequest {
  readonly limit: number | undefined;
  readonly isConsistent: boolean | undefined;
  readonly filter: (item: Attributes) => boolean;
  readonly project: Projection;
}

function toPageRequest(input: QueryCommandInput | ScanCommandInput, bindings: Bindings): PageRequest {
  const { Limit: limit, FilterExpression, ConsistentRead: isConsistent, IndexName } = input;
  if (limit !== undefined && limit < 1)
    throw invalid("Value at 'Limit' failed to satisfy constraint: greater than or equal to 1");
  if (isConsistent && IndexName)
    throw invalid('Consistent reads are not supported on global secondary indexes');
  const filter =
    FilterExpression === undefined ? () => true : bindings.condition(parseCondition(FilterExpression));
  const project = toProjection(input.ProjectionExpression, bindings);
  bindings.checkUsed();
  return { limit, isConsistent, filter, project };
}

/** Returns the key from which the next page continues. In an index it has the keys of the index, too. */
const toStartKey = ({ item }: StoredItem, names: KeyNames): Record<string, unknown> =>
  Object.fromEntries(
    [...Object.values(tableKeys), names.partitionKey, names.sortKey].map((name) => [name, item[name]]),
  );

function readPage(
  entries: Iterable<{ readonly stored: StoredItem }>,
  names: KeyNames,
  request: PageRequest,
): Page {
  const Items: Record<string, unknown>[] = [];
  let [bytes, ScannedCount] = [0, 0];
  let last: StoredItem | undefined;
  let isComplete = true;
  for (const { stored } of entries) {
    isComplete = bytes + stored.bytes <= maxPageBytes;
    if (!isComplete) break;
    bytes += stored.bytes;
    ScannedCount += 1;
    last = stored;
    if (request.filter(stored.item)) Items.push(request.project(stored.item));
    // DynamoDB does not look whether there is another one.
    isComplete = ScannedCount !== request.limit;
    if (!isComplete) break;
  }
  const next = !isComplete && last && { LastEvaluatedKey: toStartKey(last, names) };
  const units = readUnits(bytes, request.isConsistent);
  return { Items, Count: Items.length, ScannedCount, ...next, units };
}

/** Checks a key from which a page continues, and returns its place. */
function checkStart(start: Attributes, items: OrderedItems): Place & { partition: string } {
  const names = new Set([tableKeys.partitionKey, tableKeys.sortKey, ...Object.values(items.names)]);
  if (Object.keys(start).length !== names.size) throw invalid('The provided starting key is invalid');
  const { pk, sk } = checkKey({ pk: start['pk'], sk: start['sk'] });
  const place = items.placeOf({ id: toId(pk, sk), item: start });
  if (!place) throw invalid('The provided starting key is invalid');
  return place;
}

/** The sort keys that a query reads, as conditions that hold for all later sort keys. */
interface Range {
  readonly partition: string;
  readonly hasBegun: (sort: string) => boolean;
  readonly hasEnded: (sort: string) => boolean;
}

const always = (): boolean => true;
const never = (): boolean => false;

function toRange(test: string, first: string, second: string): Omit<Range, 'partition'> {
  const [from, to] = [(sort: string) => sort >= first, (sort: string) => sort > first];
  switch (test) {
    case '=':
      return { hasBegun: from, hasEnded: to };
    case '<':
      return { hasBegun: always, hasEnded: from };
    case '<=':
      return { hasBegun: always, hasEnded: to };
    case '>':
      return { hasBegun: to, hasEnded: never };
    case '>=':
      return { hasBegun: from, hasEnded: never };
    case 'BETWEEN':
      return { hasBegun: from, hasEnded: (sort) => sort > second };
    case 'begins_with':
      return { hasBegun: from, hasEnded: (sort) => sort > first && !sort.startsWith(first) };
    default:
      throw invalid(`Unexpected operator in KeyConditionExpression: ${test}`);
  }
}

/** Returns what a key condition selects: one partition, and in it all sort keys or one range of them. */
function parseKeyCondition(expression: string | undefined, bindings: Bindings, names: KeyNames): Range {
  const condition = parseCondition(expression ?? '');
  bindings.condition(condition);
  const tests = 'all' in condition || 'test' in condition ? [...testsOf(condition)] : [];
  const attributeOf = ({ operands: [name = ''] }: Test) => bindings.name(name);
  const ofPartition = tests.find((test) => attributeOf(test) === names.partitionKey);
  const ofSort = tests.find((test) => attributeOf(test) === names.sortKey);
  if (ofPartition?.test !== '=' || tests.length > (ofSort ? 2 : 1))
    throw invalid('Query condition missed key schema element, or has another one');
  const valuesOf = (test: Test, kind: keyof KeyNames): string[] =>
    test.operands.slice(1).map((operand) => checkKeyValue(kind, names[kind], bindings.value(operand)));
  const [partition = ''] = valuesOf(ofPartition, 'partitionKey');
  if (!ofSort) return { partition, hasBegun: always, hasEnded: never };
  const [first = '', second = ''] = valuesOf(ofSort, 'sortKey').map(toOrder);
  return { partition, ...toRange(ofSort.test, first, second) };
}

const isAfter = (one: Place, other: Place): boolean =>
  one.sort > other.sort || (one.sort === other.sort && one.id > other.id);

export function query(items: OrderedItems, input: QueryCommandInput): Page {
  const bindings = bind(input, input.KeyConditionExpression, input.FilterExpression);
  const range = parseKeyCondition(input.KeyConditionExpression, bindings, items.names);
  const request = toPageRequest(input, bindings);
  checkFilter(input.FilterExpression, bindings, items.names);
  const isForward = input.ScanIndexForward !== false;
  const entries = items.partition(range.partition)?.entries ?? new SortedList<Entry>();
  let from = entries.firstPosition(({ sort }) => range.hasBegun(sort));
  let to = entries.firstPosition(({ sort }) => range.hasEnded(sort));
  if (input.ExclusiveStartKey) {
    const start = checkStart(input.ExclusiveStartKey, items);
    if (start.partition !== range.partition || !range.hasBegun(start.sort) || range.hasEnded(start.sort))
      throw invalid('The provided starting key is outside query boundaries based on provided conditions');
    if (isForward) from = entries.firstPosition((entry) => isAfter(entry, start));
    else to = entries.firstPosition((entry) => !isAfter(start, entry));
  }
  return readPage(entries.slice(from, to, isForward), items.names, request);
}

/** A filter selects among the items of a key condition, so it has no keys. */
function checkFilter(expression: string | undefined, bindings: Bindings, names: KeyNames): void {
  if (expression === undefined) return;
  const operands = [...testsOf(parseCondition(expression))].flatMap((test) => test.operands);
  if (operands.some((operand) => [names.partitionKey, names.sortKey].includes(bindings.name(operand))))
    throw invalid('Filter Expression can only contain non-primary key attributes');
}

function* scanEntries(partitions: readonly Partition[], start?: Place & { partition: string }) {
  for (const { key, entries } of partitions) {
    const isStart = start && key === start.partition;
    yield* entries.slice(
      isStart ? entries.firstPosition((entry) => isAfter(entry, start)) : 0,
      entries.length,
    );
  }
}

export function scan(items: OrderedItems, input: ScanCommandInput): Page {
  const { Segment, TotalSegments } = input;
  const bindings = bind(input, input.FilterExpression, input.ProjectionExpression);
  const request = toPageRequest(input, bindings);
  if ((Segment === undefined) !== (TotalSegments === undefined))
    throw invalid('Segment and TotalSegments are required together');
  if (Segment !== undefined && Segment >= (TotalSegments ?? 1))
    throw invalid('The Segment parameter is zero-based and must be less than parameter TotalSegments');
  const start = input.ExclusiveStartKey && checkStart(input.ExclusiveStartKey, items);
  const partitions = items
    .partitions()
    .filter(({ hash }) => Segment === undefined || Math.floor(hash * (TotalSegments ?? 1)) === Segment);
  const from = start ? firstPosition(partitions, (partition) => isAtLeast(partition, start.partition)) : 0;
  return readPage(scanEntries(partitions.slice(from), start), items.names, request);
}

/** Returns whether a scan reads a partition after another one, or whether they are the same. */
function isAtLeast({ hash, key }: Partition, other: string): boolean {
  const otherHash = hashOf(other);
  return hash > otherHash || (hash === otherHash && key >= other);
}
