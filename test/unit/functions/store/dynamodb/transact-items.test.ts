import { toTransactItem } from '#functions/store/dynamodb/transact-items.ts';

const key = { pk: 'acme#task#1', sk: 'entity' };
const isNew = { expression: 'attribute_not_exists(pk)' };
const hasVersion3 = {
  expression: '#version = :version',
  names: { '#version': 'version' },
  values: { ':version': 3 },
};

describe('toTransactItem', () => {
  test('returns a Put under a condition without names and values', () => {
    expect(toTransactItem({ put: { ...key, name: 'Build' }, condition: isNew }, 'table')).toEqual({
      Put: {
        TableName: 'table',
        ConditionExpression: 'attribute_not_exists(pk)',
        Item: { pk: 'acme#task#1', sk: 'entity', name: 'Build' },
      },
    });
  });

  test('omits the names and values that a condition does not have: DynamoDB refuses empty ones', () => {
    const { Put } = toTransactItem({ put: key, condition: isNew }, 'table');
    expect(Object.keys(Put ?? {})).toEqual(['TableName', 'ConditionExpression', 'Item']);
  });

  test('returns a Put under a condition with names and values', () => {
    expect(toTransactItem({ put: key, condition: hasVersion3 }, 'table')).toEqual({
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
    expect(toTransactItem({ put: key }, 'table')).toEqual({ Put: { TableName: 'table', Item: key } });
    expect(toTransactItem({ remove: key }, 'table')).toEqual({
      Delete: { TableName: 'table', Key: key },
    });
  });

  test('returns a Delete', () => {
    expect(toTransactItem({ remove: key, condition: hasVersion3 }, 'table')).toEqual({
      Delete: {
        TableName: 'table',
        ConditionExpression: '#version = :version',
        ExpressionAttributeNames: { '#version': 'version' },
        ExpressionAttributeValues: { ':version': 3 },
        Key: { pk: 'acme#task#1', sk: 'entity' },
      },
    });
  });
});
