import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';
import { createMany } from './batches.ts';
import { type Entity, listOf } from './resources.ts';
import { request, unique, withQuery } from './service.ts';

/** The field `position` of tasks, with the keys of the package `fractional-indexing`: an order that people make by drag and drop. */

const count = 20;
const moves = 80;

/** Returns whole numbers from 0 to below a limit, the same ones in each run (a linear congruential generator). */
function numbers(): (limit: number) => number {
  let state = 4_711;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}

async function createList(status: string): Promise<Entity[]> {
  const keys = generateNKeysBetween(null, null, count);
  return createMany(
    'task',
    keys.map((position) => ({ status, position })),
  );
}

const positionOf = (task: Entity | undefined): string | null => (task?.['position'] ?? null) as string | null;

test(`keeps the order of ${moves} random moves`, async () => {
  const status = unique('board');
  const list = withQuery('/v1/tasks', { status, sortBy: 'position', sortOrder: 'asc', limit: 100 });
  const model = await createList(status);
  const next = numbers();
  let longest = 0;
  for (let move = 1; move <= moves; move += 1) {
    const [task] = model.splice(next(count), 1);
    const place = next(count);
    const position = generateKeyBetween(positionOf(model[place - 1]), positionOf(model[place]));
    longest = Math.max(longest, position.length);
    const { status: code, body } = await request('PATCH', `/v1/tasks/${task?.id}`, { body: { position } });
    expect(code).toBe(200);
    model.splice(place, 0, body as Entity);
    if (move % 20 !== 0) continue;
    const { data } = listOf(await request('GET', list));
    expect(data.map(({ id }) => id)).toEqual(model.map(({ id }) => id));
  }
  expect(longest).toBeLessThan(10);
});
