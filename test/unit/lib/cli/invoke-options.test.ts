import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '#lib/cli/command-line.ts';
import { invokeHelp, invokeOptions } from '#lib/cli/invoke-options.ts';

function requestOf(...args: string[]) {
  const options = invokeOptions(args);
  if (options === 'help') throw new Error('The flags contain --help.');
  return options.request;
}

test('reads body, id, query, headers and claims', () => {
  expect(
    requestOf(
      'updateTask',
      '--id',
      'x',
      '--body',
      '{"name":"A"}',
      '--header',
      'If-Match: "a:b"',
      '--tenant',
      'acme',
    ),
  ).toMatchObject({
    id: 'x',
    text: '{"name":"A"}',
    headers: { 'If-Match': '"a:b"' },
    claims: { tenant: 'acme', scope: expect.stringContaining('tasks:write') },
  });
  expect(requestOf('listTasks', '--claims', '{"tenant":"a","scope":""}').claims).toEqual({
    tenant: 'a',
    scope: '',
  });
  expect(requestOf('listTasks').claims).toBeUndefined();
});

test.each([
  [['status=active', 'name=a=b c'], 'status=active&name=a%3Db+c'],
  [['status=active&limit=5'], 'status=active&limit=5'],
  [['status[in]=a,b'], 'status%5Bin%5D=a%2Cb'],
])('reads the query %j', (texts, query) => {
  expect(requestOf('listTasks', ...texts.flatMap((text) => ['--query', text])).query).toBe(query);
});

test('reads a body from a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'invoke-'));
  writeFileSync(join(folder, 'body.json'), '{"name":"from a file"}');
  expect(requestOf('createTask', '--body', `@${join(folder, 'body.json')}`).text).toBe(
    '{"name":"from a file"}',
  );
  rmSync(folder, { recursive: true });
});

test.each([
  [[], 'Name an operation'],
  [['createTsk'], 'There is no operation "createTsk". Did you mean "createTask"?'],
  [['createTask', 'readTask'], 'Remove "readTask".'],
  [['createTask', '--bdy', '{}'], 'There is no option --bdy. Did you mean "--body"?'],
  [['readTask'], 'readTask needs --id: its path is /v1/tasks/{id}.'],
  [['listTasks', '--id', 'x'], 'listTasks takes no --id'],
  [['createTask', '--body', '@/no/such/file'], 'The body cannot be read: ENOENT'],
  [['listTasks', '--header', 'x'], 'A header must be a name, a colon and a value'],
  [['listTasks', '--query', 'status'], 'A query parameter must be a name and a value'],
  [['listTasks', '--claims', '[]'], '--claims must be a JSON object'],
  [['listTasks', '--dynamodb-endpoint', 'x'], 'The DynamoDB endpoint must be an HTTP URL'],
])('rejects %j', (args, message) => {
  expect(() => invokeOptions(args)).toThrow(UsageError);
  expect(() => invokeOptions(args)).toThrow(message);
});

test('the help lists every operation', () => {
  expect(invokeOptions(['--help'])).toBe('help');
  expect(invokeHelp()).toMatch(/^ {2}cloneProject +POST +\/v1\/projects\/\{id\}\/clone$/m);
});
