import { describeChange } from '#functions/store/lists/changes/describe-change.ts';
import { digestText } from '#functions/store/model/long-text.ts';

const entry = { id: 'a', version: 2, previousStamp: 1 };
const row = { name: 'Plan', status: 'active', updatedAt: '2026-01-01T00:00:00.000Z' };

test('describes an update by the fields that differ', () => {
  const after = { ...row, status: 'done', updatedAt: '2026-01-02T00:00:00.000Z' };
  expect(describeChange('task', { ...entry, before: row, after })).toEqual({
    operation: 'update',
    changes: { status: { from: 'active', to: 'done' } },
  });
});

test('describes a creation by its fields after it, and a deletion by those before it', () => {
  expect(describeChange('task', { ...entry, version: 1, after: { ...row, dueDate: null } })).toEqual({
    operation: 'create',
    changes: { name: { to: 'Plan' }, status: { to: 'active' }, dueDate: { to: null } },
  });
  expect(describeChange('task', { ...entry, before: row })).toEqual({
    operation: 'delete',
    changes: { name: { from: 'Plan' }, status: { from: 'active' } },
  });
});

test('tells a restored entity from a created one by its version', () => {
  expect(describeChange('task', { ...entry, version: 7, after: row }).operation).toBe('restore');
});

test('shows ids as arrays, where the field is one', () => {
  const before = { ...row, tagIds: '' };
  expect(describeChange('task', { ...entry, before, after: { ...row, tagIds: 'x,y' } }).changes).toEqual({
    tagIds: { from: [], to: ['x', 'y'] },
  });
});

test('shows the beginning of a long text, and says that it is cut', () => {
  const long = 'é'.repeat(101);
  const before = { ...row, description: 'short' };
  const after = { ...row, description: digestText(long) };
  expect(describeChange('task', { ...entry, before, after }).changes).toEqual({
    description: { from: 'short', to: 'é'.repeat(100), isCut: true },
  });
  expect(describeChange('task', { ...entry, before: after, after: before }).changes).toEqual({
    description: { from: 'é'.repeat(100), to: 'short', isCut: true },
  });
  const other = { ...row, description: digestText(`${long}!`) };
  expect(describeChange('task', { ...entry, before: after, after: other }).changes).toEqual({
    description: { from: 'é'.repeat(100), to: 'é'.repeat(100), isCut: true },
  });
});

test('shows a field that only one of the rows has', () => {
  const after = { ...row, position: 'a0' };
  expect(describeChange('task', { ...entry, before: row, after }).changes).toEqual({
    position: { to: 'a0' },
  });
});
