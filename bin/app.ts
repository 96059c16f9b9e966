/** The CDK app. */
import { App } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { service } from '../lib/infrastructure/service.ts';
import { SettingsError } from '../lib/infrastructure/settings.ts';

const app = new App({ analyticsReporting: false });
try {
  service(app, await bundleFunctions('dist/functions'));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  // What people set is theirs to mend: where in the code it was noticed does not matter.
  console.error(error.message);
  process.exitCode = 1;
}
