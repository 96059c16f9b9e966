import { randomUUID } from 'node:crypto';
import { ScanCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { Database } from '#functions/store/dynamodb/database.ts';
import { Deadline } from '#functions/store/dynamodb/deadline.ts';
import { openLog } from '#functions/store/lists/engine/compaction/dynamodb-compaction-storage.ts';
import { emptyManifest } from '#functions/store/lists/engine/format/manifest.ts';
import { type Service, startService } from '#lib/local/service.ts';
import { compactAll } from '../support/compaction.ts';
import { type TestClient, testClient } from '../support/test-client.ts';
import { run } from './run.ts';

describe('npm run audit', () => {
  let service: Service;
  let client: TestClient;

  beforeAll(async () => {
    service = await startService({ port: 0, databaseFile: ':memory:', tableName: `audited-${randomUUID()}` });
    client = testClient(service.endpoint);
    await run('seed', ['--url', service.url, '--tasks', '60']);
  });

  afterAll(async () => {
    client.destroy();
    await service.stop();
  });

  const table = () => ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint];

  test('finds nothing in a correct table', async () => {
    const summary =
      /125 entities in 5 logs: 0 orphans, 0 malformed, 0 wrong texts, 0 wrong subjects, 0 wrong logs\.\n$/;
    expect(await run('audit', table())).toMatchObject({ code: 0, output: expect.stringMatching(summary) });
  });

  /** Makes the columns of organizations count one row too many. */
  async function miscount(): Promise<void> {
    const database = new Database(client, service.tableName, new Deadline(300_000));
    await compactAll(database, 'public', 'organization');
    const log = openLog(database, 'public', 'organization');
    const { manifest = emptyManifest } = await log.readHead(Date.now());
    const segments = manifest.segments.map((segment) => ({ ...segment, deleted: segment.deleted - 1 }));
    await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments });
  }

  test('names rows and totals that are wrong, fails, and repairs them with --repair', async () => {
    await miscount();
    const finding = 'Total: lists of public#organization#log count 4 rows, which it does not have.';
    expect(await run('audit', table())).toMatchObject({ code: 1, output: expect.stringContaining(finding) });
    expect(await run('audit', [...table(), '--repair'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/1 wrong logs; 1 repaired\.\n$/),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0 });
  });

  test('writes the columns of all logs again with --rebuild', async () => {
    expect(await run('audit', [...table(), '--rebuild'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/Wrote the columns of 125 entities in 5 logs\.\n$/),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0 });
  });

  test('fails while keys are wrong, which no repair corrects', async () => {
    await miscount();
    const { Items = [] } = await client.send(new ScanCommand({ TableName: service.tableName }));
    const [{ pk, sk, byStatus } = {}] = Items.filter(
      (item) => /#organization#/.test(item['pk']) && item['byStatus'],
    );
    const setKey = (value: unknown) =>
      client.send(
        new UpdateCommand({
          TableName: service.tableName,
          Key: { pk, sk },
          UpdateExpression: 'SET byStatus = :value',
          ExpressionAttributeValues: { ':value': value },
        }),
      );
    await setKey('wrong');
    expect(await run('audit', [...table(), '--repair'])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/Malformed: [\s\S]*1 malformed, .*1 wrong logs; 1 repaired\.\n$/),
    });
    await setKey(byStatus);
    expect(await run('audit', table())).toMatchObject({ code: 0 });
  });

  test('prints the correct usage for wrong arguments', async () => {
    expect(await run('audit', [])).toMatchObject({
      code: 2,
      errors: 'Choose the table: either with --table or with --stage.\nSee "npm run audit -- --help".\n',
    });
    expect(await run('audit', [...table(), '--repair', '--rebuild'])).toMatchObject({ code: 2 });
  });
});
