import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ofType, synthesizeTemplates, temporaryFolder } from './stacks.ts';

/** The workflows of GitHub. */

const folder = join(__dirname, '../../.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);

/** The jobs of the deployment, as text, by name. */
const jobs: Readonly<Record<string, string>> = Object.fromEntries(
  readFileSync(join(folder, 'deploy.yml'), 'utf8')
    .split(/^ {2}(?=[\w-]+:$)/m)
    .slice(1)
    .map((job) => [job.slice(0, job.indexOf(':')), job]),
);

test.each(workflows)('%s pins every action by commit and names its version', (_name, text) => {
  const used = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([]);
});

test.each(workflows)(
  '%s has no permissions outside of its jobs, and runs only scripts that exist',
  (_name, text) => {
    expect(text).toMatch(/^permissions: \{\}$/m);
    const { scripts } = JSON.parse(readFileSync(join(folder, '../../package.json'), 'utf8')) as {
      scripts: object;
    };
    const named = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, script = '']) => script);
    expect(named.filter((script) => !(script in scripts))).toEqual([]);
  },
);

test('the deployment is watched for longer than the slowest alarm needs', async () => {
  const text = readFileSync(join(folder, 'deploy.yml'), 'utf8');
  const [, times, pauseSeconds] = /watch-alarms\.sh .* (\d+) (\d+)$/m.exec(text) ?? [];
  const { api } = await synthesizeTemplates();
  const periods = ofType(api, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    Number(Properties['EvaluationPeriods']),
  );
  expect(Number(times) * Number(pauseSeconds)).toBeGreaterThan(Math.max(...periods) * 300);
});

describe('the alarms that roll a deployment back', () => {
  /** Runs the script with a program that takes the place of the AWS command line. */
  function raisedAlarms(aws: string) {
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'aws'), `#!/bin/sh\n${aws}\n`, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    return spawnSync('bash', [join(folder, '../raised-alarms.sh'), 'production'], {
      env: environment,
      encoding: 'utf8',
    });
  }

  test('are those of its requests, sign-in and jobs, which exist', async () => {
    const { api } = await synthesizeTemplates();
    const ids = ofType(api, 'AWS::CloudWatch::Alarm').map(([id]) => id);
    const raised = ids.map((id) => `project-management-production-api-${id}-1`).join('\t');
    const { stdout, status } = raisedAlarms(`printf '${raised}\n'`);
    const found = stdout.trim().split('\n');
    expect(found.map((name) => name.replace(/^.*-api-([A-Za-z]+?)[0-9A-F]{8}-1$/, '$1'))).toEqual([
      'JobsFail',
      'RequestsAreSlow',
      'RequestsFail',
      'SigninFails',
    ]);
    expect(status).toBe(0);
  });

  test('are none when none is raised', () => {
    expect(raisedAlarms('exit 0')).toMatchObject({ stdout: '', status: 0 });
  });

  test('fail the step when AWS does not respond', () => {
    expect(raisedAlarms('echo "Unable to locate credentials" >&2; exit 253').status).not.toBe(0);
  });
});

describe('the watch of a deployment', () => {
  /** Runs the script with a program that takes the place of the AWS command line. */
  function watch(aws: string, before = '') {
    const programs = temporaryFolder();
    writeFileSync(join(programs, 'aws'), `#!/bin/sh\n${aws}\n`, { mode: 0o755 });
    writeFileSync(join(programs, 'before'), before);
    const environment = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    const args = [join(folder, '../watch-alarms.sh'), 'production', join(programs, 'before'), '3', '0'];
    return spawnSync('bash', args, { env: environment, encoding: 'utf8' });
  }

  const alarm = 'project-management-production-api-JobsFail0000AAAA-1';

  test('passes when no alarm is raised', () => {
    expect(watch('exit 0').status).toBe(0);
  });

  test('passes when an alarm is raised that was raised before', () => {
    expect(watch(`echo ${alarm}`, `${alarm}\n`).status).toBe(0);
  });

  test('fails when a new alarm is raised', () => {
    expect(watch(`echo ${alarm}`)).toMatchObject({ status: 1, stdout: `In alarm: ${alarm}\n` });
  });

  test('fails when AWS does not respond', () => {
    expect(watch('echo "ExpiredToken" >&2; exit 254').status).not.toBe(0);
  });

  test('begins with new credentials, which are valid for longer than it takes', () => {
    const steps = jobs['deploy'] ?? '';
    const [before = '', after = ''] = steps.split('.github/watch-alarms.sh');
    expect(before.lastIndexOf('configure-aws-credentials')).toBeGreaterThan(
      before.lastIndexOf('npm run verify'),
    );
    const [times = 0, seconds = 0] = (/ (\d+) (\d+)$/m.exec(after) ?? []).slice(1).map(Number);
    // The default of the action is an hour. A call of the script takes a few seconds.
    expect(times * (seconds + 10)).toBeLessThan(3_600);
  });
});

describe('a rollback', () => {
  const steps = jobs['roll-back'] ?? '';

  test('is a job that a person can approve, and is no deployment of the environment that names the last success', () => {
    expect(steps).toMatch(/^ {4}environment: rollback$/m);
    expect(jobs['deploy']).toMatch(/^ {4}environment: production$/m);
  });

  test('follows a failed deployment, verification or watch, and no failure before the deployment', () => {
    expect(steps).toMatch(/^ {4}needs: deploy$/m);
    const [, condition = ''] = /^ {4}if: (.*)$/m.exec(steps) ?? [];
    expect(condition).toContain('failure() || cancelled()');
    expect(condition).toContain('needs.deploy.outputs.deployment');
    expect(jobs['deploy']).toContain(`deployment: \${{ steps.deploy.outcome }}`);
  });

  test('happens only if the commit before can use the table, with credentials that did not expire while a person decided', () => {
    const places = ['rollback previous', 'configure-aws-credentials', 'npm run deploy'].map((text) =>
      steps.indexOf(text),
    );
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places).not.toContain(-1);
    // A step runs only if the steps before it have succeeded, unless it has a condition.
    expect(steps).not.toMatch(/^ {6}(?:- | {2})(?:if|continue-on-error):/m);
    expect(steps).toMatch(/rollback previous \|\| \{[^}]*exit 1/);
  });
});

test('pull requests and main run what decides whether a change lands, and the night runs everything', () => {
  for (const [name, text] of workflows)
    expect(text).toContain(name === 'nightly.yml' ? '- run: npm run test:nightly' : '- run: .ci/run');
});
