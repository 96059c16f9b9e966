import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { type Service, startService } from '../../lib/local/service.ts';
import { run } from './run.ts';

describe('npm run audit', () => {
  let service: Service;
  let client: DynamoDBDocumentClient;

  beforeAll(async () => {
    service = await startService({ port: 0, databaseFile: ':memory:', tableName: `audited-${randomUUID()}` });
    client = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: service.endpoint }));
    await run('seed', ['--url', service.url, '--tasks', '60']);
  });

  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  const table = () => ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint];

  test('finds nothing in a correct service, through its API and in its table', async () => {
    const summary =
      /125 entities in \d+ listings: 0 drifts, 0 orphans, 0 malformed, 0 wrong texts, 0 logs with wrong rows\.\n$/;
    expect(await run('audit', ['--url', service.url])).toMatchObject({
      code: 0,
      output: expect.stringMatching(summary),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0, output: expect.stringMatching(summary) });
  });

  test('names a counter that drifted, fails, and repairs it with --repair', async () => {
    await client.send(
      new UpdateCommand({
        TableName: service.tableName,
        Key: { pk: 'public#organization', sk: 'group#00000000-0000#0' },
        UpdateExpression: 'ADD #gone :one, changes :one',
        ExpressionAttributeNames: { '#gone': '=gone' },
        ExpressionAttributeValues: { ':one': 1 },
      }),
    );
    const finding =
      'Drift: group 00000000-0000 of public#organization has the total active 3, gone 1; the actual number is active 3.';
    expect(await run('audit', table())).toMatchObject({ code: 1, output: expect.stringContaining(finding) });
    const ofService = await run('audit', ['--url', service.url]);
    expect(ofService).toMatchObject({
      code: 1,
      output: expect.stringContaining(
        'Drift: /v1/organizations has the total all 4; the actual number is all 3.',
      ),
    });
    expect(await run('audit', [...table(), '--repair'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/1 drifts, .*; 1 repaired\.\n$/),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0 });
  });

  test('prints the correct usage for wrong arguments', async () => {
    expect(await run('audit', [])).toMatchObject({
      code: 2,
      errors: 'Choose what to audit: either --table or --url.\nSee "npm run audit -- --help".\n',
    });
    expect(await run('audit', ['--url', service.url, '--repair'])).toMatchObject({ code: 2 });
  });
});
