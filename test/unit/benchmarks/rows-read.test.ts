import { rowsRead } from '../../../benchmarks/rows-read.ts';

describe('rowsRead', () => {
  it('counts the rows of a table in all loops, with those that filters remove', () => {
    const plan = {
      'Actual Rows': 20,
      'Actual Loops': 1,
      Plans: [
        {
          'Relation Name': 'tasks',
          'Actual Rows': 10,
          'Actual Loops': 3,
          'Rows Removed by Filter': 5,
          'Rows Removed by Index Recheck': 1,
        },
        { 'Relation Name': 'projects', 'Actual Rows': 1, 'Actual Loops': 20 },
      ],
    };

    expect(rowsRead(plan, 'tasks')).toBe(48);
    expect(rowsRead(plan, 'projects')).toBe(20);
  });

  it('does not count the entries of an index twice', () => {
    const plan = {
      'Relation Name': 'tasks',
      'Actual Rows': 7,
      'Actual Loops': 1,
      Plans: [{ 'Actual Rows': 7, 'Actual Loops': 1 }],
    };

    expect(rowsRead(plan, 'tasks')).toBe(7);
  });
});
