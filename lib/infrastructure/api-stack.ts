import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { gateway } from './gateway.ts';
import { jobs } from './jobs.ts';
import { observability } from './observability.ts';
import type { ServiceFunctionContext } from './service-function.ts';

export interface ApiStackProperties extends StackProps {
  readonly context: ServiceFunctionContext;
  readonly data: DataStack;
}

/** Gateway and functions. The stack has no data except logs, so it can be deleted and deployed again at any time. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { context, data, ...properties }: ApiStackProperties) {
    super(scope, id, { ...properties, description: 'Project management: the API.' });
    const api = gateway(this, context, data);
    const resources = { api, table: data.table, ...jobs(this, context, data) };
    const { dashboardUrl } = observability(this, context.settings, resources);
    new CfnOutput(this, 'Url', { value: api.apiEndpoint });
    new CfnOutput(this, 'DocsUrl', { value: `${api.apiEndpoint}/docs` });
    new CfnOutput(this, 'DashboardUrl', { value: dashboardUrl });
  }
}
