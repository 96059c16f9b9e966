/**
 * Random requests to a table. The keys and values are few, so that conditions, indexes and queries meet items. The input has neither the name of
 * the table nor the report of capacity.
 */
import fc from 'fast-check';
import type { IndexName } from '#functions/engine/model/table.ts';
import type { Item, Key } from '#functions/engine/model/writes.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';

type Method = Exclude<keyof DynamoDb, 'clockErrorMs' | 'destroy'>;

export interface Request {
  readonly method: Method;
  readonly input: Readonly<Record<string, unknown>>;
  /** Whether the following pages are read, too. */
  readonly isPaged?: boolean;
}

const pick = <Value>(...values: Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);

const partitions = ['a', 'b'];
/** In the order of UTF-8, in which U+FF5E precedes U+1F600. UTF-16 has the other order. */
const sorts = ['1', '12', '\uff5e', '\u{1f600}'];
const key = fc.record({ pk: pick(...partitions), sk: pick(...sorts) });

const number = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  pick(0.5, -12.25, 100, 123_456_789, 9_007_199_254_740_991, 1e-7),
);
const text = fc.oneof(
  pick('', 'x', 'xy', 'y', 'é€', '\u{1f600}'),
  fc.integer({ min: 900, max: 3_000 }).map((length) => 'x'.repeat(length)),
);
const bytes = pick(new Uint8Array([]), new Uint8Array([1]), new Uint8Array([1, 255]), new Uint8Array(1_500));
const plain = fc.oneof(number, text, bytes, fc.boolean(), fc.constant(null));
const value = fc.oneof(
  { weight: 4, arbitrary: plain },
  fc.array(pick<unknown>(1, 'x', null, ['x']), { maxLength: 3 }),
  fc.dictionary(pick('x', 'y'), pick<unknown>(1, 'x', true, { x: 1 }), { maxKeys: 2 }),
);

/** Values of attributes by their names. Some items lack a key of an index. */
const attributes = {
  ofKind: pick('k', 'l'),
  id: pick('1', '2', '3'),
  byStatus: pick('s#1', 's#2', 't'),
  n: fc.oneof({ weight: 4, arbitrary: number }, value),
  m: fc.integer({ min: -3, max: 3 }),
  t: text,
  v: value,
  w: value,
};

const names = Object.keys(attributes) as (keyof typeof attributes)[];

/** Items that are often put again, unchanged. */
const usualItems = [
  { pk: 'a', sk: '1', ofKind: 'k', id: '1', byStatus: 't', m: -1, n: null },
  { pk: 'a', sk: '1', ofKind: 'k', id: '2', byStatus: 't', m: -1 },
  { pk: 'b', sk: '12', ofKind: 'k', id: '2', m: 0, v: { x: ['x'] }, w: new Uint8Array([1]) },
];

const item: fc.Arbitrary<Item> = fc.oneof(
  { weight: 1, arbitrary: pick<Item>(...usualItems) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(key, fc.record(attributes, { requiredKeys: [] }))
      .map(([ownKey, own]) => ({ ...ownKey, ...own })),
  },
);

/** A part of an expression, with the names that it uses, and a value for each question mark. */
interface Part {
  readonly text: string;
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly values?: readonly unknown[] | undefined;
}

/** Returns the arbitrary of a name, as it is or as a placeholder. */
const nameOf = (name: string): fc.Arbitrary<Part> =>
  fc
    .boolean()
    .map((isPlaceholder) =>
      isPlaceholder ? { text: `#${name}`, names: { [`#${name}`]: name } } : { text: name },
    );

const anyName = pick(...names).chain(nameOf);

const given = (content: fc.Arbitrary<unknown>): fc.Arbitrary<Part> =>
  content.map((one) => ({ text: '?', values: [one] }));

const join = (parts: readonly Part[]): Part => ({
  text: parts.map(({ text }) => text).join(''),
  names: Object.assign({}, ...parts.map((part) => part.names)),
  values: parts.flatMap((part) => part.values ?? []),
});

const joined = (...parts: (fc.Arbitrary<Part> | string)[]): fc.Arbitrary<Part> =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant<Part>({ text: part }) : part)))
    .map(join);

const anyText = (...texts: string[]): fc.Arbitrary<Part> => pick(...texts.map((text) => ({ text })));

/** Two bounds of `BETWEEN`. */
const bounds = (pairs: fc.Arbitrary<readonly unknown[]>): fc.Arbitrary<Part> =>
  pairs.map((values) => ({ text: '? AND ?', values }));

const comparator = anyText(' = ', ' <> ', ' < ', ' <= ', ' > ', ' >= ');

/** Pairs whose first one is not greater: DynamoDB refuses others before it reads the item. */
const pairs = fc.oneof(
  fc.tuple(number, number).map((pair) => pair.toSorted((one, other) => one - other)),
  fc.tuple(pick('x', 'xy', 'y'), pick('y', 'z')),
);

const test: fc.Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: joined(anyName, anyText(' = ', ' <> '), given(value)) },
  { weight: 3, arbitrary: joined(anyName, comparator, given(fc.oneof(number, text, bytes))) },
  { weight: 3, arbitrary: joined(nameOf('m'), comparator, given(attributes.m)) },
  { weight: 2, arbitrary: joined(nameOf('id'), comparator, given(attributes.id)) },
  joined(pick('n', 'v', 'w', 'id').chain(nameOf), comparator, 'm'),
  joined(anyName, ' BETWEEN ', bounds(pairs)),
  joined('begins_with(', anyName, ', ', given(pick('', 'x', 'xy')), ')'),
  { weight: 3, arbitrary: joined('attribute_exists(', fc.oneof(anyName, nameOf('pk')), ')') },
  { weight: 3, arbitrary: joined('attribute_not_exists(', fc.oneof(anyName, nameOf('pk')), ')') },
);

const condition = fc.oneof(
  { weight: 3, arbitrary: test },
  joined(test, anyText(' AND ', ' OR ', ' and '), test),
  joined(test, ' AND ', test, ' OR ', test),
);

/** Returns expressions as the parameters of a request, with numbers for their values. */
const toParameters = (parts: Readonly<Record<string, Part | undefined>>): Record<string, unknown> => {
  const entries = Object.entries(parts).filter((entry): entry is [string, Part] => entry[1] !== undefined);
  const { names = {}, values = [] } = join(entries.map(([, part]) => part));
  let count = 0;
  const numbered = ({ text }: Part): string => text.replaceAll('?', () => `:v${count++}`);
  return {
    ...Object.fromEntries(entries.map(([parameter, part]) => [parameter, numbered(part)])),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(values.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(values.map((value, place) => [`:v${place}`, value])),
    }),
  };
};

/** Returns the arbitrary of a value that is mostly absent: random conditions rarely hold, and then nothing is written and found. */
const optional = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

/** Each attribute has one action at most. */
const setNames = ['ofKind', 'byStatus', 'n', 't', 'v'] as const;

const setOf = (name: (typeof setNames)[number]): fc.Arbitrary<Part> =>
  joined(nameOf(name), ' = ', given(attributes[name]));

const update: fc.Arbitrary<Part> = fc
  .tuple(
    fc.subarray([...setNames], { maxLength: 3 }),
    fc.subarray(['id', 'y', 'z'], { maxLength: 2 }),
    fc.boolean(),
  )
  .filter(([set, removed, hasAdd]) => set.length + removed.length > 0 || hasAdd)
  .chain(([set, removed, hasAdd]) => {
    const between = (parts: readonly (fc.Arbitrary<Part> | string)[]) =>
      parts.flatMap((part, place) => (place === 0 ? [part] : [', ', part]));
    return joined(
      ...(set.length > 0 ? ['SET ', ...between(set.map(setOf)), ' '] : []),
      ...(removed.length > 0 ? ['REMOVE ', ...between(removed.map(nameOf)), ' '] : []),
      ...(hasAdd ? ['ADD c ', given(fc.integer({ min: -2, max: 5 }))] : []),
    );
  });

const put = fc
  .tuple(item, optional(condition))
  .map(([Item, ConditionExpression]) => ({ Item, ...toParameters({ ConditionExpression }) }));

const keyed = fc
  .tuple(key, optional(condition))
  .map(([Key, ConditionExpression]) => ({ Key, ...toParameters({ ConditionExpression }) }));

const updated = fc
  .tuple(key, update, optional(condition))
  .map(([Key, UpdateExpression, ConditionExpression]) => ({
    Key,
    ...toParameters({ UpdateExpression, ConditionExpression }),
  }));

const projection = pick<Part | undefined>(
  undefined,
  undefined,
  { text: 'pk, sk' },
  { text: 'pk' },
  { text: '#t, n, id', names: { '#t': 't' } },
);

const ConsistentRead = fc.boolean();
const Limit = fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined, freq: 2 });

const keyConditionOf = (
  partitionKey: string,
  partition: fc.Arbitrary<unknown>,
  sortKey: string,
  sort: fc.Arbitrary<string>,
) => {
  const ofPartition = joined(nameOf(partitionKey), ' = ', given(partition));
  const pair = fc
    .tuple(sort, sort)
    .map((both) => both.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))));
  const ofSort = fc.oneof(
    joined(nameOf(sortKey), anyText(' = ', ' < ', ' <= ', ' > ', ' >= '), given(sort)),
    joined('begins_with(', nameOf(sortKey), ', ', given(sort), ')'),
    joined(nameOf(sortKey), ' BETWEEN ', bounds(pair)),
  );
  return fc.oneof(ofPartition, joined(ofPartition, ' AND ', ofSort));
};

const keyConditions: readonly [IndexName | undefined, fc.Arbitrary<Part>][] = [
  [undefined, keyConditionOf('pk', pick(...partitions), 'sk', pick(...sorts))],
  ['by-creation', keyConditionOf('ofKind', attributes.ofKind, 'id', attributes.id)],
  ['by-status', keyConditionOf('ofKind', attributes.ofKind, 'byStatus', pick('s', 's#1', 's#2', 't'))],
];

const queried = fc.oneof(
  ...keyConditions.map(([IndexName, keyCondition]) =>
    fc
      .record({
        keyCondition,
        filter: optional(condition),
        projection,
        Limit,
        ConsistentRead,
        ScanIndexForward: fc.boolean(),
      })
      .map(({ keyCondition: KeyConditionExpression, filter, projection: ProjectionExpression, ...more }) => ({
        ...more,
        ...(IndexName && { IndexName, ConsistentRead: false }),
        ...toParameters({ KeyConditionExpression, FilterExpression: filter, ProjectionExpression }),
      })),
  ),
);

const scanned = fc
  .record({
    filter: optional(condition),
    Limit,
    ConsistentRead,
    TotalSegments: pick(undefined, undefined, 1, 3),
  })
  .map(({ filter: FilterExpression, ...more }) => ({ ...more, ...toParameters({ FilterExpression }) }));

const batch = fc.record({
  Keys: fc.uniqueArray(key, { minLength: 1, maxLength: 8, selector: ({ pk, sk }) => `${pk} ${sk}` }),
  ConsistentRead,
});

/** A token that a few transactions of a sequence share. */
const token = optional(pick('t1', 't2', 't3'));

export type Action = Readonly<Record<string, { readonly Key?: Key; readonly Item?: Key }>>;

export const keyOf = (action: Action): string =>
  Object.values(action)
    .map(({ Key, Item }) => `${(Key ?? Item)?.pk} ${(Key ?? Item)?.sk}`)
    .join();

const randomTransaction = fc
  .record({
    TransactItems: fc.array<Action>(
      fc.oneof(
        put.map((Put) => ({ Put })),
        updated.map((Update) => ({ Update })),
        keyed.map((Delete) => ({ Delete })),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    ClientRequestToken: token,
  })
  // DynamoDB refuses two writes of one item, and a token with other contents. Which one it says when both hold is not documented.
  .filter(
    ({ TransactItems, ClientRequestToken }) =>
      !ClientRequestToken || new Set(TransactItems.map(keyOf)).size === TransactItems.length,
  );

/** Transactions that are often sent again with their token. */
const usualTransactions = [
  {
    TransactItems: [{ Put: { Item: usualItems[0] } }, { Delete: { Key: { pk: 'b', sk: '1' } } }],
    ClientRequestToken: 't4',
  },
  {
    TransactItems: [{ Put: { Item: { pk: 'b', sk: '12', t: 'x'.repeat(5_000) } } }],
    ClientRequestToken: 't5',
  },
  {
    TransactItems: [{ Put: { Item: { pk: 'b', sk: '1' }, ConditionExpression: 'attribute_not_exists(pk)' } }],
    ClientRequestToken: 't6',
  },
];

const transaction = fc.oneof(
  { weight: 1, arbitrary: pick<object>(...usualTransactions) },
  { weight: 3, arbitrary: randomTransaction },
);

const requestOf = <Input extends object>(method: Method, input: fc.Arbitrary<Input>): fc.Arbitrary<Request> =>
  input.map((own) => ({ method, input: own as Request['input'] }));

const requestsOf = (method: Method, ...inputs: readonly Request['input'][]): readonly Request[] =>
  inputs.map((input) => ({ method, input }));

const key1 = { pk: 'a', sk: '1' };
const isA = { KeyConditionExpression: 'pk = :v', ExpressionAttributeValues: { ':v': 'a' } };

const invalidConditions = [
  ...['status = n', 'n', 'n =', 'n = :v', 'attribute_exists(n, m)', 'begins_with(n)'],
  ...['n BETWEEN m', ''],
];

const invalidUpdates = [
  ...['SET n = :v', 'SET n', 'REMOVE', 'REMOVE pk', 'REMOVE n, n', 'REMOVE n REMOVE m', 'ADD n m +'],
];

/** Requests that DynamoDB refuses. */
const invalidRequest: fc.Arbitrary<Request> = pick(
  ...requestsOf('getItem', { Key: { pk: '', sk: '1' } }, { Key: { pk: 'a' } }, { Key: { ...key1, id: '1' } }),
  ...requestsOf('getItem', { Key: { pk: 'a', sk: 1 } }, { Key: key1, ProjectionExpression: 'n, n' }),
  ...requestsOf('putItem', { Item: { pk: 'a' } }, { Item: { ...key1, ofKind: '' } }),
  ...requestsOf('putItem', { Item: { ...key1, id: 1 } }, { Item: { ...key1, t: 'x'.repeat(410_000) } }),
  ...requestsOf('putItem', { Item: { pk: 'a', sk: 'x'.repeat(1_025) } }),
  ...requestsOf('putItem', { Item: { pk: 'x'.repeat(2_049), sk: '1' } }),
  ...invalidConditions.flatMap((text) => requestsOf('putItem', { Item: key1, ConditionExpression: text })),
  ...invalidUpdates.flatMap((text) => requestsOf('updateItem', { Key: key1, UpdateExpression: text })),
  ...requestsOf('batchGetItem', { Keys: [] }, { Keys: [key1, key1] }),
  ...requestsOf('query', { ...isA, KeyConditionExpression: 'pk > :v' }),
  ...requestsOf('query', { ...isA, ExpressionAttributeValues: { ':v': 'a', ':w': 1 } }),
  ...requestsOf('query', { ...isA, IndexName: 'by-none' }, { ...isA, Limit: 0 }),
  ...requestsOf('transactWriteItems', { TransactItems: [] }),
  ...['', 1].flatMap((id) =>
    requestsOf('transactWriteItems', { TransactItems: [{ Put: { Item: { ...key1, id } } }] }),
  ),
);

const deletionIf = (ConditionExpression: string, value: unknown): Request => ({
  method: 'deleteItem',
  input: { Key: key1, ConditionExpression, ExpressionAttributeValues: { ':v': value } },
});

const queryOf = (KeyConditionExpression: string, ...values: readonly unknown[]) => ({
  KeyConditionExpression,
  ExpressionAttributeValues: Object.fromEntries(values.map((one, place) => [`:v${place}`, one])),
});

/** Requests that the embedded engine accepts, or refuses, in another way than DynamoDB and DynamoDB Local. */
export const strictRequests: readonly Request[] = [
  ...requestsOf('query', queryOf('sk = :v0 AND pk = :v1', '1', 'a')),
  ...requestsOf('query', queryOf('pk = :v0', ''), queryOf('pk = :v0', 1)),
  ...requestsOf('query', queryOf('pk = :v0 AND begins_with(sk, :v1)', 'a', '')),
  ...requestsOf('query', queryOf('pk = :v0 AND sk BETWEEN :v1 AND :v2', 'a', '', 'z')),
  ...requestsOf('query', { ...queryOf('pk = :v0', 'a'), ExclusiveStartKey: { pk: 'b', sk: '1' } }),
  ...requestsOf('query', { ...queryOf('pk = :v0 AND sk > :v1', 'a', '2'), ExclusiveStartKey: key1 }),
  deletionIf('n < :v', true),
  deletionIf('n BETWEEN :v AND :v', null),
  deletionIf('n = n AND n = :v', 1),
  ...requestsOf('putItem', { Item: { ...key1, ofKind: 'x'.repeat(2_049) } }),
  ...requestsOf('putItem', { Item: { ...key1, id: 'x'.repeat(1_025) } }),
];

const returning = fc
  .tuple(updated, pick(undefined, 'UPDATED_NEW'))
  .map(([input, ReturnValues]) => ({ ...input, ReturnValues }));

/** The arbitrary of one operation. */
export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  { weight: 4, arbitrary: requestOf('putItem', put) },
  { weight: 3, arbitrary: requestOf('updateItem', returning) },
  { weight: 1, arbitrary: requestOf('deleteItem', keyed) },
  { weight: 4, arbitrary: requestOf('transactWriteItems', transaction) },
  requestOf(
    'getItem',
    fc.tuple(key, projection, ConsistentRead).map(([Key, ProjectionExpression, isConsistent]) => ({
      Key,
      ConsistentRead: isConsistent,
      ...toParameters({ ProjectionExpression }),
    })),
  ),
  requestOf('batchGetItem', batch),
  invalidRequest,
  pick(...strictRequests),
  { weight: 4, arbitrary: requestOf('query', queried).map((request) => ({ ...request, isPaged: true })) },
  { weight: 1, arbitrary: requestOf('scan', scanned).map((request) => ({ ...request, isPaged: true })) },
);
