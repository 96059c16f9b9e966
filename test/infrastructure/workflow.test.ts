import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ofType, synthesizeTemplates } from './stacks.ts';

/** The workflows of GitHub. */

const folder = join(__dirname, '../../.github/workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
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
  const [, times, pauseSeconds] = /seq (\d+)\); do\n +sleep (\d+)/.exec(text) ?? [];
  const { api } = await synthesizeTemplates();
  const periods = ofType(api, 'AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    Number(Properties['EvaluationPeriods']),
  );
  expect(Number(times) * Number(pauseSeconds)).toBeGreaterThan(Math.max(...periods) * 300);
});
