import { sortedBy } from '../support/list-queries.ts';
import { plainOrder } from '../support/plain-list.ts';
import { inParallel, request } from './service.ts';

/** A parent with more children than an index serves in any order: the list reads their entities by key. */

interface User {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

const children = 70;

async function create(path: string, body: Record<string, string>): Promise<User> {
  const response = await request('POST', path, { body });
  expect(response.status).toBe(201);
  return response.body as unknown as User;
}

test('sorts 70 users of an organization by name', async () => {
  const { id: organizationId } = await create('/v1/organizations', { name: 'Acme' });
  const numbers = Array.from({ length: children }, (_, number) => number);
  const users = await inParallel(numbers, (number) =>
    create('/v1/users', { name: `User ${(number * 37) % children}`, organizationId }),
  );
  const { status, body } = await request(
    'GET',
    `/v1/organizations/${organizationId}/users?sortBy=name&sortOrder=asc&limit=100`,
  );
  const expected = plainOrder(users, sortedBy('name'));
  const { data, total } = body as unknown as { readonly data: readonly User[]; readonly total: number };
  expect([status, total, data.map(({ id }) => id)]).toEqual([200, children, expected.map(({ id }) => id)]);
});
