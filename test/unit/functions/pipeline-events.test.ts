import type { Contract } from '#functions/contract/contract.ts';
import { routes } from '#functions/routes.ts';
import { createTask } from '#functions/tasks/contract.ts';
import { handler } from '#functions/tasks/create-task.ts';
import { invokeWithEvent } from '#lib/local/invoke.ts';
import { functionContext, operationEvent, useEmptyTable } from '#test/support/invoke.ts';

/** Events that a test or a console sends to a handler. */

useEmptyTable();

const context = functionContext('request-id', 10_000);

test('an event of operationEvent has the token of invoke', async () => {
  const event = operationEvent(createTask, { body: { name: 'A' } });
  expect(await handler(event, context)).toMatchObject({ statusCode: 201 });
});

test('an event can be sent twice: the handler does not change it', async () => {
  const event = operationEvent(createTask, { body: { name: 'A' }, headers: { 'idempotency-key': 'twice' } });
  const [first, second] = [await handler(event, context), await handler(event, context)];
  expect([first.statusCode, second.body]).toEqual([201, first.body]);
});

test('an event with a body alone is refused with what it lacks', async () => {
  const event = { body: '{"name":"A"}', headers: {} } as unknown as ReturnType<typeof operationEvent>;
  await expect(handler(event, context)).rejects.toThrow('The event must be one of an HTTP API');
});

// A gateway passes on well-formed text only, and an event of a test or a console can have any.
const withId: readonly (readonly [string, Contract])[] = routes.flatMap(({ contract }) =>
  contract.path.includes('{id}') && contract.method === 'GET' ? [[contract.operation, contract]] : [],
);
test.each(withId)('%s with half a character as the id is answered', async (_, contract) => {
  const event = { ...operationEvent(contract, { id: 'x' }), pathParameters: { id: '\ud800' } };
  expect((await invokeWithEvent(contract, event)).statusCode).toBeLessThan(500);
});
