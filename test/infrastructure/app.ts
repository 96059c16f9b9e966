import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';

// The template validation of CDK takes seconds. `npm run synth` runs it.
process.env.CDK_VALIDATION = 'false';

const { context } = JSON.parse(readFileSync(join(__dirname, '../../cdk.json'), 'utf8')) as {
  context: Record<string, unknown>;
};

/** Returns an app with the context of `cdk synth -c key=value`. */
export const app = (outdir: string, settings: Record<string, unknown> = {}): App =>
  new App({
    context: {
      ...context,
      // The CDK command line enables these two. They name the construct and the asset of a resource.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    },
    analyticsReporting: false,
    outdir,
  });
