import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { service } from '../../../lib/infrastructure/service.ts';
import { bundles, app as newApp, temporaryFolder } from './stacks.ts';

/** The rules of cdk-nag: what breaks one is acknowledged where it is made, with the reason. */

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** What the packs find that is not acknowledged, warnings as well. */
async function findings(
  settings: Record<string, unknown>,
  more: (stack: Stack) => void = () => {},
): Promise<string[]> {
  const folder = temporaryFolder();
  const app = newApp(folder, settings);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  more(service(app, await bundles()).api);
  process.env.CDK_VALIDATION = 'true';
  try {
    app.synth();
  } catch (error) {
    // The report is written all the same.
    if (!/Validation/.test((error as Error).name)) throw error;
  } finally {
    process.env.CDK_VALIDATION = 'false';
  }
  const { pluginReports } = JSON.parse(
    readFileSync(join(folder, 'validation-report.json'), 'utf8'),
  ) as Report;
  return pluginReports.flatMap(({ violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    ),
  );
}

test.each(['cognito', 'none'])(
  'nothing breaks a rule without a reason, with authentication %s',
  async (authentication) => {
    expect(await findings({ authentication, alarmEmail: 'ops@example.com' })).toEqual([]);
  },
);

test('the rules are awake', async () => {
  const found = await findings({}, (stack) => new Queue(stack, 'Careless'));
  expect(found.map((one) => one.split(' ')[0])).toEqual(
    expect.arrayContaining(['AwsSolutions-SQS3', 'AwsSolutions-SQS4', 'Serverless-SQSRedrivePolicy']),
  );
});
