import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Checks the rules of cdk-nag. Exceptions are acknowledged, with a reason, where the resource is created. */

let found: Record<'cognito' | 'none' | 'careless', readonly string[]>;

beforeAll(async () => {
  const script = join(__dirname, 'check-rules.ts');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
  found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as typeof found;
});

test.each(['cognito', 'none'] as const)(
  'nothing breaks a rule without a reason, with authentication %s',
  (authentication) => {
    expect(found[authentication]).toEqual([]);
  },
);

test('the rules report a violation', () => {
  expect(found.careless.map((one) => one.split(' ')[0])).toEqual(
    expect.arrayContaining(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']),
  );
});
