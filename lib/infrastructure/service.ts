import type { App } from 'aws-cdk-lib';
import { routes } from '../../functions/routes.ts';
import { ApiStack } from './api-stack.ts';
import type { Bundles } from './bundle.ts';
import { DataStack } from './data-stack.ts';
import { stackName } from './names.ts';
import { readSettings } from './read-settings.ts';

/**
 * Creates the stacks.
 * @throws SettingsError when the context has wrong values.
 */
export function service(app: App, bundles: Bundles, operations = routes): { data: DataStack; api: ApiStack } {
  const settings = readSettings(app.node.getAllContext() as Record<string, unknown>);
  const context = { settings, bundles };
  const { account, region } = settings;
  const properties = { context, env: { ...(account && { account }), ...(region && { region }) } };
  const data = new DataStack(app, stackName(settings, 'data'), properties);
  return { data, api: new ApiStack(app, stackName(settings, 'api'), { ...properties, data, operations }) };
}
