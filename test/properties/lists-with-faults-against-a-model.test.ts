import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { startEngine } from '#lib/local/dynamodb-engine.ts';
import { ensureTable } from '#lib/local/table.ts';
import { conflicts, laggingReplica, lostResponses } from '../faults/engine-proxy.ts';
import { runs } from '../support/runs.ts';
import { type Fault, testSequences } from './list-sequences.ts';

/** The steps of a sequence. Faults make each of them slower. */
const maxSteps = runs(40, 100);

/** Random sequences under each condition. */
const sequences = Number(process.env['SEQUENCES'] ?? 3);

/** Serves eventually consistent reads from a replica that receives each write after some time. */
async function lagging(milliseconds: number, tableName: string): Promise<Fault> {
  const replica = await startEngine(':memory:');
  const client = new DynamoDBClient({ endpoint: replica.endpoint });
  await ensureTable(client, tableName);
  client.destroy();
  const injector = laggingReplica(replica.endpoint, milliseconds);
  const stop = async (): Promise<void> => {
    // Pending writes to a stopped replica would fail.
    await injector.caughtUp();
    await replica.stop();
  };
  return { injector, caughtUp: () => injector.caughtUp(), stop };
}

testSequences('when eventually consistent reads lag', {
  count: sequences,
  maxSteps,
  fault: (_, tableName) => lagging(300, tableName),
});

testSequences('when a tenth of the responses is lost', {
  count: sequences,
  maxSteps,
  fault: async (seed) => ({ injector: lostResponses(0.1, seed) }),
});

testSequences('when transactions conflict', {
  count: sequences,
  maxSteps,
  fault: async () => ({ injector: conflicts(8) }),
});
