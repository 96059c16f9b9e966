import { idempotency } from '#functions/http/idempotency-key.ts';
import { Problem } from '#functions/http/problems.ts';

const of = (
  key: string | undefined,
  subject: string | undefined = 'anna',
  operation = 'createTask /v1/tasks',
) => idempotency(key, subject, operation, { name: 'Build' })?.scope;

const fingerprint = (body: unknown) =>
  idempotency('key-1', 'anna', 'createTask /v1/tasks', body)?.fingerprint;

test('returns nothing for a request without a key', () => {
  expect(idempotency(undefined, 'anna', 'createTask /v1/tasks', {})).toBeUndefined();
  expect(idempotency(undefined, undefined, 'createTask /v1/tasks', {})).toBeUndefined();
});

test('returns digests of the scope and of the body', () => {
  expect(idempotency('key-1', 'anna', 'createTask /v1/tasks', { b: { d: 3, c: 2 }, a: 1 })).toEqual({
    // SHA-256 of ["anna","createTask /v1/tasks","key-1"] and of {"a":1,"b":{"c":2,"d":3}}, in base64url.
    scope: '_f7G7M3wGT8XnGCVaM2LStHiXzj-EVWxASVd1UEU0ms',
    fingerprint: 'kyh1q1sj60e7JxH5Udhboj7vS1DD4utrXz-bmsEhfGs',
  });
});

test('returns the digest of an empty text for a request without a body', () => {
  expect(fingerprint(undefined)).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU');
});

test('separates callers, operations and keys', () => {
  const scopes = [
    of('key-1'),
    of('key-2'),
    of('key-1', 'ben'),
    of('key-1', ''),
    of('key-1', 'anna', 'createTask /v1/projects'),
    // The same text when the parts are joined.
    of('b', 'a', 'c'),
    of('c', 'a', 'b'),
    of('1', 'anna","x', 'y'),
    of('1', 'anna', 'x","y'),
  ];
  expect(new Set(scopes).size).toBe(9);
});

test('does not separate requests under one key by their bodies', () => {
  const scope = (body: unknown) => idempotency('key-1', 'anna', 'createTask /v1/tasks', body)?.scope;
  expect(scope({ name: 'Build' })).toBe(scope({ name: 'Test' }));
});

describe('the fingerprint of a body', () => {
  test.each([
    ['fields', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['fields of nested objects', '{"x":[{"a":1,"b":2}]}', '{"x":[{"b":2,"a":1}]}'],
    ['fields that look like numbers', '{"1":1,"10":2,"9":3}', '{"9":3,"10":2,"1":1}'],
  ])('does not depend on the order of %s', (_, one, other) => {
    expect(fingerprint(JSON.parse(one))).toBe(fingerprint(JSON.parse(other)));
  });

  test.each([
    ['the order of an array', '["a","b"]', '["b","a"]'],
    ['a value', '{"a":1}', '{"a":2}'],
    ['the type of a value', '{"a":1}', '{"a":"1"}'],
    ['null and an absent field', '{"a":null}', '{}'],
    ['an empty object and an empty array', '{}', '[]'],
    ['a field named __proto__', '{"__proto__":{"a":1}}', '{}'],
  ])('depends on %s', (_, one, other) => {
    expect(fingerprint(JSON.parse(one))).not.toBe(fingerprint(JSON.parse(other)));
  });
});

const refusal = (key: string, subject: string | undefined): unknown => {
  try {
    return idempotency(key, subject, 'createTask /v1/tasks', {});
  } catch (error) {
    return error instanceof Problem && { code: error.code, issues: error.issues };
  }
};

test.each([
  ['1 character', 'a'],
  ['255 characters', 'a'.repeat(255)],
  ['a space inside', 'a b'],
  ['the first and the last visible character', '!~'],
])('accepts a key with %s', (_, key) => {
  expect(of(key)).toMatch(/^[\w-]{43}$/);
});

test.each([
  ['no character', ''],
  ['256 characters', 'a'.repeat(256)],
  ['a space before it', ' a'],
  ['a space after it', 'a '],
  ['a space only', ' '],
  ['a tab', 'a\tb'],
  ['a line feed after it', 'a\n'],
  ['a character that is not ASCII', 'é'],
  ['the character DEL', 'a\u007fb'],
])('refuses a key with %s', (_, key) => {
  expect(refusal(key, 'anna')).toEqual({
    code: 'invalid-request',
    issues: [
      {
        parameter: 'Idempotency-Key',
        detail: '"Idempotency-Key" must be 1 to 255 printable ASCII characters.',
      },
    ],
  });
});

test('refuses a key of a token without a subject', () => {
  expect(refusal('key-1', undefined)).toEqual({
    code: 'invalid-request',
    issues: [
      {
        parameter: 'Idempotency-Key',
        detail:
          '"Idempotency-Key" needs a token with the claim "sub" or "client_id": a key belongs to its caller.',
      },
    ],
  });
});
