import { median, percentile, requireFigures, table } from '../../benchmarks/report.ts';
import { rowsRead } from '../../benchmarks/rows-read.ts';

describe('report', () => {
  describe('median and percentile', () => {
    test('return a measured value', () => {
      expect(median([3, 1, 2])).toBe(2);
      expect(percentile([3, 1, 2], 0.99)).toBe(2);
    });

    test.each([[[]], [[1, Number.NaN]]])('throw for %j', (numbers) => {
      expect(() => median(numbers)).toThrow(Error);
    });
  });

  describe('requireFigures', () => {
    const head = ['list', 'ms'];

    test('accepts a report with figures', () => {
      expect(() => requireFigures('lists.md', `Lists:\n\n${table(head, [['all', 1]])}\n`)).not.toThrow();
    });

    test.each([
      ['a table without rows', table(head, [])],
      ['a figure that is not a number', table(head, [['all', Number.NaN]])],
      ['a missing value', `The slowest list takes ${undefined} ms of 10.`],
      ['no figure', 'Lists:'],
    ])('rejects %s', (_, text) => {
      expect(() => requireFigures('lists.md', text)).toThrow('lists.md would have no figures');
    });
  });
});

describe('rows read', () => {
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
  });
});
