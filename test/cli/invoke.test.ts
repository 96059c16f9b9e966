import { join } from 'node:path';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run, runProgram } from './run.ts';
import { killLeftovers, start } from './started-service.ts';

afterEach(killLeftovers);

test('calls handlers on the database file of a service, and without it, and tenants have separate data', async () => {
  const databaseFile = join(temporaryFolder(), 'file.sqlite');
  const service = await start({ DATABASE_FILE: databaseFile });
  const file = ['--database-file', databaseFile];
  const created = await runProgram('invoke', ['createTask', '--body', '{"name":"A"}', '--include', ...file]);
  expect(created.code).toBe(0);
  expect(created.errors).toMatch(
    /^201 Created, \d+ ms, \d+ database calls?, [\d.]+ read and [\d.]+ write units$/m,
  );
  expect(created.errors).toMatch(/^location: \/v1\/tasks\//m);
  const { id } = JSON.parse(created.output) as { id: string };
  expect(await (await fetch(`${service.url}/v1/tasks/${id}`)).json()).toMatchObject({ name: 'A' });
  await service.stop();

  const read = await runProgram('invoke', ['readTask', '--id', id, ...file]);
  expect(JSON.parse(read.output)).toMatchObject({ id, name: 'A' });
  const missing = await runProgram('invoke', ['readTask', '--id', id, '--tenant', 'acme', ...file]);
  expect([missing.code, JSON.parse(missing.output)]).toMatchObject([1, { status: 404 }]);
});

test('prints the event without a call', async () => {
  const { output, errors, code } = await run('invoke', ['listTasks', '--query', 'status=active', '--event']);
  expect([code, errors]).toEqual([0, '']);
  expect(JSON.parse(output)).toMatchObject({
    routeKey: 'GET /v1/tasks',
    queryStringParameters: { status: 'active' },
  });
});
