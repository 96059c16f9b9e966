import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';
import { applyAccountRules } from './account-rules.ts';
import { symptomsOfApi } from './alarmed-symptoms.ts';
import { createAlarms } from './alarms.ts';
import { budget } from './budget.ts';
import { canaryClient, createCanary } from './canary.ts';
import { createDashboard } from './dashboard.ts';
import type { DataStack } from './data-stack.ts';
import { mapDomain, urlOf } from './domain.ts';
import { gateway } from './gateway.ts';
import { refreshReferences } from './references.ts';
import type { ServiceFunctionContext } from './service-function.ts';
import { hasOwnPool } from './settings.ts';

interface ApiStackProperties extends StackProps {
  readonly context: ServiceFunctionContext;
  readonly data: DataStack;
  readonly operations: readonly Route[];
}

/** Gateway, functions in nested stacks, alarms. The stack has no data and no logs, so it can be deleted and deployed again at any time. */
export class ApiStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { context, data, operations, ...properties }: ApiStackProperties,
  ) {
    super(scope, id, { ...properties, description: 'Project management: the API.' });
    // Without authentication there is no reference that would order the stacks.
    this.addStackDependency(data);
    const { settings } = context;
    const client = canaryClient(this, settings, data.accounts);
    const accounts = data.accounts && {
      userPoolId: data.accounts.userPoolId,
      clientIds: [...data.accounts.clientIds, ...(client && hasOwnPool(settings) ? [client.clientId] : [])],
    };
    const api = gateway(this, context, { accounts, live: data.live }, operations);
    mapDomain(this, settings, api);
    const url = urlOf(settings, api);
    const canary = client && createCanary(this, context, url, client);
    const own = createAlarms(this, settings, symptomsOfApi(api, canary, settings));
    const alarms = [...own, ...data.alarms];
    const dashboardUrl = createDashboard(this, settings, { api, live: data.live, alarms });
    new CfnOutput(this, 'Url', { value: url });
    if (settings.documentation) new CfnOutput(this, 'DocsUrl', { value: `${url}/docs` });
    new CfnOutput(this, 'DashboardUrl', { value: dashboardUrl });
    budget(this, settings);
    applyAccountRules(this, settings);
    refreshReferences(this);
  }
}
