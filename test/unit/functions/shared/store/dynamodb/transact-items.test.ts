import { toTransactItem } from '../../../../../../functions/shared/store/dynamodb/transact-items.ts';

const key = { pk: 'acme#task#1', sk: 'entity' };
const isNew = { expression: 'attribute_not_exists(pk)' };
const hasVersion3 = {
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': 3 },
};

/** No write but an addition asks for a counter's number. */
const none = (): never => {
  throw new Error('Only an addition belongs to a counter.');
};

describe('toTransactItem', () => {
  test('returns a Put under a condition without names and values', () => {
    expect(toTransactItem({ put: { ...key, name: 'Build' }, condition: isNew }, 'table', none)).toEqual({
      Put: {
        TableName: 'table',
        ConditionExpression: 'attribute_not_exists(pk)',
        Item: { pk: 'acme#task#1', sk: 'entity', name: 'Build' },
      },
    });
  });

  test('omits the names and values that a condition does not have: DynamoDB refuses empty ones', () => {
    const { Put } = toTransactItem({ put: key, condition: isNew }, 'table', none);
    expect(Object.keys(Put ?? {})).toEqual(['TableName', 'ConditionExpression', 'Item']);
  });

  test('returns a Put under a condition with names and values', () => {
    expect(toTransactItem({ put: key, condition: hasVersion3 }, 'table', none)).toEqual({
      Put: {
        TableName: 'table',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': 3 },
        Item: { pk: 'acme#task#1', sk: 'entity' },
      },
    });
  });

  test('returns a Put and a Delete without a condition', () => {
    expect(toTransactItem({ put: key }, 'table', none)).toEqual({ Put: { TableName: 'table', Item: key } });
    expect(toTransactItem({ remove: key }, 'table', none)).toEqual({
      Delete: { TableName: 'table', Key: key },
    });
  });

  test('returns a Delete', () => {
    expect(toTransactItem({ remove: key, condition: hasVersion3 }, 'table', none)).toEqual({
      Delete: {
        TableName: 'table',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': 3 },
        Key: { pk: 'acme#task#1', sk: 'entity' },
      },
    });
  });

  test('returns an Update that sets attributes by placeholders, beside those of the condition', () => {
    const attributes = { 'status = :x': 'open', count: 7 };
    expect(toTransactItem({ set: key, attributes, condition: hasVersion3 }, 'table', none)).toEqual({
      Update: {
        TableName: 'table',
        Key: { pk: 'acme#task#1', sk: 'entity' },
        UpdateExpression: 'SET #0 = :0, #1 = :1',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#0': 'status = :x', '#1': 'count', '#version': 'version' },
        ExpressionAttributeValues: { ':0': 'open', ':1': 7, ':version': 3 },
      },
    });
  });

  test('returns an Update of one attribute under a condition without names and values', () => {
    expect(toTransactItem({ set: key, attributes: { count: 7 }, condition: isNew }, 'table', none)).toEqual({
      Update: {
        TableName: 'table',
        Key: { pk: 'acme#task#1', sk: 'entity' },
        UpdateExpression: 'SET #0 = :0',
        ConditionExpression: 'attribute_not_exists(pk)',
        ExpressionAttributeNames: { '#0': 'count' },
        ExpressionAttributeValues: { ':0': 7 },
      },
    });
  });

  test('returns an unconditional Update that adds to one item of a counter', () => {
    const counter = { pk: 'acme#task', sk: 'counter' };
    const write = { addTo: counter, numbers: { '#open': 1, 'ADD x': -2 } };
    const asked: unknown[] = [];
    const transactItem = toTransactItem(write, 'table', (addTo) => {
      asked.push(addTo);
      return 5;
    });
    expect(transactItem).toEqual({
      Update: {
        TableName: 'table',
        Key: { pk: 'acme#task', sk: 'counter#5' },
        UpdateExpression: 'ADD #0 :0, #1 :1',
        ExpressionAttributeNames: { '#0': '#open', '#1': 'ADD x' },
        ExpressionAttributeValues: { ':0': 1, ':1': -2 },
      },
    });
    expect(asked).toEqual([{ pk: 'acme#task', sk: 'counter' }]);
  });
});
