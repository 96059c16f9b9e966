import { fitEvent, sourceOf, toEvents } from '#functions/jobs/cloud-events.ts';

const log = { tenant: '@acme', kind: 'task' } as const;
const id = '019a0000-0000-7000-8000-000000000001';
const stamp = Date.parse('2026-11-24T02:06:32.699Z');
const row = { name: 'Plan', status: 'active', updatedAt: '2026-11-24T02:06:32.699Z' };

const eventOf = (entry: object, actor?: string) => {
  const record = { key: 'r#', stamp, actor, entries: [{ id, version: 11, previousStamp: 1, ...entry }] };
  const [event] = toEvents(log, record);
  if (!event) throw new Error('There is no event.');
  return event;
};

test('an update is a CloudEvent with the changed fields before and after', () => {
  const event = eventOf({ before: row, after: { ...row, status: 'done' } }, '8d3c');
  expect(event).toEqual({
    specversion: '1.0',
    id: '019a0000-0000-7000-8000-000000000001:11',
    type: 'task.updated',
    source: '/tenants/acme',
    subject: '019a0000-0000-7000-8000-000000000001',
    time: '2026-11-24T02:06:32.699Z',
    datacontenttype: 'application/json',
    data: { version: 11, actor: '8d3c', changes: { status: { from: 'active', to: 'done' } } },
  });
});

test('the type follows from the operation, and there is no actor without tokens', () => {
  expect(eventOf({ version: 1, after: row })).toMatchObject({ type: 'task.created', data: { version: 1 } });
  expect(eventOf({ before: row }).type).toBe('task.deleted');
  expect(eventOf({ after: row }).type).toBe('task.restored');
  expect(eventOf({ after: row }).data).not.toHaveProperty('actor');
});

test('a record has an event for each entity that its transaction changed', () => {
  const entries = ['a', 'b'].map((one) => ({ id: one, version: 1, previousStamp: 0, after: row }));
  expect(toEvents(log, { key: 'r#', stamp, entries }).map((event) => event.id)).toEqual(['a:1', 'b:1']);
  expect(toEvents(log, { key: 'r#', stamp, entries: [] })).toEqual([]);
});

test('the source names the tenant as part of a path', () => {
  expect(sourceOf('@auth0%7C1%2F2')).toBe('/tenants/auth0%7C1%2F2');
  // Another path than that of the tenant "public" of a token.
  expect([sourceOf('public'), sourceOf('@public')]).toEqual(['/public', '/tenants/public']);
});

test('an event above the limit of the bus leaves out its changed fields, and says so', () => {
  const event = eventOf({ before: row, after: { ...row, name: 'é'.repeat(255) } });
  const bytes = Buffer.byteLength(JSON.stringify(event));
  expect(fitEvent(event, bytes)).toBe(event);
  expect(fitEvent(event, bytes - 1)).toEqual({ ...event, data: { version: 11, isCut: true } });
  expect(fitEvent(eventOf({ after: { ...row, name: 'x'.repeat(300_000) } })).data).toEqual({
    version: 11,
    isCut: true,
  });
});
