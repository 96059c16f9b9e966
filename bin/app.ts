import { App } from 'aws-cdk-lib';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { readSettings, SettingsError } from '../lib/infrastructure/read-settings.ts';
import { service } from '../lib/infrastructure/service.ts';
import { isSiteBuilt } from '../lib/site/build.ts';

const app = new App({ analyticsReporting: false });
try {
  const { documentation } = readSettings(app.node.getAllContext() as Record<string, unknown>);
  if (documentation && !isSiteBuilt())
    throw new SettingsError('The documentation is not built. Run "npm run site" first.');
  service(app, await bundleFunctions('dist/functions'));
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  // The user corrects the settings, so the stack trace would not help.
  console.error(error.message);
  process.exitCode = 1;
}
