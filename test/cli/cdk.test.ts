import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { cdkFlags, requireKnownFlags } from '#lib/cdk/flags.ts';
import { startEngine } from '#lib/local/dynamodb-engine.ts';
import { ensureTable } from '#lib/local/table.ts';
import { startAwsStandIn } from '../support/aws-stand-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run as runInProcess, runProgram } from './run.ts';

/** `npm run deploy` and `npx pm-api cdk`, without an account: they stop before anything is bundled. */

const root = join(__dirname, '../..');
const bundles = join(root, 'dist/functions');

/** Runs the command without credentials. */
const run = (flags: string, environment: Record<string, string> = {}) =>
  runInProcess(
    'cdk',
    flags.split(' '),
    { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...environment },
    /^AWS_/i,
  );

const errors = (text: string) => expect.stringContaining(text);

beforeEach(() => rmSync(bundles, { recursive: true, force: true }));

afterEach(() => expect(existsSync(bundles)).toBe(false));

const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
const production = ['stage=production', 'machineClient=true', 'alarmEmail=none']
  .map((one) => `-c ${one}`)
  .join(' ');
const withoutClient = 'deploy -c stage=production -c callbackUrls= -c machineClient=false -c alarmEmail=none';

test.each<[string, Record<string, string>, number, string]>([
  ...['bootstrap', 'deploy', 'diff', 'drift', 'import', 'destroy'].map(
    (name): [string, Record<string, string>, number, string] => [name, {}, 1, 'There are no AWS credentials'],
  ),
  // They need no client for sign-in.
  ['bootstrap -c stage=production', {}, 1, 'There are no AWS credentials'],
  ['deploy', { AWS_PROFILE: 'nope' }, 1, 'The profile "nope" (AWS_PROFILE) gives no AWS credentials'],
  ['deploy -c region=', credentials, 1, 'There is no AWS region. Set AWS_REGION, for example'],
  ['deploy -c stge=production', {}, 1, '"stge" is not a setting. Did you mean "stage"?'],
  [
    'deploy -c stage=prodction',
    {},
    1,
    'Stage "prodction" is not in "stages" of cdk.json. Did you mean "production"?',
  ],
  [withoutClient, {}, 1, 'Stage "production" with Cognito needs "callbackUrls"'],
  ['deploy --require-aproval never', {}, 2, 'Did you mean "--require-approval"?'],
  ['deploy --stage=production', {}, 2, 'A setting follows "-c": -c stage=production.'],
  ['deploy -c stage', {}, 2, '-c stage=production'],
  ['deplyo', {}, 2, 'Allowed choices are bootstrap, deploy,'],
])('cdk %s with %j is refused', async (flags, environment, code, message) => {
  expect(await run(flags, environment)).toMatchObject({ code, errors: errors(message) });
});

test('says that there are no credentials too when the metadata service of EC2 never responds', async () => {
  // Nobody accepts the connections while the command runs.
  const silent = createServer().listen(0);
  const { port } = silent.address() as AddressInfo;
  const result = await run('deploy', {
    AWS_REGION: 'eu-central-1',
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  silent.close();
  expect(result).toMatchObject({ code: 1, errors: errors('There are no AWS credentials') });
});

test.each(['diff --help --force', 'destroy -c stage=production -h'])(
  '%s prints its help, and does nothing else',
  async (flags) => {
    const output = errors('Usage: npx pm-api cdk [options] <command> [flags...]');
    expect(await run(flags)).toEqual({ code: 0, errors: '', output });
  },
);

test('deploy and import refuse a table that differs from the template, before anything is bundled', async () => {
  const engine = await startEngine(':memory:');
  const aws = await startAwsStandIn(engine.endpoint);
  const client = new DynamoDBClient({
    endpoint: engine.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  await ensureTable(client, 'restored', { stream: true });
  client.destroy();
  aws.hasRecovery = false;
  const account = '123456789012';
  const environment = { AWS_REGION: 'us-east-1', ...credentials, AWS_ENDPOINT_URL: aws.endpoint };
  for (const name of ['deploy', 'import']) {
    expect(
      await run(`${name} ${production} -c tableName=restored -c account=${account}`, environment),
    ).toEqual({
      code: 1,
      errors: errors(
        'The table "restored" has no deletion protection.\nThe table "restored" has no point-in-time recovery.\n',
      ),
      output: `${name}: stage "production", account ${account}, region us-east-1\n`,
    });
  }
  await aws.stop();
  await engine.stop();
});

test('the flags that are passed on are flags of CDK', () => {
  const program = join(root, 'node_modules/aws-cdk/bin/cdk');
  const help = execFileSync(process.execPath, [program, 'deploy', '--help'], { encoding: 'utf8' });
  const flags = [...help.matchAll(/^ {2}((?:--?[\w-]+(?:, )?)+)/gm)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  expect(cdkFlags.filter((flag) => !flags.includes(flag.replace('--no-', '--')))).toEqual([]);
  const given = '--require-approval=never --no-rollback -vv -c stage=test --concurrency 2'.split(' ');
  expect(() => requireKnownFlags(given)).not.toThrow();
});

test('synth of production writes its templates, and prints one line', async () => {
  // It builds the documentation first, unless it is current.
  expect(await runProgram('site', [])).toMatchObject({ code: 0 });
  const folder = temporaryFolder();
  const flags = `synth --output ${folder} ${production}`.split(' ');
  expect(await runProgram('cdk', flags, { HOME: folder })).toEqual({
    code: 0,
    output: 'The templates and bundles are written.\n',
    errors: '',
  });
  const [data, api] = ['data', 'api'].map((part) => `project-management-production-${part}.template.json`);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([data, api]));
  rmSync(bundles, { recursive: true });
});
