import { matchesPattern } from '#lib/cloud-assembly/event-pattern.ts';

const jobs = { eventName: ['INSERT', 'MODIFY'], dynamodb: { Keys: { sk: { S: ['job'] } } } };
const records = { eventName: ['INSERT'], dynamodb: { Keys: { sk: { S: [{ prefix: 'r#' }] } } } };

const event = (eventName: string, sk: unknown) => ({ eventName, dynamodb: { Keys: { pk: { S: 'a' }, sk } } });

test.each([
  ['a value of the list', jobs, event('MODIFY', { S: 'job' }), true],
  ['another value', jobs, event('MODIFY', { S: 'entity' }), false],
  ['a value with the prefix of one of the list', jobs, event('MODIFY', { S: 'job#1' }), false],
  ['another value of one of two fields', jobs, event('REMOVE', { S: 'job' }), false],
  ['a text with the prefix', records, event('INSERT', { S: 'r#1' }), true],
  ['the prefix itself', records, event('INSERT', { S: 'r#' }), true],
  ['a text without the prefix', records, event('INSERT', { S: '~' }), false],
  ['a number where the pattern has a prefix', records, event('INSERT', { S: 7 }), false],
  ['no value where the pattern has a prefix', records, event('INSERT', {}), false],
  ['no object where the pattern has one', records, event('INSERT', null), false],
  ['anything, for an empty pattern', {}, event('INSERT', {}), true],
])('decides %s', (_, pattern, value, isMatch) => {
  expect(matchesPattern(pattern, value)).toBe(isMatch);
});

test.each([{ suffix: 'x' }, { prefix: 7 }, { prefix: 'x', suffix: 'y' }, {}])(
  'throws for the rule %j, which the local service does not support',
  (rule) => {
    expect(() => matchesPattern({ eventName: [rule] }, { eventName: 'INSERT' })).toThrow('is not supported');
  },
);
