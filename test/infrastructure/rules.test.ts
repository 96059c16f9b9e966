import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The rules of cdk-nag: what breaks one is acknowledged where it is made, with the reason. */

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

test('the rules are awake', () => {
  expect(found.careless.map((one) => one.split(' ')[0])).toEqual(
    expect.arrayContaining(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']),
  );
});
