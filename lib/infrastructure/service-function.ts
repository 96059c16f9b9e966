import { Duration, Validations } from 'aws-cdk-lib';
import type { Role } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  type CfnFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { type Bundles, bundleOf } from './bundle.ts';
import { createRole, type Permissions } from './function-roles.ts';
import { functionLogName, tableNameOf } from './names.ts';
import { defaultColumnMemoryMb, type Settings } from './settings.ts';

export interface ServiceFunctionContext {
  readonly settings: Settings;
  readonly bundles: Bundles;
}

export interface ServiceFunctionProperties extends ServiceFunctionContext, Permissions {
  readonly file: string;
  readonly description: string;
  readonly timeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Invocations at once that Lambda reserves for the function, which are also its maximum. 0: it shares those of the account. */
  readonly reservedConcurrency?: number;
  /** The role, where functions share one. */
  readonly role?: Role;
}

/** Megabytes of a function for requests: 0.58 of a core. At 256 MB, the first response takes four times as long. */
const memoryMb = 1_024;

/**
 * Megabytes of a function that loads columns, without the setting `columnMemory`: Lambda gives a whole core at 1,769 MB. A core decodes and sorts 10^6 rows in
 * time.
 */
const listEngineMemoryMb = 1_769;

/** A function, with a role of its own or the given one. All functions share one log group of the data stack. */
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
      role = createRole(this, 'Role', settings, properties),
    } = properties;
    const usesColumns = access?.usesListEngine === true;
    const moreColumnsMb = settings.columnMemory - defaultColumnMemoryMb;
    const logGroup = LogGroup.fromLogGroupName(this, 'Log', functionLogName(settings));
    this.function = new LambdaFunction(this, 'Function', {
      description,
      code: bundleOf(bundles, file),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: usesColumns ? listEngineMemoryMb + Math.max(0, moreColumnsMb) : memoryMb,
      timeout: Duration.millis(timeoutMs),
      // 0 would switch the function off.
      ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
      environment: {
        ...(access && { TABLE_NAME: tableNameOf(settings) }),
        ...(usesColumns && moreColumnsMb !== 0 && { COLUMN_MEMORY_MB: String(settings.columnMemory) }),
        ...environment,
      },
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      // Lambda's own lines only about what failed or timed out: each request has one of the service's.
      systemLogLevelV2: SystemLogLevel.WARN,
    });
    if (settings.tracing) {
      // The construct's own option would add a separate policy resource.
      (this.function.node.defaultChild as CfnFunction).tracingConfig = { mode: 'Active' };
    }
    Validations.of(this.function).acknowledge(
      {
        id: 'Serverless-LambdaDLQ',
        reason: 'Requests are synchronous. The stream and the schedule have a dead-letter queue.',
      },
      { id: 'Serverless-LambdaTracing', reason: 'The setting "tracing" decides.' },
    );
  }
}
