import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import type { Bundles } from './bundle.ts';
import { DataStack } from './data-stack.ts';
import { readSettings } from './settings.ts';

/**
 * Creates both stacks: the data, which is retained, and the API, which can be replaced.
 * @throws SettingsError when the context has wrong values.
 */
export function service(app: App, bundles: Bundles): { data: DataStack; api: ApiStack } {
  const settings = readSettings(app.node);
  const context = { settings, bundles };
  const properties = { context, ...(settings.region && { env: { region: settings.region } }) };
  const name = (part: string): string => `project-management-${settings.stage}-${part}`;
  const data = new DataStack(app, name('data'), properties);
  return { data, api: new ApiStack(app, name('api'), { ...properties, data }) };
}
