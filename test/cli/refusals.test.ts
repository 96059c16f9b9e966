import { startServer } from '../support/http-server.ts';
import { run, runProgram } from './run.ts';

/** Commands that end before they do anything, and say why. */

const runLine = (line: string) => {
  const [command = '', ...flags] = line.split(' ');
  return run(command, flags, { PORT: '0' });
};

const period = '--from 2026-01-02T00:00:00Z --to 2026-01-03T00:00:00Z';

test.each<[line: string, code: 1 | 2, message: string]>([
  ['audit', 2, 'either with --table or with --stage'],
  ['audit --table a --tenant acme', 2, '--tenant and --kind need --rebuild'],
  ['audit --table a --rebuild --kind task', 2, 'either with --tenant or with --without-tokens'],
  ['erase --table a --tenant a', 2, 'Revoke the access of the tenant first'],
  ['erase --table a --access-revoked', 2, 'either with --tenant or with --without-tokens'],
  ['erase --table a --tenant= --access-revoked', 2, 'It is not the name of a tenant'],
  ['erase --table a --tenant a --entity tasks/x', 2, 'It must be a collection and an id'],
  ['export', 2, 'Name a folder for the files with --output, or one collection'],
  ['invoke createTsk', 2, 'There is no operation "createTsk". Did you mean "createTask"?'],
  ['invoke readTask', 2, 'readTask needs --id: its path is /v1/tasks/{id}.'],
  ['invoke listTasks --header x', 2, 'It must be a name, a colon and a value'],
  ['invoke listTasks --claims []', 2, 'It must be a JSON object'],
  [`republish ${period}`, 2, 'either with --stage, or with --table and --bus.'],
  [`republish --table a --bus b ${period} --to 2026-01-01T00:00:00Z`, 2, '--to must not be before --from.'],
  ['seed --url http://localhost:1', 1, 'No service responds at http://localhost:1. Start one'],
  ['seed --url http://localhost:3000/v1', 2, 'It must be the scheme, host and port of a service'],
  ['seed --tasks many', 2, "'many' is invalid. It must be a whole number from 0 to 10000000."],
  ['seed --reset --url http://api.example.com', 2, 'only for a service on this machine'],
  ['seed --organizations 0', 2, 'Every project belongs to an organization'],
  ['start --host 192.0.2.1 --database-file :memory:', 1, 'This machine has no address "192.0.2.1".'],
  ['start --dynamodb-endpoint https://dynamodb.nowhere.amazonaws.com', 2, '--allow-unauthenticated'],
  ['start --dynamodb-endpoint http://127.0.0.1:9', 1, 'http://127.0.0.1:9'],
  ['start --fail 503', 2, 'It must be a share and a status, for example 10%:503.'],
  ['start --fail 10%:404', 2, 'The status is one of 429, 500, 502, 503, 504.'],
  ['start --fail-seed 1', 2, '--fail-seed needs --fail.'],
  ['start --copy-of /nowhere/none.sqlite', 1, 'There is no data file "/nowhere/none.sqlite".'],
  ['start --copy-of a --database-file b', 2, '--copy-of and another option each name the data.'],
  ['start --sign-in-port 3001', 2, '--sign-in-port needs --sign-in.'],
  [
    'start --sign-in --authentication-issuer https://a.example/ --authentication-audience b',
    2,
    'Choose either',
  ],
  ['token local --issuer http://localhost:9', 1, 'No issuer responds at http://localhost:9.'],
  ['token local --url http://localhost:8', 1, 'No issuer runs beside http://localhost:8. Start it with npm'],
  ['token local --role owner', 2, "'owner' is invalid. It must be one of viewer, editor, admin."],
  ['trace --operation readTask --maps /nowhere', 1, 'There is no source map /nowhere/tasks/read-task/'],
  ['verify nowhere', 2, 'must be an HTTP URL'],
  ['verify http://127.0.0.1:9', 1, 'No service responds'],
  ['verify http://127.0.0.1:9 --only list-optoins', 2, 'No file has it in its name.'],
])('%s ends with %i and says why', async (line, code, message) => {
  expect(await runLine(line)).toEqual({ code, output: '', errors: expect.stringContaining(message) });
});

test.each(['audit --table a', 'erase --table a --tenant a --access-revoked', 'rewrite --table a'])(
  '%s without credentials says what to set',
  async (line) => {
    const [command = '', ...flags] = line.split(' ');
    const environment = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
    expect(await run(command, flags, environment, /^(?:AWS_|DYNAMODB_)/)).toEqual({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^There are no AWS credentials \([^\n]+\)\. Set one of these:\n/),
    });
  },
);

test('a command that starts a service ends when the service fails', async () => {
  const broken = 'globalThis.fetch=async()=>new Response("{}",{status:400})';
  const { code, errors } = await runProgram('costs', [], {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(broken)}`,
  });
  expect([code, errors]).toEqual([1, expect.stringContaining('POST /v1/organizations/batch failed: 400')]);
});

test.each([
  'start --database-file :memory: --sign-in --sign-in-port PORT',
  'seed --url http://127.0.0.1:PORT',
])('%s ends with 1 and names the port, on which another server is that never responds', async (line) => {
  const { port, stop } = await startServer();
  const errors = expect.stringMatching(new RegExp(`^[^\\n]*\\b${port}\\b[^\\n]*\\n$`));
  expect(await runLine(line.replace('PORT', `${port}`))).toEqual({ code: 1, output: '', errors });
  await stop();
});
