import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { Database } from '../../functions/shared/store/dynamodb/database.ts';
import { Deadline } from '../../functions/shared/store/dynamodb/deadline.ts';
import { openLog } from '../../functions/shared/store/lists/engine/compaction/table-log-writer.ts';
import { emptyManifest } from '../../functions/shared/store/lists/engine/manifest.ts';
import { type Service, startService } from '../../lib/local/service.ts';
import { compactAll } from '../support/compaction.ts';
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
      /125 entities in \d+ lists: 0 wrong totals, 0 orphans, 0 malformed, 0 wrong texts, 0 wrong logs\.\n$/;
    expect(await run('audit', ['--url', service.url])).toMatchObject({
      code: 0,
      output: expect.stringMatching(summary),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0, output: expect.stringMatching(summary) });
  });

  test('names rows and totals that are wrong, fails, and repairs them with --repair', async () => {
    const database = new Database(client, service.tableName, new Deadline(20_000));
    await compactAll(database, 'public', 'organization');
    const log = openLog(database, 'public', 'organization');
    const { manifest = emptyManifest } = await log.readHead(Date.now());
    const segments = manifest.segments.map((segment) => ({ ...segment, deleted: segment.deleted - 1 }));
    await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments });
    const finding = 'Total: lists of public#organization#log count 4 rows, which it does not have.';
    expect(await run('audit', table())).toMatchObject({ code: 1, output: expect.stringContaining(finding) });
    expect(await run('audit', [...table(), '--repair'])).toMatchObject({
      code: 0,
      output: expect.stringMatching(/1 wrong logs; 1 repaired\.\n$/),
    });
    expect(await run('audit', table())).toMatchObject({ code: 0 });
  });

  test('names a list of a service whose total is not the number of entities on its pages', async () => {
    const wrong = createServer(async ({ url = '' }, response) => {
      const upstream = await fetch(service.url + url);
      const body = await upstream.text();
      response.writeHead(upstream.status, { 'content-type': upstream.headers.get('content-type') ?? '' });
      response.end(url.startsWith('/v1/organizations?') ? body.replace('"total":3', '"total":4') : body);
    }).listen(0, '127.0.0.1');
    await once(wrong, 'listening');
    const { port } = wrong.address() as AddressInfo;
    expect(await run('audit', ['--url', `http://127.0.0.1:${port}`])).toMatchObject({
      code: 1,
      output: expect.stringContaining('Total: /v1/organizations has the total 4; its pages have 3 entities.'),
    });
    wrong.close();
  });

  test('prints the correct usage for wrong arguments', async () => {
    expect(await run('audit', [])).toMatchObject({
      code: 2,
      errors: 'Choose what to audit: either --table, --stage or --url.\nSee "npm run audit -- --help".\n',
    });
    expect(await run('audit', ['--url', service.url, '--repair'])).toMatchObject({ code: 2 });
  });
});
