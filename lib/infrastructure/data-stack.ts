import { CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { Construct } from 'constructs';
import { table as shape } from '../../functions/shared/store/table.ts';

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });

/** What must outlive every deployment: the one table. The stack refuses to be deleted, and so does the table. */
export class DataStack extends Stack {
  readonly table: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id, { description: 'Project management: the data.', terminationProtection: true });
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
      dynamoStream: StreamViewType.NEW_IMAGE,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    new CfnOutput(this, 'TableName', { value: this.table.tableName });
  }
}
