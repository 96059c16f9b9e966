import { expectParameter } from '../problem.ts';
import { create, type List, pathTo, readList, resourceOf, someLists } from '../resources.ts';
import { type Parameters, pathOf, request, withQuery } from '../service.ts';

/** `after` in lists: the next page begins behind the last entity, whatever others write meanwhile. */

type CursorList = List & { readonly next?: string | null };

describe.each(someLists)('after in GET $title', ({ item, open }) => {
  let at: (parameters: Parameters) => string;
  const names = ['b', 'd', 'a', 'c', 'b'];

  const add = async (name: string): Promise<string> => (await create(item, { ...(await body()), name })).id;
  let body: () => Promise<object>;

  beforeAll(async () => {
    const scope = await open();
    at = (parameters) => withQuery(scope.path, { ...scope.query, ...parameters });
    body = async () => ({ ...(await resourceOf(item).minimal()), ...scope.fields });
    for (const name of names) await add(name);
  });

  const page = async (parameters: Parameters): Promise<CursorList> =>
    (await readList(at({ limit: 2, sortBy: 'name', sortOrder: 'asc', ...parameters }))) as CursorList;

  const namesOf = ({ data }: CursorList) => data.map(({ name }) => name);

  test('continues behind the last entity until next is null', async () => {
    const first = await page({ after: '' });
    const second = await page({ after: first.next ?? '' });
    const third = await page({ after: second.next ?? '' });
    expect([first, second, third].map(namesOf)).toEqual([['a', 'b'], ['b', 'c'], ['d']]);
    expect([first.page, second.page, third.page]).toEqual([1, 2, 3]);
    expect([first.total, third.total, third.totalPages, third.next]).toEqual([5, 5, 3, null]);
  });

  test('is not moved by an entity that others create before the place', async () => {
    const first = await page({ after: '' });
    const id = await add('aa');
    const second = await page({ after: first.next ?? '' });
    expect(namesOf(second)).toEqual(['b', 'c']);
    expect(second.total).toBe(6);
    await request('DELETE', pathTo(item, id));
  });

  test('is the next page of the Link header, with the same limit', async () => {
    const first = await request('GET', at({ after: '', limit: 2, sortBy: 'name' }));
    const links = first.headers.get('link') ?? '';
    expect(links.match(/rel="[a-z]+"/g)).toEqual(['rel="first"', 'rel="next"']);
    const next = /<([^>]+)>; rel="next"/.exec(links)?.[1] ?? '';
    const { data } = (await readList(pathOf(next, first))) as CursorList;
    expect(data.map(({ name }) => name)).toEqual(['b', 'b']);
    const last = await request('GET', at({ after: '', limit: 100 }));
    expect(last.headers.get('link')).not.toContain('rel="next"');
  });

  test('allows another limit, other fields, counts and etags', async () => {
    const { next } = await page({ after: '' });
    const second = await page({
      after: next ?? '',
      limit: 3,
      fields: 'name',
      countBy: 'status',
      etags: 'true',
    });
    expect(namesOf(second)).toEqual(['b', 'c', 'd']);
  });

  test('is absent from a list that does not ask for it', async () => {
    expect(await page({})).not.toHaveProperty('next');
  });

  test('of another order, of other filters, damaged, or beside a page is a 400 that names it', async () => {
    const { next } = await page({ after: '' });
    const after = next ?? '';
    const refused: Parameters[] = [
      { after, sortOrder: 'desc' },
      { after, sortBy: 'id' },
      { after, 'name[ne]': 'z' },
      { after: `${after}A` },
      { after: after.slice(0, -4) },
      { after: 'x' },
      { after: 'A'.repeat(4_001) },
      { after, page: 2 },
      { after: '', page: 1 },
    ];
    for (const parameters of refused) {
      const query = { limit: 2, sortBy: 'name', sortOrder: 'asc', ...parameters };
      expectParameter(await request('GET', at(query)), 'after');
    }
  });
});
