import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Route } from '../../functions/routes.ts';
import { applyAccountRules } from './account-rules.ts';
import { budget } from './budget.ts';
import type { DataStack } from './data-stack.ts';
import { mapDomain } from './domain.ts';
import { gateway } from './gateway.ts';
import { tableNameOf } from './names.ts';
import { observability } from './observability.ts';
import { refreshReferences } from './references.ts';
import type { ServiceFunctionContext } from './service-function.ts';

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
    const api = gateway(this, context, data, operations);
    const { dashboardUrl, alarmTopicArn } = observability(this, context.settings, {
      api,
      table: tableNameOf(context.settings),
      ...data.jobs,
      claimTenant: data.accounts?.claimTenant,
      backupVault: data.backupVault,
      live: data.live,
    });
    const url = mapDomain(this, context.settings, api);
    new CfnOutput(this, 'Url', { value: url });
    if (context.settings.documentation) new CfnOutput(this, 'DocsUrl', { value: `${url}/docs` });
    new CfnOutput(this, 'DashboardUrl', { value: dashboardUrl });
    if (alarmTopicArn) new CfnOutput(this, 'AlarmTopicArn', { value: alarmTopicArn });
    budget(this, context.settings);
    applyAccountRules(this, context.settings);
    refreshReferences(this);
  }
}
