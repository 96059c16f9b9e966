import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { settingNames } from '#lib/infrastructure/settings.ts';
import { expectComplete } from '../support/complete.ts';
import { isNight } from '../support/runs.ts';
import { combinations } from './combinations.ts';

/**
 * Checks the rules of cdk-nag, and the templates against the schemas of CloudFormation. Exceptions are acknowledged, with a reason, where
 * the resource is created. The night checks all combinations of settings.
 */

const checked = Object.keys(combinations).slice(0, isNight ? undefined : 2);

let found: Readonly<Record<string, readonly string[]>>;

beforeAll(async () => {
  const script = join(__dirname, 'check-rules.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script, ...checked], {
    cwd: join(__dirname, '../..'),
  });
  found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof found;
});

/** The findings in the resources of the service, without the mistakes that `check-rules.ts` adds. */
const findingsOf = (name: string): string[] =>
  (found[name] ?? ['nothing was checked']).filter((one) => !/ \S+\/(Careless|Mistyped)\b/.test(one));

test.each(checked)('nothing breaks a rule without a reason: %s', (name) => {
  expect(findingsOf(name)).toEqual([]);
});

test('the combinations use every setting', () => {
  const used = new Set(Object.values(combinations).flatMap((settings) => Object.keys(settings)));
  expectComplete(used, settingNames, {
    missing:
      'Add it, with a value that is not its default, to a combination in test/infrastructure/combinations.ts.',
  });
});

test('the rules report a violation, and the schemas a mistyped property', () => {
  const violations = found['default'] ?? [];
  expect(violations.map((one) => one.split(' ')[0])).toEqual(
    expect.arrayContaining(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']),
  );
  expect(
    violations.filter((one) => one.includes('Mistyped') && !/Solutions|Serverless/.test(one)),
  ).not.toEqual([]);
});
