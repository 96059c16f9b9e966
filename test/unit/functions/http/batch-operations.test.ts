import { readOperations } from '#functions/http/batch-operations.ts';
import type { Problem } from '#functions/http/problems.ts';
import { tag } from '#functions/tags/resource.ts';

const id = '01890000-0000-7000-8000-7a2c4d8f0e36';

/** Returns the issues of each operation, and the operation itself if it is valid. */
const read = (...operations: unknown[]) =>
  readOperations(tag, operations).map((operation) =>
    operation.operation === 'invalid' ? (operation.error as Problem).issues : operation,
  );

test('fills in the defaults of a creation, and leaves out read-only fields', () => {
  expect(read({ operation: 'create', body: { name: ' urgent ', createdAt: 1 } })).toEqual([
    {
      operation: 'create',
      fields: { name: 'urgent', status: 'active', color: '#808080', description: '', organizationId: null },
    },
  ]);
});

test('keeps the id of a creation', () => {
  expect(read({ operation: 'create', id, body: { name: 'urgent' } })).toMatchObject([
    { operation: 'create', id, fields: { name: 'urgent' } },
  ]);
});

test('keeps the fields of an update, and reads the versions that it expects', () => {
  expect(
    read(
      { operation: 'update', id, body: { color: '#123456' } },
      { operation: 'delete', id: 'other', ifMatch: '"x-1"' },
    ),
  ).toEqual([
    { operation: 'update', id, expected: undefined, fields: { color: '#123456' } },
    { operation: 'delete', id: 'other', expected: new Set() },
  ]);
  expect(read({ operation: 'delete', id, ifMatch: '"7a2c4d8f0e36-3", "7a2c4d8f0e36-4"' })).toEqual([
    { operation: 'delete', id, expected: new Set([3, 4]) },
  ]);
});

test('returns the issues of the members and of the body of an operation together', () => {
  expect(read({ operation: 'update', body: { colour: 'red' } })).toEqual([
    [
      { pointer: '/operations/0/id', detail: '"id" is missing.' },
      {
        pointer: '/operations/0/body/colour',
        detail: '"colour" is not a field here. Did you mean "color"?',
      },
    ],
  ]);
});

test('refuses the second operation with an id, also if the first one is invalid', () => {
  const repeated = 'An operation before has the same id. A batch names an entity at most once.';
  expect(read({ operation: 'update', id, body: { name: '' } }, { operation: 'delete', id })).toEqual([
    [expect.objectContaining({ pointer: '/operations/0/body/name' })],
    [{ pointer: '/operations/1/id', detail: repeated }],
  ]);
});

test('reads no further operation after 50 issues', () => {
  const body = Object.fromEntries(Array.from({ length: 30 }, (_, field) => [`f${field}`, 1]));
  const operations = Array.from({ length: 25 }, () => ({ operation: 'create', body }));
  expect(readOperations(tag, operations)).toHaveLength(2);
});
