import { renderPage } from '#functions/http/render-page.ts';
import type { Entity } from '#functions/store/model/entity.ts';
import type { ListQuery } from '#functions/store/model/list-query.ts';

const query: ListQuery = {
  filters: [],
  sort: [{ field: 'createdAt', direction: 'desc' }],
  countBy: [],
  page: 2,
  limit: 10,
  withTexts: true,
};

const entity = (id: string): Entity => ({ id, name: id, status: 'active', createdAt: '', updatedAt: '' });

const render = (shown: readonly unknown[], more: Partial<ListQuery> = {}, counts = {}) =>
  renderPage(
    { ...query, ...more },
    {
      entities: shown.map((_, position) => entity(String(position))),
      versions: [],
      total: 21,
      skipped: 0,
      counts,
    },
    ({ id }) => shown[Number(id)],
  );

test('has the entities, the total, the page and the number of pages', () => {
  expect(render([{ id: 1 }, { id: 2 }])).toBe(
    '{"data":[{"id":1},{"id":2}],"total":21,"page":2,"totalPages":3}',
  );
  expect(render([])).toBe('{"data":[],"total":21,"page":2,"totalPages":3}');
});

test('has entity tags only when they are given', () => {
  const page = { entities: [entity('a')], versions: [3], total: 1, skipped: 0, counts: {} };
  const content = renderPage({ ...query, page: 1 }, page, ({ id }) => ({ id }), { etags: ['"a-3"'] });
  expect(content).toBe('{"data":[{"id":"a"}],"etags":["\\"a-3\\""],"total":1,"page":1,"totalPages":1}');
});

test('has counts only when they are asked for', () => {
  const counts = { status: [] };
  expect(render([], { countBy: ['status'] }, counts)).toContain('"totalPages":3,"counts":{"status":[]}}');
  expect(render([], {}, counts)).not.toContain('counts');
});

describe('the size of a page', () => {
  const frame = 5;

  test('may be up to 5.5 MB', () => {
    const half = 'é'.repeat((5_500_000 - frame - 1) / 4);
    expect(render([half, half])).toContain('"total":21');
    expect(() => render([half, `${half}éé`])).toThrow(/has more than 5\.5 MB.*lower "limit"/);
  });

  test('counts the marks that the response of a function adds', () => {
    expect(() => render(['"'.repeat(2_000_000)])).toThrow(/has more than 5\.5 MB/);
    expect(render(['"'.repeat(1_000_000)])).toContain('"total":21');
  });

  test('is known before all entities are shown', () => {
    const shown: string[] = [];
    const show = ({ id }: { id: string }) => {
      shown.push(id);
      return 'x'.repeat(3_000_000);
    };
    const entities = ['1', '2', '3'].map(entity);
    expect(() =>
      renderPage(query, { entities, versions: [], total: 3, skipped: 0, counts: {} }, show),
    ).toThrow(/lower "limit"/);
    expect(shown).toEqual(['1', '2']);
  });
});
