import { createMany } from '../batches.ts';
import { expectParameter, expectProblem, pointers } from '../problem.ts';
import { entityOf, pathTo, readList, resourceOf } from '../resources.ts';
import { type Parameters, request, unique, withQuery } from '../service.ts';

/** Numbers in bodies, in filters, in the order of lists, and in sums. */

const { path } = resourceOf('task');

/** Creates a task whose estimate is written as in a JSON text. */
const createWith = (estimate: string) =>
  request('POST', path, {
    rawBody: `{"name":"x","estimate":${estimate}}`,
    headers: { 'content-type': 'application/json' },
  });

describe('the estimate of a task', () => {
  test.each(['0', '0.07', '2.5', '5e0', '5.00', '100000', '1e5', 'null'])('can be %s', async (text) => {
    const { id, estimate } = entityOf(await createWith(text), 201);
    expect(estimate).toBe(JSON.parse(text));
    expect(entityOf(await request('GET', pathTo('task', id)), 200).estimate).toBe(JSON.parse(text));
  });

  test('is 0 when a body has -0', async () => {
    const { text } = await createWith('-0');
    expect(text).toContain('"estimate":0');
  });

  test.each([
    ['-0.01', 'must be 0 to 100000'],
    ['100000.01', 'must be 0 to 100000'],
    ['1e400', 'must be 0 to 100000'],
    ['0.001', 'must be a number with at most 2 decimals'],
    ['1e-7', 'must be a number with at most 2 decimals'],
    ['"5"', 'must be a number'],
    ['true', 'must be a number'],
    ['[5]', 'must be a number'],
  ])('cannot be %s', async (text, detail) => {
    const problem = expectProblem(await createWith(text), 400);
    expect(pointers(problem)).toEqual(['/estimate']);
    expect(problem.errors?.[0]?.detail).toContain(detail);
  });
});

describe('lists of tasks with estimates', () => {
  const estimates = [10, null, 9.5, 0, 100_000, null, 0.07, 10];
  let at: (parameters: Parameters) => string;

  beforeAll(async () => {
    const name = unique('scope');
    at = (parameters) => withQuery(path, { name, sortOrder: 'asc', ...parameters });
    await createMany(
      'task',
      estimates.map((estimate) => ({ name, estimate, priority: estimate === 10 ? 'high' : 'low' })),
    );
  });

  const estimatesOf = async (parameters: Parameters) =>
    (await readList(at(parameters))).data.map(({ estimate }) => estimate);

  test.each([
    [{ estimate: '10' }, [10, 10]],
    [{ estimate: '10.0' }, [10, 10]],
    [{ estimate: '1e1' }, [10, 10]],
    [{ estimate: '-0' }, [0]],
    [{ estimate: 'ten' }, []],
    [{ estimate: '' }, []],
    [{ estimate: '1e400' }, []],
    [{ 'estimate[ne]': '10' }, [null, 9.5, 0, 100_000, null, 0.07]],
    [{ 'estimate[in]': '0.070,1e5' }, [100_000, 0.07]],
    [{ 'estimate[notIn]': '0,9.5' }, [10, null, 100_000, null, 0.07, 10]],
    [{ 'estimate[lt]': '9.51' }, [9.5, 0, 0.07]],
    [{ 'estimate[lte]': '9.5' }, [9.5, 0, 0.07]],
    [{ 'estimate[gt]': '-1' }, [10, 9.5, 0, 100_000, 0.07, 10]],
    [{ 'estimate[gte]': '10' }, [10, 100_000, 10]],
    [{ 'estimate[isNull]': 'true' }, [null, null]],
  ] as const)('%j compares in value', async (parameters, expected) => {
    expect(await estimatesOf(parameters as unknown as Parameters)).toEqual(expected);
  });

  test.each(['ten', '', '1e400', '0x10', '1,5', ' 5', 'NaN'])('an operator refuses %j', async (value) => {
    const problem = expectParameter(await request('GET', at({ 'estimate[gt]': value })), 'estimate[gt]');
    expect(problem.errors?.[0]?.detail).toContain('must be a number');
  });

  test('are not counted by number', async () => {
    expectParameter(await request('GET', at({ countBy: 'estimate' })), 'countBy');
  });

  const totals = async (parameters: Parameters) => {
    const { total, sums, counts } = (await request('GET', at({ limit: 1, ...parameters }))).body as Record<
      string,
      unknown
    >;
    return { total, sums, counts };
  };

  test('have the sum of all that matches, and of each counted value', async () => {
    expect(await totals({ sumBy: 'estimate' })).toEqual({ total: 8, sums: { estimate: 100_029.57 } });
    expect(await totals({ sumBy: 'estimate', 'estimate[isNull]': 'true' })).toEqual({
      total: 2,
      sums: { estimate: 0 },
    });
    expect(await totals({ sumBy: 'estimate', 'name[ne]': 'x', name: 'x' })).toEqual({
      total: 0,
      sums: { estimate: 0 },
    });
    expect(await totals({ sumBy: 'estimate', countBy: 'priority,tagIds' })).toEqual({
      total: 8,
      sums: { estimate: 100_029.57 },
      counts: {
        priority: [
          { value: 'low', count: 6, sums: { estimate: 100_009.57 } },
          { value: 'high', count: 2, sums: { estimate: 20 } },
        ],
        tagIds: [],
      },
    });
  });

  test('have no sums unless they are asked for', async () => {
    expect(await totals({ countBy: 'priority' })).toEqual({
      total: 8,
      counts: {
        priority: [
          { value: 'low', count: 6 },
          { value: 'high', count: 2 },
        ],
      },
    });
  });

  test.each(['name', '', 'estimate,', 'priority'])('refuse sumBy=%s', async (sumBy) => {
    expectParameter(await request('GET', at({ sumBy })), 'sumBy');
  });

  test('refuse sumBy where a resource has no number', async () => {
    expectParameter(await request('GET', '/v1/tags?sumBy=estimate'), 'sumBy');
  });
});
