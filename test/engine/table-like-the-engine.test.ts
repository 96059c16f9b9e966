import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { connect } from '#functions/engine/table/client.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { runs } from '../support/runs.ts';
import { itemBytes } from '../support/table/capacity.ts';
import { compareSequence } from '../support/table/differential.ts';
import { MemoryTable } from '../support/table/memory-table.ts';
import { anyRequest } from '../support/table/random-requests.ts';
import { testWorker } from '../support/test-worker.ts';

/**
 * The table in the process behaves as the engine does. `SEQUENCES` and `SEED` select longer and other runs, `SHRINK=1` looks for a short sequence
 * that fails. With `DYNAMODB_ENDPOINT`, the engine is the DynamoDB Local there.
 */

const seed = Number(process.env['SEED'] ?? 1);
const numRuns = Number(process.env['SEQUENCES'] ?? runs(40, 400));
const endOnFailure = process.env['SHRINK'] === undefined;

const kind = process.env['DYNAMODB_ENDPOINT'] === undefined ? 'embedded' : 'DynamoDB Local';
const tableName = `test-${randomUUID()}`;

let dynamodb: DynamoDb;

beforeAll(async () => {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setEngineEnvironment(endpoint);
  const client = new DynamoDBClient();
  await ensureTable(client, tableName).finally(() => client.destroy());
  dynamodb = connect();
});

afterAll(() => dynamodb.destroy());

test('random requests have the same results', async () => {
  const own = new MemoryTable(tableName);
  const sequence = fc.array(anyRequest, { minLength: 40, maxLength: 50 });
  let requests = 0;
  const property = fc.asyncProperty(sequence, async (all) => {
    requests += all.length;
    // The engine does not forget those of the sequence before.
    const tokens = randomUUID().slice(0, 30);
    await compareSequence(
      all,
      { dynamodb: own, tableName, tokens },
      { dynamodb, tableName, tokens, kind },
      (result, expected) => {
        // The comparison of jest needs more time than the operations.
        if (!isDeepStrictEqual(result, expected)) expect(result).toEqual(expected);
      },
    );
  });
  await fc.assert(property, { seed, numRuns, endOnFailure });
  expect(requests).toBeGreaterThanOrEqual(40 * numRuns);
});

/** Values of each type: the size of an item decides what it costs, to the byte. */
const values: readonly unknown[] = [
  ...[0, 1, -1, 12, 123, -123, 100, 1.5, 12.25, 0.5, 0.001, -0.25, 1e-7, 1e15, Number.MAX_SAFE_INTEGER],
  ...['', 'x', 'é', '\u{1f600}', true, null, new Uint8Array([]), new Uint8Array([1, 2])],
  ...[[], ['x'], [1, [2]], {}, { x: 1 }, { x: { y: [true] }, é: null }],
];

test.each(values.map((value) => [JSON.stringify(value), value]))(
  'the size of %s is exact',
  async (_, value) => {
    const item = { pk: 'size', sk: '1', value, fill: '' };
    const fill = 1_024 - itemBytes(item);
    const unitsOf = async (length: number) => {
      const Item = { ...item, fill: 'x'.repeat(length) };
      const key = { pk: item.pk, sk: item.sk };
      await dynamodb.deleteItem({ TableName: tableName, Key: key });
      const { ConsumedCapacity } = await dynamodb.putItem({
        TableName: tableName,
        Item,
        ReturnConsumedCapacity: 'TOTAL',
      });
      return ConsumedCapacity?.CapacityUnits;
    };
    expect([await unitsOf(fill), await unitsOf(fill + 1)]).toEqual([1, 2]);
  },
);
