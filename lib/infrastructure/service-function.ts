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
import type { Access } from '../../functions/shared/contract/table-access.ts';
import { type Bundles, bundleOf } from './bundle.ts';
import type { Settings } from './settings.ts';
import { tableStatements } from './table-statements.ts';

/** What all functions share. */
export interface ServiceFunctionContext {
  readonly settings: Settings;
  readonly bundles: Bundles;
}

export interface ServiceFunctionProperties extends ServiceFunctionContext {
  /** File of the handler, relative to `functions/`. */
  readonly file: string;
  /** One sentence. */
  readonly description: string;
  readonly timeoutMs: number;
  /** The table, and the function's permissions for it. */
  readonly data?: { readonly table: TableV2; readonly access: Access };
  readonly environment?: Readonly<Record<string, string>>;
  /** Additional permissions. */
  readonly statements?: readonly PolicyStatement[];
}

/** Megabytes of a function. */
const memoryMb = 256;

/** Megabytes of a function that loads columns: Lambda gives a whole core at 1,769 MB. A core decodes and sorts 10^6 rows in time. */
const listEngineMemoryMb = 1_769;

/** X-Ray supports no resource-level permissions for traces. */
const tracing = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

/**
 * A function with its log group and role. The policies are inline: a stack has at most 500 resources, and a separate
 * policy would be one more per function.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;

  constructor(scope: Construct, id: string, properties: ServiceFunctionProperties) {
    super(scope, id);
    const {
      settings,
      bundles,
      file,
      description,
      timeoutMs,
      data,
      environment,
      statements = [],
    } = properties;
    const logGroup = new LogGroup(this, 'Log', {
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const logging = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    });
    const dataStatements = data ? tableStatements(data.table, data.access) : [];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        access: new PolicyDocument({ statements: [logging, tracing(), ...dataStatements, ...statements] }),
      },
    });
    this.function = new LambdaFunction(this, 'Function', {
      description,
      code: bundleOf(bundles, file),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: data?.access.usesListEngine ? listEngineMemoryMb : memoryMb,
      timeout: Duration.millis(timeoutMs),
      environment: { ...(data && { TABLE_NAME: data.table.tableName }), ...environment },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
    });
    // The construct's `tracing` option would add a separate policy resource.
    (this.function.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    const reason = 'X-Ray and ListStreams support no resource-level permissions.';
    Validations.of(role).acknowledge(
      { id: 'AwsSolutions-IAM5[Resource::*]', reason },
      { id: 'Serverless-LambdaStarPermissions', reason },
    );
    Validations.of(this.function).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason: 'Requests are synchronous. The stream and the schedule have a dead-letter queue.',
    });
  }
}
