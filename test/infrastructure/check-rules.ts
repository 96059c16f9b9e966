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
import { type Bundles, bundleFunctions } from '#lib/infrastructure/bundle.ts';
import { service } from '#lib/infrastructure/service.ts';
import { type Combination, combinations } from './combinations.ts';
import { defaultContext } from './default-context.ts';

interface Report {
  readonly pluginReports: readonly {
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

const temporary = mkdtempSync(join(tmpdir(), 'rules-'));
/** Bundles that exist already, from `global-setup.ts`. */
const bundlesFile = process.env['BUNDLES'];
const bundles = bundlesFile
  ? (JSON.parse(readFileSync(bundlesFile, 'utf8')) as Bundles)
  : await bundleFunctions(join(temporary, 'bundles'));

/** Returns the findings that are not acknowledged, warnings included. */
function findings(
  settings: Readonly<Record<string, unknown>>,
  more: (stack: Stack) => void = () => {},
): string[] {
  const folder = mkdtempSync(join(temporary, 'assembly-'));
  const app = new App({ context: settings, analyticsReporting: false, outdir: folder });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  more(service(app, bundles).api);
  try {
    app.synth();
  } catch (error) {
    // The report is written before the error is thrown.
    if (!/Validation/.test((error as Error).name)) throw error;
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

/** Adds resources that break rules, so that a check which finds nothing at all is noticed. */
function addMistakes(stack: Stack): void {
  new Queue(stack, 'Careless');
  // A property that the schema of the resource does not have.
  new CfnResource(stack, 'Mistyped', { type: 'AWS::SNS::Topic', properties: { TopicNam: 'x' } });
}

const found = Object.fromEntries(
  process.argv
    .slice(2)
    .map((name) => [
      name,
      findings(
        { ...defaultContext, ...combinations[name as Combination] },
        name === 'default' ? addMistakes : undefined,
      ),
    ]),
);
rmSync(temporary, { recursive: true });
console.log(JSON.stringify(found));
// The test evaluates the findings, so they do not fail this process.
process.exitCode = 0;
