import { type Service, startService } from '#lib/local/service.ts';
import { kinds } from '#lib/seed/options.ts';
import { seed } from '#lib/seed/seed.ts';

interface List {
  readonly total: number;
  readonly data: readonly Readonly<Record<string, unknown>>[];
}

let service: Service;

beforeAll(async () => {
  service = await startService({ port: 0, databaseFile: ':memory:' });
});

afterAll(() => service?.stop());

const list = async (path: string): Promise<List> => {
  const response = await fetch(`${service.url}/v1/${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as List;
};

const quiet = { begin: () => {}, step: () => {}, end: () => {} };

describe('npm run seed', () => {
  const amounts = { organizations: 2, users: 4, tags: 3, projects: 4, tasks: 25 };
  const totals = async () =>
    Object.fromEntries(
      await Promise.all(kinds.map(async (kind) => [kind, (await list(kind)).total] as const)),
    );

  test('creates the given number of entities of each kind and reports progress', async () => {
    const begun: string[] = [];
    let steps = 0;
    let ended = false;
    const progress = {
      begin: (what: string, amount: number) => begun.push(`${what} ${amount}`),
      step: (amount = 1) => {
        steps += amount;
      },
      end: () => {
        ended = true;
      },
    };
    const { url } = service;
    const { durationMs, exampleUrl } = await seed({ amounts, seed: 1, url, concurrency: 8 }, progress);
    expect(await totals()).toEqual(amounts);
    expect(begun).toEqual(['organizations 2', 'users 4', 'tags 3', 'projects 4', 'tasks 25']);
    expect(steps).toBe(38);
    expect(ended).toBe(true);
    expect(durationMs).toBeGreaterThan(0);

    const shown = await list(exampleUrl.replace(`${url}/v1/`, ''));
    expect(shown.total).toBeGreaterThan(5);
  });

  test('creates the same data again for the same seed', async () => {
    await seed({ amounts, seed: 1, url: service.url, concurrency: 3 }, quiet);
    const { data, total } = await list('tasks?limit=100&sortBy=name');
    expect(total).toBe(2 * amounts.tasks);
    const names = data.map(({ name }) => name);
    expect(new Set(names).size).toBeLessThanOrEqual(names.length / 2);
  });

  test('deletes everything first when asked to', async () => {
    const few = { organizations: 1, users: 1, tags: 1, projects: 1, tasks: 30 };
    await seed({ amounts: few, seed: 2, url: service.url, concurrency: 3, reset: true }, quiet);
    expect(await totals()).toEqual(few);
  });
});
