import { App } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { SettingsError } from '../lib/infrastructure/read-settings.ts';
import { service } from '../lib/infrastructure/service.ts';
import { isSiteBuilt } from '../lib/site/build.ts';

if (!isSiteBuilt()) {
  console.error('The documentation is not built. Run "npm run site" first.');
  process.exit(1);
}
const app = new App({ analyticsReporting: false });
try {
  service(app, await bundleFunctions('dist/functions'));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  // The user corrects the settings, so the stack trace would not help.
  console.error(error.message);
  process.exitCode = 1;
}
