import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { fromAttributes, toAttributes } from '../../../../functions/shared/store/attributes.ts';

// The SDK takes an object with such a name for one of a class.
const name = fc.string({ minLength: 1 }).filter((text) => !['__proto__', 'constructor'].includes(text));

/** What the store keeps, in lists and objects of any depth. Names are the store's own. */
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(name, tie('value'), { noNullPrototype: true }),
  ),
}));

const item = fc.dictionary(name, anyValue, { noNullPrototype: true });

test('values are written as the SDK writes them', () => {
  fc.assert(
    fc.property(item, (values) => {
      expect(toAttributes(values)).toEqual(marshall(values));
    }),
  );
});

test('what was written is read as the SDK reads it, and as it was', () => {
  fc.assert(
    fc.property(item, (values) => {
      const attributes = marshall(values);
      expect(fromAttributes(attributes)).toEqual(unmarshall(attributes));
      // DynamoDB has no negative zero.
      expect(JSON.stringify(fromAttributes(toAttributes(values)))).toBe(JSON.stringify(values));
    }),
  );
});

test.each([
  ['nothing', undefined, 'undefined'],
  ['no number', Number.NaN, 'NaN'],
  ['a number without end', Number.POSITIVE_INFINITY, 'Infinity'],
  ['digits that a number has lost', Number.MAX_SAFE_INTEGER + 1, '9007199254740992'],
  ['a large integer', 1n, 'bigint'],
  ['a date', new Date(0), 'object'],
  ['bytes', new Uint8Array(1), 'object'],
  ['a set', new Set(['a']), 'object'],
  ['a function', () => 1, 'function'],
])('%s is not kept, and nothing of the item is', (_, value, said) => {
  const refused = new TypeError(`The store does not keep ${typeof value === 'number' ? said : `a ${said}`}.`);
  expect(() => toAttributes({ name: 'kept', value })).toThrow(refused);
  expect(() => toAttributes({ values: [{ value }] })).toThrow(refused);
});

test('what the store never wrote is refused, and its type named', () => {
  expect(() => fromAttributes({ one: { S: 'x' }, set: { SS: ['a'] } })).toThrow(
    new TypeError('The store keeps nothing of the type SS.'),
  );
});
