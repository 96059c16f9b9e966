import { join } from 'node:path';
import { Connection } from '../../client/connection.ts';
import { tokensOf } from '../../client/mcp/token-command.ts';
import { startResponder, type TestServer } from '../support/http-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** A server of the Model Context Protocol whose tokens a command prints. */

const folder = temporaryFolder();
let server: TestServer;
let valid: string;
let tokens: (string | undefined)[];

beforeAll(async () => {
  server = await startResponder(({ headers: { authorization } }) => {
    tokens.push(authorization);
    const status = authorization === `Bearer ${valid}` ? 200 : 401;
    return { status, headers: { 'content-type': 'application/json' }, body: '{"message":"Unauthorized"}' };
  });
});

afterAll(() => server?.stop());

beforeEach(() => {
  tokens = [];
});

/** Returns a command that prints `1`, then `2`, and so on. */
const counting = (name: string): string => `echo >> ${join(folder, name)}; wc -l < ${join(folder, name)}`;

const connectionWith = (command: string, now?: () => number) =>
  new Connection({ url: server.url, tries: 1, ...tokensOf(command, now) });

const read = (connection: Connection) => connection.send({ method: 'GET', path: '/v1/tags' });

test('the command runs again when its token is refused, and the request is sent again', async () => {
  valid = '2';
  const connection = connectionWith(counting('refused'));
  await Promise.all([read(connection), read(connection)]);
  await read(connection);
  expect(tokens).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 2', 'Bearer 2', 'Bearer 2']);
});

test('the command runs again when its token is five minutes old', async () => {
  let nowMs = 0;
  valid = '1';
  const connection = connectionWith(counting('old'), () => nowMs);
  for (nowMs of [0, 299_999]) await read(connection);
  valid = '2';
  nowMs = 300_000;
  await read(connection);
  expect(tokens).toEqual(['Bearer 1', 'Bearer 1', 'Bearer 2']);
});

test.each([
  ['echo a b', 'must print a token, and nothing else'],
  ['exit 3', 'The command that prints a token failed'],
])('the command "%s" is an error that says so, without a request', async (command, message) => {
  await expect(read(connectionWith(command))).rejects.toThrow(message);
  expect(tokens).toEqual([]);
});
