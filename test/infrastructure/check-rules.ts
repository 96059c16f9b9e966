/**
 * Prints the findings of cdk-nag that are not acknowledged, and those of the validation against the schemas of CloudFormation, for
 * `rules.test.ts`. The arguments are names of combinations of settings; the default one has mistakes. It runs in a process of its own,
 * because a finding sets the exit code of the process.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App, CfnResource, type Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { service } from '#lib/infrastructure/service.ts';
import { bundles } from './bundles.ts';
import { type Combination, combinations } from './combinations.ts';
import { defaultContext } from './default-context.ts';

interface Violation {
  readonly ruleName: string;
  readonly violatingConstructs: readonly { readonly constructPath: string }[];
}

const temporary = mkdtempSync(join(tmpdir(), 'rules-'));

/** Returns the findings that are not acknowledged, warnings included. */
function findings(name: Combination): string[] {
  const folder = mkdtempSync(join(temporary, 'assembly-'));
  const context = { ...defaultContext, ...combinations[name] };
  const app = new App({ context, analyticsReporting: false, outdir: folder });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  const { api } = service(app, bundles());
  if (name === 'default') addMistakes(api);
  try {
    app.synth();
  } catch (error) {
    // The report is written before the error is thrown.
    if (!/Validation/.test((error as Error).name)) throw error;
  }
  const { pluginReports } = JSON.parse(readFileSync(join(folder, 'validation-report.json'), 'utf8')) as {
    pluginReports: readonly { violations: readonly Violation[] }[];
  };
  return pluginReports
    .flatMap(({ violations }) => violations)
    .flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${ruleName} ${constructPath}`),
    );
}

/** Adds resources that break rules, so that a check which finds nothing at all is noticed. */
function addMistakes(stack: Stack): void {
  new Queue(stack, 'Careless');
  // A property that the schema of the resource does not have.
  new CfnResource(stack, 'Mistyped', { type: 'AWS::SNS::Topic', properties: { TopicNam: 'x' } });
}

const found = process.argv.slice(2).map((name) => [name, findings(name as Combination)]);
rmSync(temporary, { recursive: true });
console.log(JSON.stringify(Object.fromEntries(found)));
// The test evaluates the findings, so they do not fail this process.
process.exitCode = 0;
