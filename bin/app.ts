/** The CDK app: a stack that is kept, and one that can be replaced. */
import { App } from 'aws-cdk-lib';
import { ApiStack } from '../lib/infrastructure/api-stack.ts';
import { bundleFunctions } from '../lib/infrastructure/bundle.ts';
import { DataStack } from '../lib/infrastructure/data-stack.ts';

const app = new App({ analyticsReporting: false });
const { table } = new DataStack(app, 'project-management-data');
const bundles = await bundleFunctions('dist/functions');
new ApiStack(app, 'project-management-api', { table, bundles });
