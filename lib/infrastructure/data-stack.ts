import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { IBackupVault } from 'aws-cdk-lib/aws-backup';
import {
  type Attribute,
  AttributeType,
  Billing,
  type CfnGlobalTable,
  ContributorInsightsMode,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { formats } from '../../functions/engine/model/stored-format.ts';
import { table as shape } from '../../functions/engine/model/table.ts';
import { applyAccountRules } from './account-rules.ts';
import { type Accounts, accounts } from './accounts.ts';
import { symptomsOfData } from './alarmed-symptoms.ts';
import { createAlarms, createAlarmTopic } from './alarms.ts';
import { acceptedTokens } from './authorization.ts';
import { backups } from './backups.ts';
import { createDomain } from './domain.ts';
import { type Jobs, jobs } from './jobs.ts';
import { Live } from './live.ts';
import {
  accessLogName,
  allowedKeys,
  formatsKey,
  functionLogName,
  isDisposable,
  isImported,
  keysOutput,
  ownTableName,
  tableLogicalId,
  tableNameOf,
} from './names.ts';
import type { ServiceFunctionContext } from './service-function.ts';
import { liveWindow, type Settings } from './settings.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/**
 * The table, the jobs on it, what announces changes, the logs, and the user pool when Cognito is used. Termination protection and retention keep the data,
 * except in a disposable stage.
 */
export class DataStack extends Stack {
  readonly jobs: Jobs;
  /** undefined with another issuer, or without authentication. */
  readonly accounts: Accounts | undefined;
  /** undefined where changes are not announced. */
  readonly live: Live | undefined;
  /** undefined without backups. */
  readonly backupVault: IBackupVault | undefined;
  /** The names of the alarms of this stack. */
  readonly alarms: readonly string[];

  constructor(
    scope: Construct,
    id: string,
    { context, ...properties }: StackProps & { readonly context: ServiceFunctionContext },
  ) {
    const { settings } = context;
    super(scope, id, {
      ...properties,
      description: 'Project management: the data.',
      terminationProtection: !isDisposable(settings),
    });
    // `npm run deploy` compares them with those of the next release.
    this.templateOptions.metadata = { [formatsKey]: formats };
    const imported = isImported(settings) ? this.#table(settings, settings.tableName) : undefined;
    // It is retained when it leaves the stack. A disposable stage would delete it.
    const own =
      imported && !isDisposable(settings) ? undefined : this.#table(settings, ownTableName(settings));
    const { tableStreamArn = '' } = imported ?? own ?? {};
    new CfnOutput(this, 'Region', { value: this.region });
    new CfnOutput(this, 'TableName', { value: tableNameOf(settings) });
    const keys = allowedKeys(settings);
    // The first one is empty without a key of the owner.
    if (keys.length > 0)
      new CfnOutput(this, keysOutput, {
        value: [settings.encryptionKey, settings.otherEncryptionKey].join(','),
      });
    this.accounts = settings.authentication === 'cognito' ? accounts(this, context) : undefined;
    this.live = this.#live(context);
    this.jobs = jobs(this, context, settings.tableStreamArn || tableStreamArn, this.live);
    const functionLog = this.#logs(settings);
    this.backupVault = backups(this, settings);
    createDomain(this, settings);
    const topic = createAlarmTopic(this, settings);
    if (topic) new CfnOutput(this, 'AlarmTopicArn', { value: topic.topicArn });
    const { jobs: watchedJobs, accounts: watchedAccounts, live, backupVault } = this;
    const watched = { jobs: watchedJobs, accounts: watchedAccounts, live, backupVault, functionLog };
    this.alarms = createAlarms(this, settings, symptomsOfData(this, watched, settings), topic);
    this.#keepOutputs();
    applyAccountRules(this, settings);
  }

  #table(settings: Settings, tableName: string): TableV2 {
    const isOwn = tableName === ownTableName(settings);
    const isDestroyed = isOwn && isDisposable(settings);
    const table = new TableV2(this, isOwn ? 'Table' : `Table-${tableName}`, {
      // A physical name: CloudFormation refuses to replace the table with an empty one.
      tableName,
      partitionKey: text(shape.partitionKey),
      sortKey: text(shape.sortKey),
      globalSecondaryIndexes: Object.entries(shape.indexes).map(([indexName, { partitionKey, sortKey }]) => ({
        indexName,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        projectionType: ProjectionType.ALL,
      })),
      timeToLiveAttribute: shape.timeToLive,
      // It costs something only while keys are throttled, and names them.
      contributorInsightsSpecification: { enabled: true, mode: ContributorInsightsMode.THROTTLED_KEYS },
      billing: Billing.onDemand(),
      encryption: this.#encryption(settings),
      // docs/decisions/0016-keys-in-the-stream.md
      dynamoStream: StreamViewType.KEYS_ONLY,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !isDisposable(settings),
      // Another setting of "tableName" takes an imported table out of the stack, in every stage.
      removalPolicy: isDestroyed ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    (table.node.defaultChild as CfnGlobalTable).overrideLogicalId(tableLogicalId(settings, tableName));
    return table;
  }

  #live(context: ServiceFunctionContext): Live | undefined {
    const tokens = acceptedTokens(context.settings, this.accounts);
    if (!tokens || liveWindow(context.settings) === undefined) return undefined;
    const live = new Live(this, context, tokens);
    if (live.domainTarget) new CfnOutput(this, 'LiveDomainTarget', { value: live.domainTarget });
    return live;
  }

  #encryption({ encryptionKey }: Settings): TableEncryptionV2 {
    return encryptionKey
      ? TableEncryptionV2.customerManagedKey(Key.fromKeyArn(this, 'EncryptionKey', encryptionKey))
      : // The key that AWS owns. Each use of its managed key, `aws/dynamodb`, would be a call of KMS with a price.
        TableEncryptionV2.dynamoOwnedKey();
  }

  /**
   * Keeps the outputs that the API stack of release 0.9 reads, for its alarms and graphs: when the update of the API stack fails, its rollback reads them again.
   * They can go with the release after the next one.
   */
  #keepOutputs(): void {
    const { jobs: own, accounts: users, backupVault } = this;
    const { onStream, onLogRecords, onSchedule, deadLetters, unpublishedEvents } = own;
    const kept: readonly [suffix: string, value: string | undefined][] = [
      ['RefonStreamFunction2A18CAB6F986E22B', onStream.functionName],
      ['RefonLogRecordsFunctionA220E651C4820429', onLogRecords.functionName],
      ['RefonScheduleFunction099EE80717364B1D', onSchedule.functionName],
      ['FnGetAttDeadLettersBBF8BAABQueueNameEA293C96', deadLetters.queueName],
      ['FnGetAttUnpublishedEvents9B6C9933QueueName5045EEDB', unpublishedEvents?.queueName],
      ['FnGetAttBackups9A29A52DBackupVaultNameD56159C1', backupVault?.backupVaultName],
      ['RefAccountsclaimTenantFunctionAF06B022B409508D', users?.claimTenant.functionName],
    ];
    for (const [suffix, value] of kept) if (value) new CfnOutput(this, `PublishOutput${suffix}`, { value });
  }

  /** Creates the log groups of both stacks. They are here so that logs outlive a replaced API stack. */
  #logs(settings: Settings): LogGroup {
    const ofEach = { retention: settings.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY };
    const functionLog = new LogGroup(this, 'FunctionLog', {
      logGroupName: functionLogName(settings),
      ...ofEach,
    });
    new LogGroup(this, 'AccessLog', { logGroupName: accessLogName(settings), ...ofEach });
    // A function that is called first would log nothing: its role cannot create the group.
    for (const child of this.node.findAll()) {
      if (child instanceof LambdaFunction) child.node.addDependency(functionLog);
    }
    return functionLog;
  }
}
