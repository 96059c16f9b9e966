import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { cdkCommands } from '#lib/cli/cdk-commands.ts';
import { knownFlags, requireKnownFlags } from '#lib/cli/cdk-flags.ts';
import { type Engine, startEngine } from '#lib/local/dynamodb-engine.ts';
import { ensureTable } from '#lib/local/table.ts';
import { type AwsStandIn, startAwsStandIn } from '../support/aws-stand-in.ts';
import { commandLine, run as runInProcess } from './run.ts';

/** `npm run deploy` and `npm run cdk`, without an account: they stop before anything is bundled. */

const root = join(__dirname, '../..');
const bundles = join(root, 'dist/functions');

/** Runs the command without credentials, and without what npm sets. */
async function run(flags: readonly string[], environment: Record<string, string> = {}) {
  const env = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true', ...environment };
  const { code, output, errors } = await runInProcess('cdk', flags, env, /^(?:AWS_|npm_)/i);
  return { status: code, stdout: output, stderr: errors };
}

/** Runs a command that sends requests to this process. */
async function runWith(environment: Record<string, string>, flags: readonly string[]) {
  const [program, values] = commandLine('cdk', flags);
  const { PATH = '' } = process.env;
  const env = { PATH, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true', ...environment };
  const child = spawn(program, values, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { output, errors, code: code as number };
}

beforeEach(() => rmSync(bundles, { recursive: true, force: true }));

afterEach(() => expect(existsSync(bundles)).toBe(false));

test.each(['bootstrap', 'deploy', 'diff', 'drift', 'import', 'destroy'])(
  '%s says what to set when there are no credentials',
  async (name) => {
    const { status, stderr } = await run([name]);
    expect(stderr).toMatch(/^There are no AWS credentials .*AWS_PROFILE.*AWS_ACCESS_KEY_ID/s);
    expect(status).toBe(1);
  },
);

test('says so too when the metadata service of EC2 never responds', async () => {
  // Nobody accepts the connections while the command runs.
  const silent = createServer().listen(0);
  const { port } = silent.address() as AddressInfo;
  const { status, stderr } = await run(['deploy'], {
    AWS_REGION: 'eu-central-1',
    AWS_EC2_METADATA_DISABLED: 'false',
    AWS_EC2_METADATA_SERVICE_ENDPOINT: `http://127.0.0.1:${port}`,
  });
  silent.close();
  expect(stderr).toMatch(/^There are no AWS credentials/);
  expect(status).toBe(1);
});

test.each([
  { name: 'bootstrap', flags: ['--help'] },
  { name: 'deploy', flags: ['-h'] },
  { name: 'diff', flags: ['--help', '--force'] },
  { name: 'destroy', flags: ['-c', 'stage=production', '--help'] },
  { name: 'synth', flags: ['--help'] },
])('$name $flags prints its help, and does nothing else', async ({ name, flags }) => {
  const { status, stdout, stderr } = await run([name, ...flags]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('npm run cdk -- <command> [options]');
  expect(stdout).toContain('--help');
});

test('says what to set when there is no region', async () => {
  const { status, stderr } = await run(['deploy', '-c', 'region='], {
    AWS_ACCESS_KEY_ID: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
  });
  expect(stderr).toBe('There is no AWS region. Set AWS_REGION, or pass -c region=eu-central-1.\n');
  expect(status).toBe(1);
});

test('names the nearest setting for a mistyped one', async () => {
  const { status, stderr } = await run(['deploy', '-c', 'stge=production']);
  expect(stderr).toContain('"stge" is not a setting. Did you mean "stage"?');
  expect(status).toBe(1);
});

test.each(['deploy', 'destroy', 'synth'])(
  '%s refuses a setting that npm takes for itself, instead of using the default stage',
  async (name) => {
    for (const environment of [{ npm_config_call: 'stage=production' }, { npm_config_stage: 'production' }]) {
      const { status, stderr } = await run([name], environment);
      const script = ['deploy', 'diff', 'synth'].includes(name)
        ? `npm run ${name} --`
        : `npm run cdk -- ${name}`;
      expect(stderr).toContain(`${script} -c stage=production`);
      expect(status).toBe(2);
    }
  },
);

test.each(['bootstrap', 'destroy'])('%s of production needs no client for sign-in', async (name) => {
  const { stderr } = await run([name, '-c', 'stage=production']);
  expect(stderr).toMatch(/^There are no AWS credentials/);
});

test('deploy of production says which settings make a client for sign-in', async () => {
  const settings = [
    'stage=production',
    'authentication=cognito',
    'callbackUrls=',
    'machineClient=false',
    'alarmEmail=none',
  ];
  const { status, stderr } = await run(['deploy', ...settings.flatMap((one) => ['-c', one])]);
  expect(stderr).toContain(
    'Stage "production" with Cognito needs "callbackUrls" (for example "https://app.example.com/") or "machineClient" (true).',
  );
  expect(status).toBe(1);
});

test('synth names a wrong setting before it bundles', async () => {
  const { status, stderr } = await run(['synth', '-c', 'stge=production']);
  expect(stderr).toContain('"stge" is not a setting. Did you mean "stage"?');
  expect(status).toBe(1);
});

describe('with credentials', () => {
  let engine: Engine;
  let aws: AwsStandIn;

  beforeAll(async () => {
    engine = await startEngine(':memory:');
    aws = await startAwsStandIn(engine.endpoint);
  });

  afterAll(async () => {
    await aws.stop();
    await engine.stop();
  });

  test('deploy and import refuse a table that differs from the template, before anything is bundled', async () => {
    const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
    const client = new DynamoDBClient({ endpoint: engine.endpoint, region: 'us-east-1', credentials });
    await ensureTable(client, 'restored', { stream: true });
    client.destroy();
    aws.hasRecovery = false;
    const environment = {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL: aws.endpoint,
    };
    for (const name of ['deploy', 'import']) {
      const settings = ['stage=production', 'machineClient=true', 'alarmEmail=none', 'tableName=restored'];
      const { code, errors, output } = await runWith(environment, [
        name,
        ...settings.flatMap((one) => ['-c', one]),
      ]);
      expect(errors).toContain(
        'The table "restored" has no deletion protection.\nThe table "restored" has no point-in-time recovery.\n',
      );
      expect(output).toBe(`${name}: stage "production", region us-east-1\n`);
      expect(code).toBe(1);
    }
  });
});

test('names a profile that does not exist', async () => {
  const { status, stderr } = await run(['deploy'], { AWS_PROFILE: 'nope' });
  expect(stderr).toMatch(/^The profile "nope" \(AWS_PROFILE\) gives no AWS credentials/);
  expect(status).toBe(1);
});

/** Returns the flags in the help of the installed CDK. It cuts long names off. */
function flagsInHelp(command: string): string[] {
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/aws-cdk/bin/cdk'), command, '--help'],
    {
      encoding: 'utf8',
      env: { ...process.env, COLUMNS: '200' },
    },
  );
  const columns = [...stdout.matchAll(/^ {2}((?:--?[\w-]+(?:, )?)+)/gm)].map(([, names = '']) => names);
  return columns.flatMap((names) => names.split(', '));
}

test.each(cdkCommands)('%s takes every flag that CDK has', (name) => {
  const flags = flagsInHelp(name);
  expect(flags).toEqual(expect.arrayContaining(['--context', '-c', '--help', '-h']));
  const known = knownFlags(name);
  const unknown = flags.filter((flag) => !known.some((one) => one.startsWith(flag)));
  expect(unknown).toEqual([]);
});

test.each([
  [
    ['--require-aproval', 'never'],
    'There is no option --require-aproval. Did you mean "--require-approval"?',
  ],
  [['--stage=production'], 'There is no option --stage. A setting follows "-c": -c stage=production.'],
  [['-x'], 'There is no option -x.'],
])('deploy refuses %j', async (flags, message) => {
  const { status, stderr } = await run(['deploy', ...flags]);
  expect(stderr).toContain(message);
  expect(status).toBe(2);
});

test('deploy passes the flags of CDK on', () => {
  const flags = [
    '--requireApproval=never',
    '--no-rollback',
    '-vv',
    '-e',
    '-c',
    'stage=test',
    '--concurrency',
    '2',
  ];
  expect(() => requireKnownFlags('deploy', flags)).not.toThrow();
});

test.each([
  [[], 'Choose a command: bootstrap, deploy, diff, drift, import, destroy, synth.'],
  [['deplyo'], 'There is no command "deplyo". Did you mean "deploy"?'],
])('rejects the command %j', async (flags, message) => {
  const { status, stderr } = await run(flags);
  expect(stderr).toBe(`${message}\nSee "npm run cdk -- --help".\n`);
  expect(status).toBe(2);
});

test('rejects a flag without a value', async () => {
  const { status, stderr } = await run(['deploy', '-c', 'stage']);
  expect(stderr).toContain('-c stage=production');
  expect(status).toBe(2);
});

test('synth of production writes its templates, and prints one line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'synth-'));
  const settings = ['stage=production', 'machineClient=true', 'alarmEmail=none'];
  const flags = ['synth', '--output', folder, ...settings.flatMap((one) => ['-c', one])];
  const { output, errors, code } = await runWith({ HOME: folder }, flags);
  expect({ output, errors, code }).toEqual({
    output: 'The templates and bundles are written.\n',
    errors: '',
    code: 0,
  });
  const [data, api] = ['data', 'api'].map((part) => `project-management-production-${part}.template.json`);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([data, api]));
  for (const created of [folder, bundles]) rmSync(created, { recursive: true });
});
