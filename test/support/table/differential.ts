/**
 * Compares the table of tests with an engine: both receive the same sequence of requests, and must have the same results. Where an engine
 * deviates from DynamoDB, the table follows DynamoDB.
 */

import type { Item, Key } from '#functions/engine/model/writes.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { itemBytes } from './capacity.ts';
import type { MemoryTable } from './memory-table.ts';
import { type Action, keyOf, type Request, strictRequests } from './random-requests.ts';

/** What an engine does in another way than DynamoDB. */
interface Deviation {
  readonly engines: readonly Engine['kind'][];
  readonly reason: string;
  /** Returns whether a request is not compared. */
  readonly matches: (request: Request, find: (key: Key) => Item | undefined) => boolean;
}

/** Returns the writes of a transaction. */
const actionsOf = ({ method, input }: Request): readonly Action[] =>
  method === 'transactWriteItems' ? (input['TransactItems'] as readonly Action[]) : [];

/** Returns the updates of a request. */
const updatesOf = (request: Request): { Key: Key; UpdateExpression?: string }[] =>
  request.method === 'updateItem'
    ? [request.input as never]
    : actionsOf(request).flatMap(({ Update }) => (Update as never) ?? []);

/** `test/unit/support/table.test.ts` has what DynamoDB does. */
const deviations: readonly Deviation[] = [
  {
    engines: ['embedded', 'DynamoDB Local'],
    // https://github.com/scylladb/scylladb/issues/5862 has a test that ran on AWS.
    reason: 'It creates the item of an update that only removes attributes. DynamoDB does not.',
    matches: (request, find) =>
      updatesOf(request).some(
        ({ Key, UpdateExpression = '' }) => /^REMOVE [^:]*$/.test(UpdateExpression) && !find(Key),
      ),
  },
  {
    engines: ['embedded'],
    reason:
      'It reports the units of the attributes that GetItem returns. DynamoDB reports those of the item.',
    matches: ({ method, input }, find) =>
      method === 'getItem' &&
      input['ProjectionExpression'] !== undefined &&
      itemBytes(find(input['Key'] as Key) ?? {}) > 4_096,
  },
  {
    engines: ['embedded'],
    reason:
      'It accepts keys and operands that DynamoDB refuses, and refuses a key condition that begins with the sort key.',
    matches: (request) => strictRequests.includes(request),
  },
  {
    engines: ['DynamoDB Local'],
    reason: 'It does not continue after an item at the end of the sort keys of a query. DynamoDB may.',
    matches: ({ input }) =>
      input['Limit'] !== undefined && / AND /.test(String(input['KeyConditionExpression'])),
  },
  {
    engines: ['DynamoDB Local'],
    reason: 'It has another order of items with the same key of an index. DynamoDB has none.',
    matches: ({ input }) => input['IndexName'] !== undefined,
  },
  {
    engines: ['DynamoDB Local'],
    reason: 'It evaluates conditions before it refuses a transaction with two writes of one item.',
    matches: (request) => {
      const keys = actionsOf(request).map(keyOf);
      return new Set(keys).size < keys.length;
    },
  },
];

type Outcome = Readonly<Record<string, unknown>>;

interface SdkFailure extends Error {
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

async function outcomeOf(call: () => Promise<object>): Promise<Outcome> {
  try {
    return { ...(await call()) };
  } catch (error) {
    const { name, CancellationReasons } = error as SdkFailure;
    return { error: name, reasons: CancellationReasons?.map(({ Code }) => Code) };
  }
}

const byKey = (one: Item, other: Item): number =>
  `${one.pk}\n${one.sk}` < `${other.pk}\n${other.sk}` ? -1 : 1;

/** One of the two tables that are compared. */
interface Side {
  readonly dynamodb: DynamoDb;
  readonly tableName: string;
  /** Begins the tokens of this sequence. */
  readonly tokens: string;
}

interface Engine extends Side {
  readonly kind: 'embedded' | 'DynamoDB Local';
}

/**
 * Returns an outcome without what an engine reports in another way than DynamoDB. DynamoDB Local counts units in another way, and does not cancel
 * a transaction when an update does not suit its item: it refuses the request.
 */
const toComparable: Readonly<Record<Engine['kind'], (outcome: Outcome) => Outcome>> = {
  embedded: (outcome) => outcome,
  'DynamoDB Local': ({ capacity: _, ...outcome }) =>
    (outcome['reasons'] as string[] | undefined)?.includes('ValidationError')
      ? { error: 'ValidationException', reasons: undefined }
      : outcome,
};

function toInput({ method, input }: Request, { tableName: TableName, tokens }: Side): object {
  const capacity = { ReturnConsumedCapacity: 'TOTAL' };
  if (method === 'batchGetItem') return { RequestItems: { [TableName]: input }, ...capacity };
  if (method !== 'transactWriteItems') return { ...input, TableName, ...capacity };
  const { TransactItems, ClientRequestToken } = input as {
    TransactItems: object[];
    ClientRequestToken?: string;
  };
  return {
    TransactItems: TransactItems.map((action) =>
      Object.fromEntries(Object.entries(action).map(([name, one]) => [name, { ...one, TableName }])),
    ),
    ...(ClientRequestToken && { ClientRequestToken: tokens + ClientRequestToken }),
    ...capacity,
  };
}

/** Returns an outcome without what differs between tables that behave alike: names, and the order of a batch. */
function normalize(outcome: Outcome, { tableName }: Side): Outcome {
  const { $metadata: _, ConsumedCapacity, Responses, UnprocessedKeys = {}, ...rest } = outcome;
  const capacity = [ConsumedCapacity ?? []].flat() as Record<string, unknown>[];
  const found = (Responses as Record<string, Item[]> | undefined)?.[tableName];
  return {
    ...rest,
    capacity: capacity.map(({ TableName: _name, ...units }) => units),
    ...(found && { found: found.toSorted(byKey), UnprocessedKeys }),
  };
}

/** Pages of a query or scan: more than there are items. A table that repeats a page would have no end. */
const maxPages = 50;

/** Reads the pages of a query or scan, as far as there are. */
async function readPages(readPage: (start: object) => Promise<Outcome>, isPaged = true): Promise<Outcome[]> {
  const pages: Outcome[] = [];
  let next: unknown;
  do {
    const page = await readPage(next === undefined ? {} : { ExclusiveStartKey: next });
    pages.push(page);
    next = isPaged ? page['LastEvaluatedKey'] : undefined;
  } while (next !== undefined && pages.length < maxPages);
  return pages;
}

/** A scan has no order that two tables share: returns all its pages as one, and without the capacity, which depends on the pages. */
async function scanAll(side: Side, input: Request['input']): Promise<Outcome> {
  const { TableName, ...more } = { ...input, TableName: side.tableName };
  const segments = Array.from({ length: Number(input['TotalSegments'] ?? 1) }, (_, segment) => segment);
  const pages: Outcome[] = [];
  for (const Segment of segments) {
    const ofSegment = input['TotalSegments'] === undefined ? {} : { Segment };
    const readPage = (start: object) =>
      outcomeOf(() => side.dynamodb.scan({ ...more, ...ofSegment, ...start, TableName }));
    pages.push(...(await readPages(readPage)));
  }
  const failed = pages.find((page) => 'error' in page);
  const items = pages.flatMap(({ Items }) => (Items ?? []) as Item[]);
  const scanned = pages.reduce((total, { ScannedCount }) => total + Number(ScannedCount), 0);
  return failed ?? { Items: items.toSorted(byKey), scanned };
}

async function send(side: Side, request: Request): Promise<Outcome[]> {
  if (request.method === 'scan') return [await scanAll(side, request.input)];
  const call = side.dynamodb[request.method] as (input: object) => Promise<object>;
  const input = toInput(request, side);
  const readPage = async (start: object) =>
    normalize(await outcomeOf(() => call({ ...input, ...start })), side);
  return readPages(readPage, request.isPaged ?? false);
}

/** Deletes all items of a table. */
async function empty({ dynamodb, tableName: TableName }: Side): Promise<void> {
  const { Items = [] } = await dynamodb.scan({ TableName, ProjectionExpression: 'pk, sk' });
  for (const Key of Items) await dynamodb.deleteItem({ TableName, Key });
}

/**
 * Sends requests to both tables, which begin empty.
 * @param expectSame compares the results.
 */
export async function compareSequence(
  requests: readonly Request[],
  own: Side & { readonly dynamodb: MemoryTable },
  engine: Engine,
  expectSame: (own: unknown, engine: unknown) => void,
): Promise<void> {
  own.dynamodb.clear();
  await empty(engine);
  const deviating = deviations.filter(({ engines }) => engines.includes(engine.kind));
  const find = ({ pk, sk }: Key) => own.dynamodb.snapshot().find((item) => item.pk === pk && item.sk === sk);
  for (const request of [...requests, { method: 'scan', input: {} } as const]) {
    if (deviating.some(({ matches }) => matches(request, find))) continue;
    const result = (await send(own, request)).map(toComparable[engine.kind]);
    const expected = (await send(engine, request)).map(toComparable[engine.kind]);
    expectSame({ request, result }, { request, result: expected });
  }
}
