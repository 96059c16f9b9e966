import { Duration, Validations } from 'aws-cdk-lib';
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
import { type Bundles, bundleOf } from './bundle.ts';
import { allowedTableArns, functionLogArn, functionLogName, tableNameOf } from './names.ts';
import type { Settings } from './settings.ts';
import type { Access } from './table-access.ts';
import { keyStatements, tableStatements } from './table-statements.ts';

export interface ServiceFunctionContext {
  readonly settings: Settings;
  readonly bundles: Bundles;
}

export interface ServiceFunctionProperties extends ServiceFunctionContext {
  readonly file: string;
  readonly description: string;
  readonly timeoutMs: number;
  /** The function's permissions for the table. Without them, the function does not know the table. */
  readonly access?: Access;
  readonly environment?: Readonly<Record<string, string>>;
  /** Invocations at once that Lambda reserves for the function, which are also its maximum. 0: it shares those of the account. */
  readonly reservedConcurrency?: number;
  readonly statements?: readonly PolicyStatement[];
}

/** Megabytes of a function for requests: 0.58 of a core. At 256 MB, the first response takes four times as long (benchmarks/results/memory.md). */
const memoryMb = 1_024;

/** Megabytes of a function that loads columns: Lambda gives a whole core at 1,769 MB. A core decodes and sorts 10^6 rows in time. */
const listEngineMemoryMb = 1_769;

/** X-Ray supports no resource-level permissions for traces. */
const tracing = (): PolicyStatement =>
  new PolicyStatement({ actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], resources: ['*'] });

/**
 * A function with its role. The policies are inline: a stack has at most 500 resources, and a separate policy would be one more
 * per function. All functions share one log group of the data stack, for the same reason.
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
      access,
      environment,
      reservedConcurrency,
      statements = [],
    } = properties;
    const logGroup = LogGroup.fromLogGroupName(this, 'Log', functionLogName(settings));
    const logging = new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [functionLogArn(settings)],
    });
    const traces = settings.tracing ? [tracing()] : [];
    const dataStatements = access
      ? [...tableStatements(allowedTableArns(settings), access), ...keyStatements(settings.encryptionKey)]
      : [];
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: {
        access: new PolicyDocument({
          statements: [logging, ...traces, ...dataStatements, ...statements],
        }),
      },
    });
    this.function = new LambdaFunction(this, 'Function', {
      description,
      code: bundleOf(bundles, file),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: access?.usesListEngine ? listEngineMemoryMb : memoryMb,
      timeout: Duration.millis(timeoutMs),
      // 0 would switch the function off.
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: { ...(access && { TABLE_NAME: tableNameOf(settings) }), ...environment },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
    });
    if (settings.tracing) {
      // The construct's own option would add a separate policy resource.
      (this.function.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    }
    const reason = 'X-Ray and ListStreams support no resource-level permissions.';
    Validations.of(role).acknowledge(
      { id: 'AwsSolutions-IAM5[Resource::*]', reason },
      {
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${functionLogName(settings)}:*]`,
        reason: 'The wildcard stands for the log streams of the group.',
      },
      { id: 'Serverless-LambdaStarPermissions', reason },
    );
    Validations.of(this.function).acknowledge(
      {
        id: 'Serverless-LambdaDLQ',
        reason: 'Requests are synchronous. The stream and the schedule have a dead-letter queue.',
      },
      { id: 'Serverless-LambdaTracing', reason: 'The setting "tracing" decides.' },
    );
  }
}
