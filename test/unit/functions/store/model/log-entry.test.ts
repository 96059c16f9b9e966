import { changedFields } from '#functions/store/model/log-entry.ts';

describe('changedFields', () => {
  test('returns the whole row when there was none', () => {
    const row = { name: 'Build', status: 'open' };
    expect(changedFields(undefined, row)).toEqual(row);
  });

  test('returns the fields whose values differ', () => {
    const before = { name: 'a', userId: null, color: 'red', dueDate: '' };
    const after = { name: 'b', userId: '1', color: 'red', dueDate: null, points: null };
    expect(changedFields(before, after)).toEqual({ name: 'b', userId: '1', dueDate: null, points: null });
  });
});
