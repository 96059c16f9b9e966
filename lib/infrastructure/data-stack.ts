import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { table as shape } from '../../functions/shared/store/model/table.ts';
import { Accounts } from './accounts.ts';
import type { ServiceFunctionContext } from './service-function.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

export interface DataStackProperties extends StackProps {
  readonly context: ServiceFunctionContext;
}

/** The table, and the user pool when Cognito is used. Termination protection and retention keep the data. */
export class DataStack extends Stack {
  readonly table: TableV2;
  /** undefined with another issuer, or without authentication. */
  readonly accounts: Accounts | undefined;

  constructor(scope: Construct, id: string, { context, ...properties }: DataStackProperties) {
    super(scope, id, {
      ...properties,
      description: 'Project management: the data.',
      terminationProtection: true,
    });
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(shape.partitionKey),
      sortKey: text(shape.sortKey),
      globalSecondaryIndexes: Object.entries(shape.indexes).map(([indexName, { partitionKey, sortKey }]) => ({
        indexName,
        partitionKey: text(partitionKey),
        sortKey: text(sortKey),
        projectionType: ProjectionType.ALL,
      })),
      timeToLiveAttribute: shape.timeToLive,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.awsManagedKey(),
      // onStream reads the job from the table. The stream contains no user data.
      dynamoStream: StreamViewType.KEYS_ONLY,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
    if (context.settings.authentication !== 'cognito') return;
    this.accounts = new Accounts(this, 'Accounts', context);
    new CfnOutput(this, 'UserPoolId', { value: this.accounts.pool.userPoolId });
    new CfnOutput(this, 'AppClientId', { value: this.accounts.appClient.userPoolClientId });
    new CfnOutput(this, 'MachineClientId', { value: this.accounts.machineClient.userPoolClientId });
    new CfnOutput(this, 'SignInUrl', { value: this.accounts.signInUrl });
  }
}
