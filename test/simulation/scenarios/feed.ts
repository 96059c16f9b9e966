/** The change feed: it gives each acknowledged change, whatever happens to writers and to clocks, and no cursor costs more than others. */
import { lateCommit, nth } from '../../support/table/faults.ts';
import { create, isIndexQuery, scenario, send, succeed } from '../scenario.ts';
import type { World } from '../world.ts';

interface Page {
  readonly data: readonly { readonly id: string; readonly name: string }[];
  readonly cursor: string;
  readonly hasMore: boolean;
}

/** Returns what a copy gets from a cursor to the end of the feed. */
async function follow(world: World, since?: string): Promise<Pick<Page, 'data' | 'cursor'>> {
  const data: Page['data'][number][] = [];
  for (let cursor = since; ; ) {
    const path = `/v1/tags/changes${cursor === undefined ? '' : `?since=${cursor}`}`;
    const page = (await succeed(world, 'GET', path)) as unknown as Page;
    data.push(...page.data);
    if (!page.hasMore) return { data, cursor: page.cursor };
    cursor = page.cursor;
  }
}

scenario(
  'a change that is applied after 6.5 seconds, while its keys are refused, reaches a copy that has followed meanwhile',
  async (world) => {
    const { cursor } = await follow(world);
    world.table.intercept = nth(1, 'TransactWriteItems', lateCommit(6_500));
    const slow = create(world, 'tags', { name: 'slow' });
    const names: string[] = [];
    let since = cursor;
    for (let second = 0; second < 15; second += 1) {
      await create(world, 'tags', { name: `${second}` });
      const page = await follow(world, since);
      names.push(...page.data.map(({ name }) => name));
      since = page.cursor;
      await world.wait(1_000);
      await world.deliverRecords();
    }
    const { name } = await succeed(world, 'GET', `/v1/tags/${await slow}`);
    expect(names.filter((one) => one === name)).toEqual(['slow']);
    expect(names).toHaveLength(16);
  },
);

scenario('a cursor that was given while clocks were an hour ahead misses nothing', async (world) => {
  for (const process of world.processes) process.clockErrorMs = 3_600_000;
  const { cursor } = await follow(world);
  for (const process of world.processes) process.clockErrorMs = 0;
  const id = await create(world, 'tags');
  expect((await follow(world, cursor)).data.map((tag) => tag.id)).toEqual([id]);
});

scenario(
  'a process whose clock is wrong by more than five minutes reads, and refuses to write',
  async (world) => {
    const id = await create(world, 'tags');
    for (const clockErrorMs of [-301_000, 301_000]) {
      for (const process of world.processes) process.clockErrorMs = clockErrorMs;
      expect((await send(world, 'GET', '/v1/tags')).status).toBe(200);
      const { status, body } = await send(world, 'PATCH', `/v1/tags/${id}`, { name: 'x' });
      expect(status).toBe(503);
      expect(body['detail']).toMatch(/^The clock of the service is wrong\. The request was not applied\./);
    }
    for (const process of world.processes) process.clockErrorMs = 299_000;
    await succeed(world, 'PATCH', `/v1/tags/${id}`, { name: 'x' });
  },
);

scenario('whatever a caller edits into a cursor, a request costs at most 100 read units', async (world) => {
  const text = (length: number): string =>
    Array.from({ length }, () => String.fromCharCode(33 + world.random.below(90))).join('');
  const { cursor: first } = await follow(world);
  const ids = await Promise.all(Array.from({ length: 25 }, () => create(world, 'tags')));
  for (let batch = 0; batch < 40; batch += 1) {
    const operations = ids.map((id) => ({
      operation: 'update',
      id,
      body: { name: text(200), description: text(400) },
    }));
    await succeed(world, 'POST', '/v1/tags/batch', { operations });
  }
  const { cursor: last } = await follow(world, first);
  const bytes = [first, last].map((cursor) => Buffer.from(cursor, 'base64url'));
  const edited = new Set<string>();
  for (const cursor of bytes) {
    for (let place = 9; place < cursor.length; place += 1) {
      for (const value of [0, 1, 2, 0x7f]) {
        edited.add(Buffer.from(cursor.with(place, value)).toString('base64url'));
      }
    }
  }
  const statuses = new Set<number>();
  let most = 0;
  for (const cursor of edited) {
    const { status, headers } = await send(world, 'GET', `/v1/tags/changes?since=${cursor}`);
    statuses.add(status);
    const [, units] = /read=([\d.]+)/.exec(headers['server-timing'] ?? '') ?? [];
    most = Math.max(most, Number(units));
  }
  expect([...statuses].sort()).toEqual([200, 400, 410]);
  expect(most).toBeGreaterThan(30);
  expect(most).toBeLessThanOrEqual(100);
});

scenario('90 of 100 changes of one task by 20 writers at once succeed', async (world) => {
  const id = await create(world, 'tasks');
  world.table.faults = { latencyMs: [1, 5], holdMs: 5 };
  const statuses: number[] = [];
  const writer = async (number: number): Promise<void> => {
    for (let count = 0; count < 5; count += 1) {
      const { status } = await send(world, 'PATCH', `/v1/tasks/${id}`, { name: `${number} ${count}` });
      statuses.push(status);
    }
  };
  await Promise.all(Array.from({ length: 20 }, (_, number) => writer(number)));
  world.table.faults = {};
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(90);
});

scenario(
  'a first page with an entity that is newer than the log was says that there is more',
  async (world) => {
    const id = await create(world, 'tags');
    for (let other = 0; other < 8; other += 1) await create(world, 'tags');
    const path = '/v1/tags/changes?etags=true';
    await world.settle();
    // A new process reads the entities of the page by the second query.
    for (const process of world.processes) process.crash();
    world.table.intercept = (call) => (isIndexQuery(call) ? { requestMs: 500 } : undefined);
    const first = send(world, 'GET', path);
    await world.wait(100);
    for (const name of ['b', 'c']) await succeed(world, 'PATCH', `/v1/tags/${id}`, { name });
    const { data, hasMore, cursor } = (await first).body as unknown as Page;
    world.table.intercept = undefined;
    expect([data.find((tag) => tag.id === id)?.name, hasMore]).toEqual(['c', true]);
    expect((await follow(world, cursor)).data.map(({ name }) => name)).toEqual(['c']);
  },
);
