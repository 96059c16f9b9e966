import { median, percentile, requireFigures, table } from '../../../benchmarks/report.ts';

describe('median and percentile', () => {
  test('return a measured value', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(percentile([3, 1, 2], 0.99)).toBe(2);
  });

  test.each([[[]], [[1, Number.NaN]], [[Number.POSITIVE_INFINITY]]])('throw for %j', (numbers) => {
    expect(() => median(numbers)).toThrow(Error);
    expect(() => percentile(numbers, 0.99)).toThrow(Error);
  });
});

describe('requireFigures', () => {
  const head = ['list', 'ms'];

  test('accepts a report with figures', () => {
    expect(() => requireFigures('lists.md', `Lists:\n\n${table(head, [['all', 1]])}\n`)).not.toThrow();
  });

  test.each([
    ['a table without rows', table(head, [])],
    ['a table without rows before another text', `${table(head, [])}\n\nMedians of 9 runs.`],
    ['a figure that is not a number', table(head, [['all', Number.NaN]])],
    ['a quotient of nothing', table(head, [['all', Number.POSITIVE_INFINITY]])],
    ['a missing value', `The slowest list takes ${undefined} ms of 10.`],
    ['no figure', 'Lists:'],
  ])('rejects %s', (_, text) => {
    expect(() => requireFigures('lists.md', text)).toThrow('lists.md would have no figures');
  });
});
