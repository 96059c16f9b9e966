import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Access } from '../../functions/shared/contract/access.ts';
import { type Bundles, bundleOf } from './bundle.ts';
import type { Settings } from './settings.ts';
import { tableStatements } from './table-access.ts';

/** What all functions share. */
export interface ServiceFunctionContext {
  readonly settings: Settings;
  readonly bundles: Bundles;
}

export interface ServiceFunctionProperties extends ServiceFunctionContext {
  /** The handler's file, relative to `functions/`. */
  readonly file: string;
  /** One sentence. */
  readonly description: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** The table that it knows by name, and all that it may do to it. */
  readonly data?: { readonly table: TableV2; readonly access: Access };
  readonly environment?: Readonly<Record<string, string>>;
  /** What it may do besides. */
  readonly statements?: readonly PolicyStatement[];
}

/** Traces are sent to no resource that a policy could name. */
const tracing = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

/**
 * A function, its log, and its role. The role's policies are inline, because a stack has at most 500 resources
 * and a policy apart is one more for every function.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, properties: ServiceFunctionProperties) {
    super(scope, id);
    const { settings, bundles, file, description, timeout, data, environment, statements = [] } = properties;
    const logGroup = new LogGroup(this, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logging = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const reads = data ? tableStatements(data.table, data.access) : [];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        access: new PolicyDocument({ statements: [logging, tracing(), ...reads, ...statements] }),
      },
    });
    this.function = new LambdaFunction(this, 'Function', {
      description,
      code: bundleOf(bundles, file),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: 256,
      timeout: Duration.millis(timeout),
      environment: { ...(data && { TABLE_NAME: data.table.tableName }), ...environment },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
    });
    // The construct's own setting would add the permission in a policy apart.
    (this.function.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    const reason = 'X-Ray, and the list of streams, know no resources.';
    Validations.of(role).acknowledge(
      { id: 'AwsSolutions-IAM5[Resource::*]', reason },
      { id: 'Serverless-LambdaStarPermissions', reason },
    );
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Callers wait for the answer; the stream and the schedule have a queue for dead letters.',
    });
  }
}
