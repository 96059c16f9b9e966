import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { DataStack } from './data-stack.ts';
import { gateway } from './gateway.ts';
import { jobs } from './jobs.ts';
import { observability } from './observability.ts';
import type { ServiceFunctionContext } from './service-function.ts';

/** What can be deleted and deployed anew at any time: gateway and functions. It keeps no data but logs. */
export class ApiStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    context: ServiceFunctionContext,
    data: DataStack,
    properties: StackProps = {},
  ) {
    super(scope, id, { ...properties, description: 'Project management: the API.' });
    const api = gateway(this, context, data);
    const watched = { api, table: data.table, ...jobs(this, context, data) };
    const { dashboardUrl } = observability(this, context.settings, watched);
    new CfnOutput(this, 'Url', { value: api.apiEndpoint });
    new CfnOutput(this, 'DocsUrl', { value: `${api.apiEndpoint}/docs` });
    new CfnOutput(this, 'DashboardUrl', { value: dashboardUrl });
  }
}
