import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { defaultSegments, scanTable } from '#lib/audit/scan.ts';
import { startTestStore, type TestStore } from '#test/support/local-store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore();
});

afterAll(() => store.stop());

test.each([1, defaultSegments, 7])('visits every item once, in %i segments', async (segments) => {
  const keys = Array.from({ length: 60 }, (_, number) => ({ pk: `p${number % 20}`, sk: `s${number}` }));
  const { tableName: TableName, client } = store;
  for (const Item of keys) await client.send(new PutCommand({ TableName, Item }));
  const visited: string[] = [];
  let counted = 0;
  const onItems = (count: number): void => {
    counted += count;
  };
  await scanTable({ client, tableName: TableName, segments, onItems }, ({ pk, sk }) => visited.push(pk + sk));
  expect(visited.sort()).toEqual(keys.map(({ pk, sk }) => pk + sk).sort());
  expect(counted).toBe(keys.length);
});
