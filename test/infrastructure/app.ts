import { App } from 'aws-cdk-lib';
import { defaultContext } from './default-context.ts';

/** Returns an app with the default settings, and the given ones over them. */
export function app(outdir: string, settings: Readonly<Record<string, unknown>> = {}): App {
  // The template validation of CDK takes seconds. `npm run synth` runs it.
  process.env.CDK_VALIDATION = 'false';
  return new App({
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
}
