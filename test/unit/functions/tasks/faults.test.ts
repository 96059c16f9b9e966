import { createTask, listTasks } from '#functions/tasks/contract.ts';
import { invoke, problemOf, useEmptyTable } from '#test/support/invoke.ts';
import { firstAttempts, lostResponse, nth, throttled } from '#test/support/table/faults.ts';

/** The example "Let a call fail" of docs/testing.md. */

const { store } = useEmptyTable();

afterEach(() => {
  store().table.intercept = undefined;
});

test('a throttled call is made again', async () => {
  store().table.intercept = firstAttempts(throttled);
  expect((await invoke(createTask, { body: { name: 'Throttled' } })).statusCode).toBe(201);
});

test('a lost response writes nothing twice', async () => {
  store().table.intercept = nth(1, 'TransactWriteItems', lostResponse(0));
  expect((await invoke(createTask, { body: { name: 'Lost' } })).statusCode).toBe(201);
  expect((await invoke(listTasks, { query: { name: 'Lost' } })).body.total).toBe(1);
});

test('a table that refuses all calls is a 503, and a line in the log', async () => {
  const logged = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  store().table.intercept = throttled;
  const { type, status } = problemOf(await invoke(createTask, { body: { name: 'Refused' } }));
  expect([type, status]).toEqual(['/docs/problems#unavailable', 503]);
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('KeysThrottled'));
  logged.mockRestore();
});
