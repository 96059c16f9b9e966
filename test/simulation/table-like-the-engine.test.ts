import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { connect } from '#functions/store/dynamodb/client.ts';
import { startTestStore, type TestStore } from '../support/local-store.ts';
import { runs } from '../support/runs.ts';
import { anyRequest, compareSequence } from '../support/table/differential.ts';
import { MemoryTable } from '../support/table/memory-table.ts';
import { wallClock } from '../support/wall-clock.ts';

/** The table in the process behaves as the engine does. `SEQUENCES` and `SEED` select longer and other runs. */

const seed = Number(process.env['SEED'] ?? 1);
const numRuns = Number(process.env['SEQUENCES'] ?? runs(60, 600));

/** DynamoDB Local, which `DYNAMODB_ENDPOINT` can be, reports other units of transactions than DynamoDB. */
const hasUnits = process.env['DYNAMODB_ENDPOINT'] === undefined;

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

test('random operations have the same results', async () => {
  const dynamodb = connect({}, wallClock);
  const { tableName } = store;
  const own = new MemoryTable(tableName);
  const property = fc.asyncProperty(
    fc.array(anyRequest, { minLength: 20, maxLength: 40 }),
    async (requests) => {
      const tokens = randomUUID().slice(0, 30);
      await compareSequence(
        requests,
        { dynamodb: own, tableName, tokens },
        { dynamodb, tableName, tokens },
        (result, expected) => {
          // The comparison of jest needs more time than the operations.
          if (!isDeepStrictEqual(result, expected)) expect(result).toEqual(expected);
        },
        hasUnits,
      );
    },
  );
  await fc.assert(property, { seed, numRuns, endOnFailure: process.env['SHRINK'] === undefined });
  dynamodb.destroy();
  expect(own.snapshot().length).toBeGreaterThan(0);
});
