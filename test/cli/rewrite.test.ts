import { createClient } from '#client/index.ts';
import { entityKey } from '#functions/engine/model/keys.ts';
import { connect } from '#functions/engine/table/client.ts';
import { provideTestService } from '../support/local-service.ts';
import { run, runProgram } from './run.ts';

const service = provideTestService();

test('gives an entity the keys that it lacks, says how many it has written, and finds nothing then', async () => {
  const api = createClient({ url: service.url });
  await api.users.create({ name: 'Ada', subject: 'ada' });
  const { id } = await api.tags.create({ name: 'x', description: 'long '.repeat(200) });
  const client = connect({ endpoint: service.endpoint });
  const key = entityKey('public', 'tag', id);
  const read = async () => (await client.getItem({ TableName: service.tableName, Key: { ...key } })).Item;
  const whole = await read();
  const { byStatus: _, ...Item } = whole ?? {};
  await client.putItem({ TableName: service.tableName, Item });
  expect(await read()).not.toEqual(whole);
  const rewrite = () =>
    run('rewrite', ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint]);
  const wrote = (count: number) => ({
    code: 0,
    errors: '',
    output: expect.stringMatching(new RegExp(`^Items that were written again: ${count}\\.\\n$`, 'm')),
  });
  expect(await rewrite()).toMatchObject(wrote(1));
  expect(await read()).toEqual(whole);
  expect(await rewrite()).toMatchObject(wrote(0));
  // The program itself has nothing that the process of the tests has.
  const flags = ['--table', service.tableName, '--dynamodb-endpoint', service.endpoint];
  expect(await runProgram('rewrite', flags)).toMatchObject(wrote(0));
  client.destroy();
});
