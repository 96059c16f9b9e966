import type { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { StoreUnavailable } from '#functions/store/model/errors.ts';

let calls: unknown[];

/** A database that notes its calls, and is empty. */
const database = {
  async *pages(query: unknown) {
    calls.push(query);
    yield { items: [] };
  },
  query: async (query: unknown) => {
    calls.push(query);
    return { items: [] };
  },
  getMany: async (...call: unknown[]) => {
    calls.push(call);
    return [];
  },
  putItem: async (...call: unknown[]) => {
    calls.push(call);
  },
  deleteItem: async (...call: unknown[]) => {
    calls.push(call);
  },
} as unknown as Database;

const log = openLog(database, 'acme', 'task');

describe('requireTime', () => {
  const logWith = (timeMs: number) =>
    openLog({ deadline: new Deadline(timeMs) } as unknown as Database, 'acme', 'task');

  test('throws when the time of the request is over', () => {
    expect(() => logWith(0).requireTime()).toThrow(StoreUnavailable);
  });

  test('does nothing while time is left', () => {
    expect(() => logWith(60_000).requireTime()).not.toThrow();
  });
});

beforeEach(() => {
  calls = [];
});

const logQuery = (first: string, last: string, ScanIndexForward: boolean) => ({
  KeyConditionExpression: 'pk = :partition AND sk BETWEEN :first AND :last',
  ExpressionAttributeValues: { ':partition': 'acme#task#log', ':first': first, ':last': last },
  ConsistentRead: true,
  ScanIndexForward,
});

test('readHead is one consistent query, downwards from the manifest', async () => {
  await log.readHead(1_770_000_000_000);
  expect(calls).toEqual([logQuery('r#1jge3h901', '~', false)]);
});

test('readRecords is one consistent query downwards', async () => {
  await log.readRecords(7, 9);
  expect(calls).toEqual([logQuery('r#000000008', 'r#00000000a', false)]);
});

test('oldestRecords is a consistent query upwards', async () => {
  for await (const { records, hasMore } of log.oldestRecords(7, 9))
    expect([records, hasMore]).toEqual([[], false]);
  expect(calls).toEqual([logQuery('r#000000008', 'r#00000000a', true)]);
});

test.each([true, false])(
  'readBuckets is one query, consistent if it has to be (%j)',
  async (isConsistent) => {
    await log.readBuckets('1-aaaaaa.0/1-aaaaaa/projectId', isConsistent);
    expect(calls).toEqual([
      {
        KeyConditionExpression: 'pk = :partition AND begins_with(sk, :buckets)',
        ExpressionAttributeValues: {
          ':partition': 'acme#task#columns#1-aaaaaa.0',
          ':buckets': '1-aaaaaa/projectId.',
        },
        ConsistentRead: isConsistent,
      },
    ]);
  },
);

test.each([true, false])(
  'readItems reads items by key, consistently if it has to (%j)',
  async (isConsistent) => {
    await log.readItems(['1-aaaaaa.0/1-aaaaaa/name', 'patch:2-bbbbbb/all'], isConsistent);
    expect(calls).toEqual([
      [
        [
          { pk: 'acme#task#columns#1-aaaaaa.0', sk: '1-aaaaaa/name' },
          { pk: 'acme#task#columns#patch:2-bbbbbb', sk: 'all' },
        ],
        isConsistent,
      ],
    ]);
  },
);

test('listItems queries the first items of one partition', async () => {
  await log.listItems('steps', 4);
  expect(calls).toEqual([
    {
      KeyConditionExpression: 'pk = :partition',
      ExpressionAttributeValues: { ':partition': 'acme#task#columns#steps' },
      Limit: 4,
    },
  ]);
});

test('putItems and deleteItems write each item by its key', async () => {
  const bytes = Buffer.from('a');
  await log.putItems(new Map([['1-aaaaaa.0/ids0', bytes]]));
  await log.deleteItems(['1-aaaaaa.0/ids0']);
  const key = { pk: 'acme#task#columns#1-aaaaaa.0', sk: 'ids0' };
  expect(calls).toEqual([[{ ...key, bytes }], [key]]);
});

test('replaceManifest puts the manifest under the condition of its version', async () => {
  await log.replaceManifest({ ...emptyManifest, version: 1 });
  await log.replaceManifest({ ...emptyManifest, version: 2 });
  const item = { pk: 'acme#task#log', sk: '~', format: 6, state: expect.any(Buffer) };
  expect(calls).toEqual([
    [{ ...item, version: 1 }, { expression: 'attribute_not_exists(pk)' }],
    [
      { ...item, version: 2 },
      { expression: '#version = :version', names: { '#version': 'version' }, values: { ':version': 1 } },
    ],
  ]);
});
