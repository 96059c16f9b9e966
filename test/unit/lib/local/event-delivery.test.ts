import { connect } from '#functions/store/dynamodb/client.ts';
import { createEntity } from '#functions/store/entities/create-entity.ts';
import { recordWrites } from '#functions/store/model/change-log.ts';
import { buildCreate } from '#functions/store/model/changes.ts';
import { marginMs } from '#functions/store/model/log-timing.ts';
import { reminderKey } from '#functions/store/model/reminder.ts';
import type { Item } from '#functions/store/model/writes.ts';
import { EventDelivery } from '#lib/local/event-delivery.ts';
import { type EventReceiver, startEventReceiver } from '#test/support/event-receiver.ts';
import { startEngineStore, type TestStore } from '#test/support/local-store.ts';
import { wallClock } from '#test/support/wall-clock.ts';

/** Events of the local service, run by run. The time stands still between them. */

const begun = Date.parse('2026-02-03T04:00:00.000Z');

let store: TestStore;
let receiver: EventReceiver;
let printed: jest.SpyInstance;

beforeEach(async () => {
  store = await startEngineStore();
  receiver = await startEventReceiver();
  printed = jest.spyOn(console, 'error').mockImplementation(() => {});
  setTime(0);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await receiver.stop();
  await store.stop();
});

/** Sets the time. @param passedMs since the test began. */
const setTime = (passedMs: number): void => {
  jest.spyOn(Date, 'now').mockReturnValue(begun + passedMs);
};

const client = () => connect({}, wallClock);

async function startDelivery(own = client()): Promise<EventDelivery> {
  const delivery = new EventDelivery(own, store.tableName, receiver.url);
  await delivery.begin();
  return delivery;
}

/** Creates a tag, as another process does. @returns its id. */
async function create(tenant = '@one'): Promise<string> {
  const { entity } = await createEntity(store.session(tenant), 'tag', { name: 'x', status: 'active' });
  return entity.id;
}

/** Writes a record whose transaction was built some milliseconds after the beginning of the test. */
async function putRecord(passedMs: number): Promise<string> {
  const stamp = begun + passedMs;
  const change = buildCreate('tag', { name: 'late', status: 'active' }, stamp);
  const [record] = recordWrites('@one', [change], stamp);
  await store.database().putItem(record?.put as Item);
  return change.after.entity.id;
}

const subjects = (): string[] => receiver.events.map(({ subject }) => subject);

const placeOf = async (): Promise<unknown> =>
  (await store.database().get({ pk: '#events', sk: receiver.url }))?.['place'];

test('posts each change once, of all tenants, and nothing that was before it began', async () => {
  await create();
  setTime(1_000);
  const delivery = await startDelivery();
  setTime(2_000);
  const ids = [await create(), await create('@two')];
  await delivery.run();
  await delivery.run();
  expect(subjects().sort()).toEqual(ids.sort());
});

test('posts a hundred events at most together, and none when there are none', async () => {
  const delivery = await startDelivery();
  setTime(1_000);
  await create();
  for (let number = 0; number < 129; number += 1) await putRecord(500);
  await delivery.run();
  expect([receiver.requests, receiver.events.length]).toEqual([2, 130]);
  await delivery.run();
  expect(receiver.requests).toBe(2);
});

test('sends again what was not accepted, and says so once', async () => {
  const delivery = await startDelivery();
  setTime(1_000);
  const id = await create();
  receiver.status = 503;
  await delivery.run();
  setTime(60_000);
  await delivery.run();
  expect([subjects(), await placeOf()]).toEqual([[], begun]);
  receiver.status = 200;
  await delivery.run();
  expect(subjects()).toEqual([id]);
  expect(printed.mock.calls.flat()).toEqual([
    `The events cannot be delivered to ${receiver.url}: it responded with the status 503. They are sent again every second.`,
    'The events are delivered again.',
  ]);
});

test('finds a record that appears after a later one', async () => {
  const delivery = await startDelivery();
  setTime(4_000);
  const ids = [await create()];
  await delivery.run();
  ids.push(await putRecord(1_000));
  setTime(marginMs + 500);
  await delivery.run();
  expect(subjects()).toEqual(ids);
});

test('a service that starts again continues at its place, with the logs that it knew', async () => {
  const first = await startDelivery();
  setTime(1_000);
  const ids = [await create()];
  await first.run();
  setTime(1_000 + marginMs);
  await first.run();
  expect(await placeOf()).toBe(begun + 1_000);
  setTime(2_000 + marginMs);
  ids.push(await create('@two'));
  // It ends here.
  const second = await startDelivery();
  await second.run();
  expect(subjects()).toEqual(ids);
});

test('an idle service writes nothing, and reads no log', async () => {
  const own = client();
  const delivery = await startDelivery(own);
  setTime(1_000);
  await create();
  await delivery.run();
  setTime(2_000 + 2 * marginMs);
  await delivery.run();
  const place = await placeOf();
  const commands: string[] = [];
  own.documents.middlewareStack.add(
    (next, { commandName = '' }) =>
      (sent) => {
        commands.push(commandName);
        return next(sent);
      },
    { step: 'initialize', name: 'count' },
  );
  setTime(60_000);
  await delivery.run();
  expect([new Set(commands), await placeOf()]).toEqual([new Set(['QueryCommand']), place]);
});

test('a log whose reminder is gone is known until its events are delivered', async () => {
  const delivery = await startDelivery();
  setTime(1_000);
  const id = await create();
  receiver.status = 503;
  await delivery.run();
  await store.database().deleteItem(reminderKey({ tenant: '@one', kind: 'tag' }));
  receiver.status = 200;
  setTime(13 * 3_600_000);
  await delivery.run();
  expect(subjects()).toEqual([id]);
});
