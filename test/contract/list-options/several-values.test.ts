import { expectParameter } from '../problem.ts';
import { create, type Entity, identifiers, readList } from '../resources.ts';
import { request, unique } from '../service.ts';

/** Lists of values, as the libraries of clients write them. */

const status = unique('values');
const names = ['Smith, John', 'Smith', 'John', 'Doe, Jane', 'Back\\slash, Bob'];

beforeAll(async () => {
  for (const name of names) await create('user', { name, status });
  await create('task', { name: 'A', status, priority: 'high' });
  await create('task', { name: 'B', status, priority: 'low' });
});

/** Returns the names of the users that a query finds. */
async function found(query: string): Promise<string[]> {
  const list = await readList(`/v1/users?status=${status}&${query}`);
  return (list.data as Entity[]).map(({ name }) => String(name)).sort();
}

describe('a comma in a value of free text', () => {
  test.each([
    ['encoded, as Python writes it', 'name[in]=Smith%2C+John'],
    ['encoded, as axios and encodeURIComponent write it', `name[in]=${encodeURIComponent('Smith, John')}`],
    ['escaped by a backslash', 'name[in]=Smith\\, John'],
    ['escaped by an encoded backslash', 'name[in]=Smith%5C%2C%20John'],
  ])('belongs to the value when it is %s', async (_, query) => {
    expect(await found(query)).toEqual(['Smith, John']);
  });

  test('separates values when it is not encoded', async () => {
    expect(await found('name[in]=Smith,John')).toEqual(['John', 'Smith']);
    expect(await found('name[in]=Smith%2C%20John,Doe%2C%20Jane')).toEqual(['Doe, Jane', 'Smith, John']);
    expect(await found('name[notIn]=Smith%2C%20John,Doe%2C%20Jane,Smith')).toEqual([
      'Back\\slash, Bob',
      'John',
    ]);
  });

  test('can follow a backslash that is a part of the value', async () => {
    expect(await found(`name[in]=${encodeURIComponent('Back\\\\slash, Bob')},John`)).toEqual([
      'Back\\slash, Bob',
      'John',
    ]);
  });
});

describe('where no value has a comma', () => {
  test.each(['priority[in]=high,low', 'priority[in]=high%2Clow', 'priority[in]=high&priority[in]=low'])(
    '%s has two values',
    async (query) => {
      const list = await readList(`/v1/tasks?status=${status}&${query}`);
      expect(list.total).toBe(2);
    },
  );
});

describe('repeated parameters', () => {
  const same = async (one: string, other: string): Promise<void> => {
    const [first, second] = [
      await readList(`/v1/tasks?status=${status}&${one}`),
      await readList(`/v1/tasks?status=${status}&${other}`),
    ];
    expect(identifiers(first)).toHaveLength(2);
    expect(second).toEqual(first);
  };

  test.each([
    ['sortBy=priority&sortBy=name&sortOrder=asc&sortOrder=desc', 'sortBy=priority,name&sortOrder=asc,desc'],
    ['fields=name&fields=status', 'fields=name,status'],
    ['expand[]=user&expand[]=tags', 'expand=user,tags'],
    ['expand%5B%5D=user&expand%5B%5D=tags', 'expand=user,tags'],
    ['priority%5Bin%5D%5B%5D=high&priority%5Bin%5D%5B%5D=low', 'priority[in]=high,low'],
  ])('%s is %s', async (repeated, joined) => {
    await same(joined, repeated);
  });

  test('are refused where there is one value', async () => {
    const response = await request('GET', '/v1/tasks?status[]=open&status[]=done');
    expectParameter(response, 'status[]');
  });
});

describe('[eq]', () => {
  test('is the same as no operator', async () => {
    expect((await readList(`/v1/tasks?status[eq]=${status}`)).total).toBe(2);
    expect((await readList(`/v1/tasks?status[eq]=${status}&priority[eq]=high`)).total).toBe(1);
  });

  test('occurs once with the filter without an operator', async () => {
    expect((await readList(`/v1/tasks?status[eq]=${status}&status=${status}`)).total).toBe(2);
    expectParameter(await request('GET', `/v1/tasks?status[eq]=${status}&status=other`), 'status');
  });
});

test.each([
  ['the text of a response', (time: string) => time],
  [
    'an hour east',
    (time: string) => new Date(Date.parse(time) + 3_600_000).toISOString().replace('Z', '+01:00'),
  ],
  ['more digits', (time: string) => time.replace('Z', '000Z')],
])('an exact time is compared in time: %s', async (_, form) => {
  const { id, createdAt, updatedAt } = await create('task', { name: 'T', status: unique('time') });
  for (const [field, time] of [
    ['createdAt', createdAt],
    ['updatedAt', updatedAt],
  ] as const) {
    const list = await readList(`/v1/tasks?id=${id}&${field}=${encodeURIComponent(form(String(time)))}`);
    expect([field, list.total]).toEqual([field, 1]);
    const other = await readList(`/v1/tasks?id=${id}&${field}=${encodeURIComponent('2020-01-01T00:00:00Z')}`);
    expect([field, other.total]).toEqual([field, 0]);
    expect((await readList(`/v1/tasks?id=${id}&${field}=yesterday`)).total).toBe(0);
  }
});
