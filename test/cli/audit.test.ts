import { openLog } from '#functions/engine/columns/compact/dynamodb-compaction-storage.ts';
import { defaultSizes } from '#functions/engine/columns/compact/sizes.ts';
import { emptyManifest } from '#functions/engine/columns/format/manifest.ts';
import { connect } from '#functions/engine/table/client.ts';
import { Database } from '#functions/engine/table/database.ts';
import { Deadline } from '#functions/engine/table/deadline.ts';
import type { DynamoDb } from '#functions/engine/table/operations.ts';
import { compactAll } from '../support/compaction.ts';
import { provideTestService } from '../support/local-service.ts';
import { run } from './run.ts';

const service = provideTestService();
let client: DynamoDb;

beforeAll(async () => {
  client = connect({ endpoint: service.endpoint });
  await run('seed', ['--url', service.url, '--tasks', '60']);
});

afterAll(() => client.destroy());

const audit = (...flags: readonly string[]) =>
  run('audit', ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint, ...flags]);

const output = (pattern: RegExp) => expect.stringMatching(pattern);

/** Makes the columns of organizations count one row too many. */
async function miscount(): Promise<void> {
  const database = new Database(client, service.tableName, new Deadline(300_000));
  await compactAll(database, 'public', 'organization', { ...defaultSizes, minSegmentRows: 1 });
  const log = openLog(database, 'public', 'organization');
  const manifest = (await log.readManifest()) ?? emptyManifest;
  const segments = manifest.segments.map((segment) => ({ ...segment, deleted: { 0: -1 } }));
  await log.replaceManifest({ ...manifest, version: manifest.version + 1, segments });
}

test('finds nothing in a correct table, names what is wrong and fails, and repairs it with --repair', async () => {
  const nothing =
    /125 entities in 5 logs: 0 orphans, 0 cycles, 0 malformed, 0 wrong texts, 0 wrong subjects, 0 wrong sequencers, 0 wrong counters, 0 logs without all numbers, 0 logs without an entry, 0 wrong logs\.\n$/;
  expect(await audit()).toMatchObject({ code: 0, output: output(nothing) });
  await miscount();
  const finding = /Total: lists of public#organization#log count 4 rows, which it does not have\./;
  expect(await audit()).toMatchObject({ code: 1, output: output(finding) });
  expect(await audit('--repair')).toMatchObject({ code: 0, output: output(/1 wrong logs; 1 repaired\.\n$/) });
  expect(await audit()).toMatchObject({ code: 0 });
});

test('rebuilds only the logs of a tenant, or one of them', async () => {
  await miscount();
  const rebuild = (...flags: string[]) => audit('--rebuild', ...flags);
  const wrote = (entities: number, logs: number) => ({
    code: 0,
    output: output(new RegExp(`Wrote the columns of ${entities} entities in ${logs} logs\\.\n$`)),
  });
  expect(await rebuild('--tenant', 'public')).toMatchObject(wrote(0, 0));
  expect(await rebuild('--without-tokens', '--kind', 'task')).toMatchObject(wrote(60, 1));
  expect(await audit()).toMatchObject({ code: 1 });
  expect(await rebuild('--without-tokens', '--kind', 'organization')).toMatchObject(wrote(3, 1));
  expect(await audit()).toMatchObject({ code: 0 });
  for (const flags of [['--without-tokens'], []])
    expect(await rebuild(...flags)).toMatchObject(wrote(125, 5));
  expect(await audit()).toMatchObject({ code: 0 });
});

test('fails while keys are wrong, which no repair corrects', async () => {
  await miscount();
  const { Items = [] } = await client.scan({ TableName: service.tableName });
  const { pk, sk } = Items.find((item) => /#organization#/.test(item['pk']) && item['byStatus']) ?? {};
  await client.updateItem({
    TableName: service.tableName,
    Key: { pk, sk },
    UpdateExpression: 'SET byStatus = :value',
    ExpressionAttributeValues: { ':value': 'wrong' },
  });
  const malformed = /Malformed: [\s\S]*1 malformed, .*1 wrong logs; 1 repaired\.\n$/;
  expect(await audit('--repair')).toMatchObject({ code: 1, output: output(malformed) });
});
