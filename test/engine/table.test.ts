import { randomUUID } from 'node:crypto';
import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { setEngineEnvironment } from '#lib/local/engine-environment.ts';
import { ensureTable } from '#lib/local/table.ts';
import { testWorker } from '../support/test-worker.ts';

test('services that start together on one new database create its table once', async () => {
  const { endpoint } = await (await testWorker()).sharedEngine();
  setEngineEnvironment(endpoint);
  const clients = [1, 2, 3].map(() => new DynamoDBClient());
  const tableName = `test-${randomUUID()}`;
  await Promise.all(clients.map((client) => ensureTable(client, tableName, { stream: true })));
  const { Table } = await (clients[0] as DynamoDBClient).send(
    new DescribeTableCommand({ TableName: tableName }),
  );
  expect(Table).toMatchObject({ TableStatus: 'ACTIVE', StreamSpecification: { StreamEnabled: true } });
  for (const client of clients) client.destroy();
});
