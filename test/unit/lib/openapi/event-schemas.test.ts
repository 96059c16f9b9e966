import { setTimeout as delay } from 'node:timers/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { eventNames } from '#functions/jobs/cloud-events.ts';
import type { Service } from '#lib/local/service.ts';
import { eventSchemas } from '#lib/openapi/event-schemas.ts';
import { resourceDocs } from '#lib/openapi/resources.ts';
import type { Schema } from '#lib/openapi/types.ts';
import { type EventReceiver, startEventReceiver } from '#test/support/event-receiver.ts';
import { distinct, EveryChange } from '#test/support/every-change.ts';
import { startTestService } from '#test/support/local-service.ts';

/** The schema of events, and the events of a service. */

let receiver: EventReceiver;
let service: Service;

beforeAll(async () => {
  receiver = await startEventReceiver();
  service = await startTestService({ eventsAddress: receiver.url });
});

afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

/** Rejects undeclared fields. Later versions may have more. */
const closed = (schema: Schema): Schema => ({
  ...schema,
  ...(schema.properties && {
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, closed(property)]),
    ),
  }),
  ...(schema['$defs'] !== undefined && {
    $defs: Object.fromEntries(
      Object.entries(schema['$defs'] as Record<string, Schema>).map(([name, one]) => [name, closed(one)]),
    ),
  }),
});

function validator() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  (formats as unknown as (to: Ajv2020) => void)(ajv);
  return ajv.compile(closed(eventSchemas()));
}

test('the service serves the schema of each type', async () => {
  const served = await fetch(`${service.url}/docs/events.json`);
  expect(served.headers.get('content-type')).toContain('application/json');
  const schema = (await served.json()) as Schema;
  expect(schema).toEqual(eventSchemas());
  const kinds = Object.keys(resourceDocs);
  const types = kinds.flatMap((kind) => Object.values(eventNames).map((name) => `${kind}.${name}`));
  expect(Object.keys(schema['$defs'] as object).sort()).toEqual(types.sort());
});

test('every change of every kind has an event that the schema describes, with nothing else', async () => {
  const changes = new EveryChange(service.url);
  await changes.make();
  const isComplete = (): boolean => distinct(receiver.events).length >= changes.expected.length;
  while (!isComplete()) await delay(50);
  expect(distinct(receiver.events)).toEqual(distinct(changes.expected));
  const validate = validator();
  const invalid = receiver.events.flatMap((event) =>
    validate(event) ? [] : [{ event, errors: validate.errors }],
  );
  expect(invalid).toEqual([]);
});

test('the schema refuses other events', () => {
  const validate = validator();
  const [event] = receiver.events;
  expect(validate(event)).toBe(true);
  expect(validate({ ...event, type: 'task.moved' })).toBe(false);
  expect(validate({ ...event, data: { version: 1 } })).toBe(false);
  expect(validate({ ...event, data: { version: 0, isCut: true } })).toBe(false);
  expect(validate({ ...event, data: { version: 1, isCut: true } })).toBe(true);
});
