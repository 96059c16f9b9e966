import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '#bin/program.ts';
import { Policy, type Statement } from '#lib/cloud-assembly/policy.ts';
import { isDisposable } from '#lib/infrastructure/names.ts';
import { readSettings } from '#lib/infrastructure/read-settings.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ofType, stacksOf } from './stacks.ts';

/** The workflows of GitHub. */

const folder = join(__dirname, '../../.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);

const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** The jobs of the deployment of a stage, as text, by name. */
const jobs: Readonly<Record<string, string>> = Object.fromEntries(
  textOf('deploy-stage.yml')
    .replace(/^.*^jobs:$/ms, '')
    .split(/^ {2}(?=[\w-]+:$)/m)
    .slice(1)
    .map((job) => [job.slice(0, job.indexOf(':')), job]),
);
const deploy = jobs['deploy'] ?? '';

/** How often the deployment is watched, and the seconds between. */
const [times = 0, seconds = 0] = (/watch-alarms\.sh .* (\d+) (\d+)$/m.exec(deploy) ?? [])
  .slice(1)
  .map(Number);

const alarmIds = async () =>
  ofType((await stacksOf('default')).resources, 'AWS::CloudWatch::Alarm').map(([id]) => id);

test.each(workflows)(
  '%s pins every action by commit, has no permissions outside of its jobs, and runs scripts that exist',
  (_, text) => {
    const used = [...text.matchAll(/uses: ((?!\.\/).*)/g)].map(([, action = '']) => action);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([]);
    expect(text).toMatch(/^permissions: \{\}$/m);
    const { scripts } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8')) as {
      scripts: object;
    };
    const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);
    expect(named(/npm run ([\w:-]+)/g).filter((script) => !(script in scripts))).toEqual([]);
    expect(named(/npx pm-api ([\w:-]+)/g).filter((command) => !(command in commands))).toEqual([]);
  },
);

interface RoleStatement extends Statement {
  readonly NotResource?: readonly string[];
  readonly Condition?: { readonly StringEquals: Readonly<Record<string, string | readonly string[]>> };
}

const statements = (name: string) =>
  (
    JSON.parse(readFileSync(join(folder, `../roles/${name}.json`), 'utf8')) as {
      Statement: readonly RoleStatement[];
    }
  ).Statement;

describe('the roles of the workflows', () => {
  test('are assumed by the environments of the deployment, and by pull requests', () => {
    const subjects = (name: string) =>
      statements(name).map(
        ({ Condition }) => Condition?.StringEquals['token.actions.githubusercontent.com:sub'],
      );
    const environments = Object.values(jobs).flatMap(
      (job) => /^ {4}environment: (.*)$/m.exec(job)?.[1] ?? [],
    );
    expect(subjects('deploy-trust')).toEqual([
      environments.map((one) => `repo:<owner>/<name>:environment:${one.replace(/\$\{\{.*\}\}/, '<stage>')}`),
    ]);
    expect(subjects('pull-request-trust')).toEqual(['repo:<owner>/<name>:pull_request']);
  });

  test('allow the deployment what it checks before', () => {
    const checks = join(folder, '../../lib/preflight');
    const calls = readdirSync(checks).flatMap((name) =>
      [...readFileSync(join(checks, name), 'utf8').matchAll(/new (\w+)Command\(/g)].map(([, call]) => call),
    );
    const allowed = statements('deploy').flatMap(({ Action }) => Action);
    expect(calls.length).toBeGreaterThan(8);
    expect(calls.filter((call) => !allowed.some((action) => action.endsWith(`:${call}`)))).toEqual([]);
  });

  test('deny pull requests items, log lines, users, secrets of clients, and other roles', () => {
    const denied = statements('pull-request').flatMap(({ Effect, Action }) =>
      Effect === 'Deny' ? Action : [],
    );
    const matches = (action: string) =>
      denied.some((one) => new RegExp(`^${one.replace('*', '.*')}$`).test(action));
    for (const action of [
      ...['GetItem', 'BatchGetItem', 'Query', 'Scan', 'GetRecords'].map((name) => `dynamodb:${name}`),
      ...['GetLogEvents', 'FilterLogEvents', 'StartQuery', 'GetQueryResults'].map((name) => `logs:${name}`),
      ...['ListUsers', 'AdminGetUser', 'DescribeUserPoolClient'].map((name) => `cognito-idp:${name}`),
      ...['GetRecords', 'SubscribeToShard'].map((name) => `kinesis:${name}`),
      ...['GetFunction', 'GetFunctionConfiguration', 'ListFunctions'].map((name) => `lambda:${name}`),
      ...['GetParameter', 'GetParameters', 'GetParametersByPath'].map((name) => `ssm:${name}`),
      'sts:AssumeRole',
    ])
      expect([action, matches(action)]).toEqual([action, true]);
  });

  test('limit pull requests to the parameters of CDK and the functions of this service', () => {
    const limited = statements('pull-request').filter(({ NotResource }) => NotResource);
    expect(limited.map(({ Effect, NotResource }) => [Effect, NotResource])).toEqual([
      [
        'Deny',
        ['arn:aws:lambda:*:*:function:project-management-*', 'arn:aws:ssm:*:*:parameter/cdk-bootstrap/*'],
      ],
    ]);
  });
});

/** Runs a script with a program that takes the place of the AWS command line. */
function runScript(aws: string, script: string, ...args: readonly string[]) {
  return runWith({ aws }, script, ['production', ...args]);
}

/** Runs a script with programs that take the place of others. */
function runWith(
  programs: Readonly<Record<string, string>>,
  script: string,
  args: readonly string[],
  input = '',
) {
  const path = temporaryFolder();
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` };
  return spawnSync('bash', [join(folder, '..', script), ...args], { env, input, encoding: 'utf8' });
}

const noCredentials = 'echo "Unable to locate credentials" >&2; exit 253';

describe('the alarms that roll a deployment back', () => {
  test('are those of its requests, sign-in and jobs', async () => {
    const ids = await alarmIds();
    const raised = ['production', 'production-eu'].flatMap((stage) =>
      ids.map((id) => `project-management-${stage}-${id}`),
    );
    const { stdout, status } = runScript(`printf '${raised.join('\t')}\n'`, 'raised-alarms.sh');
    const expected = ['JobsFail', 'RequestsAreSlow', 'RequestsFail', 'SignInFails'];
    expect(stdout.trim().split('\n')).toEqual(expected.map((id) => `project-management-production-${id}`));
    expect(status).toBe(0);
  });

  test('are none when none is raised, and fail the step when AWS does not respond', () => {
    expect(runScript('exit 0', 'raised-alarms.sh')).toMatchObject({ stdout: '', status: 0 });
    expect(runScript(noCredentials, 'raised-alarms.sh').status).not.toBe(0);
  });
});

describe('the watch of a deployment', () => {
  const alarm = 'project-management-production-JobsFail';

  test.each([
    ['passes without an alarm', 'exit 0', '', 0],
    ['passes with an alarm that was raised before', `echo ${alarm}`, `${alarm}\n`, 0],
    ['fails with a new alarm', `echo ${alarm}`, '', 1],
    ['fails when AWS does not respond', noCredentials, '', expect.any(Number)],
  ])('%s', (_, aws, before, status) => {
    const file = join(temporaryFolder(), 'before');
    writeFileSync(file, before);
    const watched = runScript(aws, 'watch-alarms.sh', file, '3', '0');
    expect(watched.status).toEqual(status);
    if (status !== 0) expect(watched.status).not.toBe(0);
    if (status === 1) expect(watched.stdout).toBe(`In alarm: ${alarm}\n`);
  });

  test('is longer than the slowest alarm needs, and shorter than its credentials are valid', async () => {
    const { resources } = await stacksOf('default');
    const script = readFileSync(join(folder, '../raised-alarms.sh'), 'utf8');
    const watched = ofType(resources, 'AWS::CloudWatch::Alarm').filter(([id]) => script.includes(id));
    expect(watched).toHaveLength(4);
    const periods = watched.map(
      ([, { Properties }]) =>
        Number(Properties['EvaluationPeriods']) *
        Number(/"Period":(\d+)/.exec(JSON.stringify(Properties))?.[1]),
    );
    expect(times * seconds).toBeGreaterThan(Math.max(...periods));
    // The default of the action is an hour. A call of the script takes a few seconds.
    expect(times * (seconds + 10)).toBeLessThan(3_600);
  });
});

describe('a rollback', () => {
  const steps = jobs['roll-back'] ?? '';

  test.each([
    ['deploys a commit of main', 'main~1', 0],
    ['is refused for the commit of another branch, whoever has recorded it as deployed', 'other', 1],
  ])('%s', (_, commit, status) => {
    const [, script = ''] = /not a commit of main\n {8}run: (.*)\n/.exec(steps) ?? [];
    expect(steps.indexOf(script)).toBeLessThan(steps.indexOf('npm ci'));
    const cwd = temporaryFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });
    const commitEmpty = (message: string) =>
      git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '--allow-empty', '-m', message);
    git('init', '--quiet', '--initial-branch', 'main');
    for (const message of ['first', 'second']) commitEmpty(message);
    git('update-ref', 'refs/remotes/origin/main', 'main');
    git('checkout', '--quiet', '-b', 'other', 'main~1');
    commitEmpty('other');
    git('checkout', '--quiet', '--detach', commit);
    expect(spawnSync('bash', ['-e', '-c', script], { cwd }).status).toBe(status);
  });

  test.each([
    ['is refused when the deployment has changed the name of the table', { tableName: 'restored' }, 1],
    ['happens when the deployment has changed another setting', { alarmEmail: 'other@example.com' }, 0],
  ])('%s', (_, change, status) => {
    const [, script = ''] = /uses another table\n {8}run: \|\n((?: {10}.*\n)+)/.exec(steps) ?? [];
    const file = (values: object) =>
      JSON.stringify({ context: { stages: { production: { tableName: '', ...values } } } });
    const git = `git() { test "$2" = HEAD:cdk.json && echo '${file({})}' || echo '${file(change)}'; }\n`;
    const env = { ...process.env, STAGE: 'production', GITHUB_SHA: 'new' };
    expect(spawnSync('bash', ['-e', '-c', git + script], { env }).status).toBe(status);
  });
});

describe('the drill', () => {
  const drill = textOf('drill.yml');
  const stage = 'development-drill';
  const table = (/^ +TABLE: (.*)$/m.exec(drill) ?? [])[1] ?? '';
  const arnOf = (name: string) => `arn:aws:dynamodb:eu-central-1:123456789012:table/${name}`;

  test('deploys a disposable stage with the restored table, without alarms, canary, events and pokes', () => {
    const flags = [...drill.matchAll(/-c "?(\w+)=([^"\s]+)/g)].map(([, name, value]) => [name, value]);
    const given = { tableName: table, tableStreamArn: `${arnOf(table)}/stream/1` };
    const settings = readSettings({ ...Object.fromEntries(flags), ...given });
    expect(settings).toMatchObject({
      stage,
      ...given,
      alarms: false,
      canary: false,
      eventBus: false,
      live: 'off',
    });
    expect(isDisposable(settings)).toBe(true);
  });

  test('deletes the stage and the table in any case, at the end', () => {
    const last = drill.split(/^ {6}- /m).at(-1);
    expect(last).toMatch(/if: always\(\).*cdk destroy -c stage=development-drill .*delete-table/s);
  });

  test('has a role that changes only what has its prefix, and deletes only what has its tag', () => {
    const all = statements('drill');
    const allowed = new Policy(all.filter(({ Effect, Condition }) => Effect === 'Allow' && !Condition));
    const isAllowed = (action: string, name: string) =>
      allowed.permissionFor({ action: `dynamodb:${action}`, resource: arnOf(name) }) !== undefined;
    for (const action of ['DeleteTable', 'PutItem', 'DeleteItem', 'Scan', 'UpdateTable'])
      expect([action, isAllowed(action, table), isAllowed(action, 'project-management-production')]).toEqual([
        ...[action, true, false],
      ]);
    expect(isAllowed('RestoreTableToPointInTime', 'project-management-production')).toBe(true);
    const ofStacks = all.filter(({ Action }) => [Action].flat().includes('cloudformation:*'));
    expect(ofStacks.flatMap(({ Resource }) => Resource)).toEqual([
      'arn:aws:cloudformation:*:*:stack/project-management-development-drill-*',
      'arn:aws:dynamodb:*:*:table/project-management-development-drill-*',
    ]);
    expect(all.find(({ Effect }) => Effect === 'Deny')).toMatchObject({
      Action: 'cloudformation:DeleteStack',
      Resource: '*',
      Condition: { StringNotEquals: { 'aws:ResourceTag/stage': stage } },
    });
  });

  test.each([
    [stage, '--no-deletion-protection-enabled'],
    ['production', '--deletion-protection-enabled'],
  ])('completes a restored table of the stage %s with %s', (name, protection) => {
    const completed = (isOn: boolean) => {
      const stream = `*Stream*) echo ${isOn ? 'True' : 'None'};;`;
      const expiry = `*TimeToLiveStatus*) echo ${isOn ? 'ENABLED' : 'DISABLED'};;`;
      const aws = `echo "$@" >&2; case "$*" in ${stream} ${expiry} *TableArn*) echo the-arn;; esac`;
      const { stderr, status } = runWith({ aws }, 'complete-table.sh', ['restored', name]);
      expect(status).toBe(0);
      return stderr.trim().split('\n');
    };
    const calls = completed(false);
    expect(calls).toContain(
      `dynamodb tag-resource --resource-arn the-arn --tags Key=application,Value=project-management Key=stage,Value=${name}`,
    );
    expect(calls).toContain(
      'dynamodb update-table --table-name restored --stream-specification StreamEnabled=true,StreamViewType=KEYS_ONLY',
    );
    const updates = (of: readonly string[]) => of.filter((call) => /^dynamodb update-/.test(call));
    expect(updates(calls)).toHaveLength(7);
    // A second run leaves what is on already, which would be an error.
    expect(updates(completed(true))).toEqual([
      `dynamodb update-table --table-name restored ${protection}`,
      ...['', '--index-name by-creation ', '--index-name by-status '].map(
        (index) =>
          `dynamodb update-contributor-insights --table-name restored ${index}--contributor-insights-action ENABLE --contributor-insights-mode THROTTLED_KEYS`,
      ),
      expect.stringContaining('update-continuous-backups'),
    ]);
  });

  test('repeats the erasures since the backup, and fails at the end if one has failed', () => {
    const erasures = [
      '2026-01-31T11:59:59Z --tenant before --access-revoked',
      '2026-01-31T12:00:00Z --tenant acme --access-revoked',
      '',
      '2026-02-01T00:00:00Z --tenant "globex inc" --entity tasks/1',
    ].join('\n');
    // The last line has no end.
    const repeat = (npx: string, more = '') =>
      runWith({ npx }, 'repeat-erasures.sh', ['restored', '2026-01-31T12:00:00Z'], erasures + more);
    const first = 'pm-api erase --table restored --tenant acme --access-revoked\n';
    const second = 'pm-api erase --table restored --tenant globex inc --entity tasks/1\n';
    expect(repeat('cat; echo "$@"')).toMatchObject({ stdout: first + second, status: 0 });
    expect(repeat('[ "$6" = "globex inc" ]')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^.*acme.*\n$/),
    });
    expect(repeat('echo "$@"; exit 1')).toMatchObject({ stdout: first + second, status: 1 });
    expect(repeat('echo "$@"', '\n2026-02-02 10:00 --tenant x')).toMatchObject({
      stdout: first + second,
      status: 1,
      stderr: expect.stringContaining('2026-02-02 10:00 --tenant x'),
    });
    expect(runWith({ npx: 'echo' }, 'repeat-erasures.sh', ['restored', '2026'], '\n').stdout).toBe('');
  });
});
