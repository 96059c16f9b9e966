import { randomUUID } from 'node:crypto';
import {
  DynamoDBStreamsClient,
  ExpiredIteratorException,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBRecord } from 'aws-lambda';
import { createEntity } from '#functions/engine/entities/create-entity.ts';
import { StreamReader } from '#lib/cloud-assembly/stream-reader.ts';
import { streamRetries } from '#lib/hosting/functions.ts';
import { startEngineStore } from '../support/local-store.ts';

/** How the stream of an engine is delivered to the functions of a synthesized stack. */

let store: Awaited<ReturnType<typeof startEngineStore>>;
let streams: DynamoDBStreamsClient;
let reader: StreamReader;
let setAside: jest.SpyInstance;

beforeEach(async () => {
  store = await startEngineStore({ stream: true });
  streams = new DynamoDBStreamsClient({ endpoint: store.endpoint });
  setAside = jest.spyOn(console, 'error').mockReturnValue();
});

afterEach(async () => {
  await reader.stop();
  setAside.mockRestore();
  streams.destroy();
  store.stop();
});

const keyOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb?.Keys?.['pk']?.S ?? '';

/** Creates a tag. Returns the key of its item. */
async function create(tenant: string): Promise<string> {
  const { entity } = await createEntity(store.session(tenant), 'tag', { name: 'a', status: 'active' });
  return `${tenant}#tag#${entity.id}`;
}

/** Delivers the records to a function, and returns what waits until it has received one of an item. */
async function read(
  receive: (records: readonly DynamoDBRecord[]) => void,
): Promise<(key: string) => Promise<void>> {
  const received = new Set<string>();
  let notify = (): void => {};
  reader = new StreamReader(streams, store.tableName, async ({ Records }) => {
    receive(Records);
    for (const record of Records) received.add(keyOf(record));
    notify();
    return { batchItemFailures: [] };
  });
  await reader.start();
  return async (key) => {
    while (!received.has(key)) {
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
  };
}

test('a record that crashes the function is delivered alone, again, and then set aside', async () => {
  let killer = '';
  const deliveries: number[] = [];
  const until = await read((records) => {
    if (!records.some((record) => keyOf(record) === killer)) return;
    deliveries.push(records.length);
    throw new Error('Runtime exited with error: signal: killed');
  });
  killer = await create('a');
  await until(await create('b'));
  expect(deliveries.filter((count) => count === 1)).toHaveLength(streamRetries + 1);
  expect(setAside).toHaveBeenCalledTimes(1);
});

/** Makes all iterators fail until there is a new one. */
function invalidateIterators(error: Error): void {
  let isValid = false;
  streams.middlewareStack.add(
    (next) => (args) => {
      isValid ||= 'ShardIteratorType' in args.input;
      if (!isValid && 'ShardIterator' in args.input) throw error;
      return next(args);
    },
    { step: 'initialize' },
  );
}

const details = { $metadata: {}, message: 'The iterator is not valid.' };

test.each([
  ['has expired', new ExpiredIteratorException(details)],
  ['points to trimmed records', new TrimmedDataAccessException(details)],
])('an iterator that %s is replaced without losing records', async (_, error) => {
  const until = await read(() => {});
  await until(await create(randomUUID()));
  invalidateIterators(error);
  await until(await create(randomUUID()));
  expect(setAside).not.toHaveBeenCalled();
});
