import { forEach } from '#functions/runtime/for-each.ts';
import { VirtualTime } from '#test/support/virtual-time.ts';

const time = new VirtualTime(1, 0);

test('calls the function for each element, in their order, at most so many at the same time', async () => {
  const called: number[] = [];
  let running = 0;
  let most = 0;
  await forEach([1, 2, 3, 4, 5], 2, async (element) => {
    called.push(element);
    running += 1;
    most = Math.max(most, running);
    await time.delay(1);
    running -= 1;
  });
  expect([called, most]).toEqual([[1, 2, 3, 4, 5], 2]);
});

test('takes the elements of an async iterable', async () => {
  async function* elements() {
    yield 1;
    await time.delay(1);
    yield 2;
  }
  const called: number[] = [];
  await forEach(elements(), 8, async (element) => {
    called.push(element);
  });
  expect(called).toEqual([1, 2]);
});

test('throws the first error, and begins no further calls', async () => {
  const called: number[] = [];
  const failing = forEach([1, 2, 3, 4], 2, async (element) => {
    called.push(element);
    await time.delay(element);
    if (element === 1) throw new Error('first');
  });
  await expect(failing).rejects.toThrow('first');
  await time.delay(10);
  expect(called).toEqual([1, 2]);
});
