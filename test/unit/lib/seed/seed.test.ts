import { type Service, startService } from '../../../../lib/local/service.ts';
import { seed } from '../../../../lib/seed/seed.ts';

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
  const answer = await fetch(`${service.url}/v1/${path}`);
  expect(answer.status).toBe(200);
  return (await answer.json()) as List;
};

const quiet = { begin: () => {}, step: () => {}, end: () => {} };

describe('npm run seed', () => {
  const amounts = { organization: 2, user: 7, tag: 5, project: 6, task: 110 };
  const totals = async () => ({
    organization: (await list('organizations')).total,
    user: (await list('users')).total,
    tag: (await list('tags')).total,
    project: (await list('projects')).total,
    task: (await list('tasks')).total,
  });

  test('creates as many of each as it is told, step by step', async () => {
    const begun: string[] = [];
    let steps = 0;
    let ended = false;
    const progress = {
      begin: (what: string, amount: number) => begun.push(`${what} ${amount}`),
      step: () => {
        steps += 1;
      },
      end: () => {
        ended = true;
      },
    };
    const { url } = service;
    const { requests, milliseconds, lookAt } = await seed(
      { amounts, seed: 1, url, concurrency: 8 },
      progress,
    );
    expect(await totals()).toEqual(amounts);
    expect(begun).toEqual(['organizations 2', 'users 7', 'tags 5', 'projects 6', 'tasks 110']);
    expect(steps).toBe(130);
    expect(ended).toBe(true);
    expect(requests).toBeGreaterThanOrEqual(130);
    expect(milliseconds).toBeGreaterThan(0);

    const shown = await list(lookAt.replace(`${url}/v1/`, ''));
    expect(shown.total).toBeGreaterThan(10);
  });

  test('adds to what is there, the same for the same seed', async () => {
    await seed({ amounts, seed: 1, url: service.url, concurrency: 3 }, quiet);
    const { data, total } = await list('tasks?limit=100&sortBy=name');
    expect(total).toBe(2 * amounts.task);
    const names = data.map(({ name }) => name);
    expect(new Set(names).size).toBeLessThanOrEqual(names.length / 2);
  });

  test('fails when the server refuses, and begins nothing more', async () => {
    let begun = 0;
    const progress = { ...quiet, begin: () => (begun += 1) };
    const url = `${service.url}/nowhere`;
    await expect(seed({ amounts, seed: 1, url, concurrency: 3 }, progress)).rejects.toThrow('another server');
    expect(begun).toBe(0);
  });
});
