import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Access } from '../../functions/shared/contract/contract.ts';
import { type Bundles, bundleOf } from './bundle.ts';
import { tableStatements } from './table-access.ts';

/** What all functions share. */
export interface ServiceFunctionContext {
  readonly table: TableV2;
  readonly bundles: Bundles;
}

export interface ServiceFunctionProperties extends ServiceFunctionContext {
  /** The handler's file, relative to `functions/`. */
  readonly file: string;
  /** One sentence. */
  readonly description: string;
  /** All that it may do to the table. */
  readonly access: Access;
  readonly timeout: Duration;
  readonly environment?: Readonly<Record<string, string>>;
  /** What it may do besides. */
  readonly statements?: readonly PolicyStatement[];
}

/**
 * A function, its log, and its role. The role's policies are inline, because a stack has at most 500 resources
 * and a policy apart is one more for every function.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, properties: ServiceFunctionProperties) {
    super(scope, id);
    const { table, bundles, file, description, access, timeout, environment, statements = [] } = properties;
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logging = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const policy = new PolicyDocument({
      statements: [logging, ...tableStatements(table, access), ...statements],
    });
    this.function = new LambdaFunction(this, 'Function', {
      description,
      code: bundleOf(bundles, file),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout,
      environment: { TABLE_NAME: table.tableName, ...environment },
      role: new Role(this, 'Role', {
        assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
        inlinePolicies: { access: policy },
      }),
      logGroup,
    });
  }
}
