import { CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { gateway } from './gateway.ts';
import { jobs } from './jobs.ts';
import type { ServiceFunctionContext } from './service-function.ts';

/** What can be deleted and deployed anew at any time: gateway and functions. It keeps no data but logs. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, context: ServiceFunctionContext) {
    super(scope, id, { description: 'Project management: the API.' });
    const api = gateway(this, context);
    jobs(this, context);
    new CfnOutput(this, 'Url', { value: api.apiEndpoint });
  }
}
