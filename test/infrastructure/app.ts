import { App } from 'aws-cdk-lib';
import { defaultContext } from './default-context.ts';

// The template validation of CDK takes seconds. `npm run synth` runs it.
process.env.CDK_VALIDATION = 'false';

/** Returns an app with the default settings, and the given ones over them. */
export const app = (outdir: string, settings: Record<string, unknown> = {}): App =>
  new App({
    context: {
      ...defaultContext,
      // The CDK command line enables these two. They name the construct and the asset of a resource.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...settings,
    },
    analyticsReporting: false,
    // No test reads tree.json, and writing it takes a tenth of the synthesis.
    treeMetadata: false,
    outdir,
  });
