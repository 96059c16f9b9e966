import { isDeepStrictEqual } from 'node:util';
import { ofType, referenceOf, synthesizeTemplates } from './stacks.ts';
import type { Resource, Resources, Synthesized } from './synthesis.ts';

/** The setting `eventBus`. */

let off: Synthesized;
let on: Synthesized;

beforeAll(async () => {
  off = await synthesizeTemplates({ eventBus: false });
  on = await synthesizeTemplates({ eventBus: true });
});

/** Returns the resources that another template has in addition. */
const added = (from: Resources, to: Resources): [string, Resource][] =>
  Object.entries(to).filter(([id]) => !(id in from));

/** Returns the ids of the resources whose properties another template changes, without their hashes. */
const changed = (from: Resources, to: Resources): string[] =>
  Object.keys(from)
    .filter((id) => !isDeepStrictEqual(from[id]?.Properties, to[id]?.Properties))
    .map((id) => id.replace(/[0-9A-F]{8}$/, ''))
    .sort();

const mappingOf = ({ data }: Synthesized): Resource['Properties'] => {
  const [, found] = ofType(data, 'AWS::Lambda::EventSourceMapping').find(([id]) =>
    id.startsWith('LogRecords'),
  ) as [string, Resource];
  return found.Properties;
};

test('off, nothing is different from a service without it', async () => {
  expect((await synthesizeTemplates()).templates).toEqual(off.templates);
  expect(JSON.stringify(off.templates)).not.toMatch(
    /events:PutEvents|EVENT_BUS|UNPUBLISHED|AWS::Events::(?:EventBus|Archive)/i,
  );
});

test('on, it adds a bus, its archive, a queue and an alarm, and changes only the second reader of the stream', () => {
  expect(added(off.data, on.data).map(([, { Type }]) => Type)).toEqual([
    'AWS::SQS::Queue',
    'AWS::SQS::QueuePolicy',
    'AWS::Events::EventBus',
    'AWS::Events::Archive',
  ]);
  expect(changed(off.data, on.data)).toEqual(['LogRecords', 'onLogRecordsFunction', 'onLogRecordsRole']);
  expect(ofType(on.data, 'AWS::Lambda::EventSourceMapping')).toHaveLength(2);
  expect(added(off.api, on.api).map(([id, { Type }]) => [id.replace(/[0-9A-F]{8}$/, ''), Type])).toEqual([
    ['EventsAreNotPublished', 'AWS::CloudWatch::Alarm'],
  ]);
  expect(changed(off.api, on.api)).toEqual(['Dashboard']);
  expect(Object.keys(on.templates.data.Outputs ?? {})).toEqual(
    expect.arrayContaining(['EventBusName', 'UnpublishedEventsUrl']),
  );
});

test('what the function cannot handle has the retries of the other readers', () => {
  const same = [
    'FilterCriteria',
    'MaximumRetryAttempts',
    'MaximumRecordAgeInSeconds',
    'BisectBatchOnFunctionError',
  ];
  for (const name of same) expect(mappingOf(on)[name]).toEqual(mappingOf(off)[name]);
  expect(mappingOf(off)['FunctionResponseTypes']).toBeUndefined();
});

test('what is given up goes to a queue of its own, which an alarm watches', () => {
  const { OnFailure } = mappingOf(on)['DestinationConfig'] as { OnFailure: { Destination: unknown } };
  const queue = referenceOf(OnFailure.Destination);
  expect(added(off.data, on.data).map(([id]) => id)).toContain(queue);
  const watched = JSON.stringify(added(off.api, on.api));
  expect(watched).toContain('ApproximateNumberOfMessagesVisible');
  expect(watched).toContain('docs/operations.md#events-are-not-published');
});

/** Returns the resources of the only statement for an action in the role of the function. */
function resourceOf(action: string): unknown {
  const [, role] = ofType(on.data, 'AWS::IAM::Role').find(([id]) => id.startsWith('onLogRecordsRole')) as [
    string,
    Resource,
  ];
  const { Policies } = role.Properties as {
    Policies: { PolicyDocument: { Statement: { Action: unknown; Resource: unknown }[] } }[];
  };
  const statements = Policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement).filter(
    ({ Action }) => Action === action,
  );
  expect(statements).toHaveLength(1);
  return statements[0]?.Resource;
}

test('the function may put events on this bus and messages into this queue, and no other may', () => {
  const roles = ofType(on.data, 'AWS::IAM::Role').filter(([, role]) =>
    JSON.stringify(role).includes('events:PutEvents'),
  );
  expect(roles.map(([id]) => id)).toEqual([expect.stringMatching(/^onLogRecordsRole/)]);
  expect(JSON.stringify(resourceOf('events:PutEvents'))).toMatch(
    /:event-bus\/project-management-development"/,
  );
  const [[queue] = ['']] = added(off.data, on.data).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
  expect(referenceOf(resourceOf('sqs:SendMessage'))).toBe(queue);
  expect(JSON.stringify(ofType(on.data, 'AWS::IAM::Role')).split(queue)).toHaveLength(2);
  const [, target] = ofType(on.data, 'AWS::Lambda::Function').find(([id]) =>
    id.startsWith('onLogRecords'),
  ) as [string, Resource];
  expect(target.Properties['Environment']).toEqual({
    Variables: {
      TABLE_NAME: 'project-management-development',
      EVENT_BUS_NAME: 'project-management-development',
      UNPUBLISHED_QUEUE_URL: { Ref: queue },
    },
  });
});
